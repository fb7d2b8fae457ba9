/** The schema of every event, by its type. `agreement.ts` keeps them and the types of `events.ts` the same. */
import { INPUT_SCHEMAS } from "./input-events.ts";
import { LIVE_SCHEMAS } from "./live-events.ts";
import { PLAN_SCHEMAS } from "./plan.ts";
import { RUN_SCHEMAS } from "./run-events.ts";
import { TURN_SCHEMAS } from "./turn-events.ts";
import { WORKTREE_SCHEMAS } from "./worktree-events.ts";

/**
 * The version of the event format. It goes up when a field that readers need is added, or a type of event.
 * 1: before grants, digests and scopes of approvals. 2: a message enters the conversation where it stands. 3: inputs have a source and are
 * delivered; runs are parked and finished. 4: plans. 5: turns are queued.
 */
export const EVENT_VERSION = 5;

export const RECORDED_SCHEMAS = { ...RUN_SCHEMAS, ...INPUT_SCHEMAS, ...TURN_SCHEMAS, ...WORKTREE_SCHEMAS, ...PLAN_SCHEMAS };

export const EVENT_SCHEMAS = { ...RECORDED_SCHEMAS, ...LIVE_SCHEMAS };
