/** What an append writes, worked out before anything is written: the same for every database. */
import type { EventDraft, RecordedEvent, RunId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { CHAIN_START, toChainHash, toEventBody } from "./chain.ts";
import { MAX_SEQ, toEventKey } from "./event-key.ts";
import type { Operation, RunProjection } from "./project.ts";
import { project } from "./project.ts";
import type { SessionRow } from "./project-session.ts";
import { projectSession } from "./project-session.ts";

export type PlannedEvent = {
  readonly id: number;
  readonly event: RecordedEvent;
  readonly body: string;
  readonly hash: string;
  /** On rows of `messages`. */
  readonly operations: readonly Operation[];
};

export type AppendPlan = {
  readonly events: readonly PlannedEvent[];
  /** As it is afterwards. */
  readonly session: SessionRow;
  /** Of the runs that were written to, as they are afterwards. */
  readonly projections: ReadonlyMap<RunId, RunProjection>;
};

export type PlanOptions = {
  readonly session: SessionRow;
  readonly drafts: readonly EventDraft[];
  /** Of a run as it was before. */
  readonly projectionOf: (runId: RunId) => RunProjection | undefined;
};

export const planAppend = ({ session: before, drafts, projectionOf }: PlanOptions): AppendPlan => {
  if (before.headSeq + drafts.length > MAX_SEQ)
    throw new RetinueError("store_full", `${before.sessionId} holds ${before.headSeq} events and can hold no more.`);
  const events: PlannedEvent[] = [];
  const projections = new Map<RunId, RunProjection>();
  const current = (runId: RunId): RunProjection | undefined => projections.get(runId) ?? projectionOf(runId);
  let session = before;
  for (const draft of drafts) {
    const { runId, parentRunId } = draft;
    const isRequest = draft.type === "run.requested";
    const seq = session.headSeq + 1;
    const event: RecordedEvent = { ...draft, seq };
    const { operations, run } = project({
      event,
      sessionNumber: session.number,
      run: isRequest ? undefined : current(runId),
      parent: isRequest && parentRunId !== null ? current(parentRunId) : undefined,
    });
    projections.set(runId, run);
    const body = toEventBody(draft, seq);
    const hash = toChainHash(session.headHash === "" ? CHAIN_START : session.headHash, body);
    let opened = 0;
    for (const operation of operations) if (operation.type === "insert") opened += 1;
    session = projectSession({ event, previous: session, opened, hash });
    events.push({ id: toEventKey(session.number, seq), event, body, hash, operations });
  }
  return { events, session, projections };
};

/** The projections of all runs of a session, from its events. */
export const foldProjections = (events: Iterable<RecordedEvent>, sessionNumber: number): Map<RunId, RunProjection> => {
  const folded = new Map<RunId, RunProjection>();
  for (const event of events) {
    const parent = event.parentRunId === null ? undefined : folded.get(event.parentRunId);
    folded.set(event.runId, project({ event, sessionNumber, run: folded.get(event.runId), parent }).run);
  }
  return folded;
};
