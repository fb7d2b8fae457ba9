/** One stretch of a run that is run again on its record: how far it is, what comes next, and what stops it. */
import type { CallId, InputEvent, RecordedEvent } from "@retinue/protocol";
import { isInput, RetinueError } from "@retinue/protocol";
import type { ManualClock, RunState } from "@retinue/runtime";
import { createManualClock } from "@retinue/runtime";
import type { RecordIndex } from "./record-index.ts";
import { indexRecord, isOfCall } from "./record-index.ts";

/** The loop would do something else than it did. */
export class Divergence extends Error {
  override readonly name = "Divergence";
  readonly seq: number;

  constructor(seq: number, message: string) {
    super(message);
    this.seq = seq;
  }
}

/** The record ends here, as it does where a process was ended. */
export class EndOfRecord extends Error {
  override readonly name = "EndOfRecord";
}

export type Stretch = {
  /** From a start of the run to the next. */
  readonly events: readonly RecordedEvent[];
  /** What was said to the run before that, and what it had taken no notice of. */
  readonly unnoticed: readonly InputEvent[];
};

/** What the loop wrote, and nobody else. */
export type LoopEvent = Exclude<RecordedEvent, { readonly type: InputEvent["type"] }>;

export type Replay = {
  readonly state: RunState;
  /** What the loop wrote; inputs were written by others, and are given to it where it took notice of them. */
  readonly stretch: readonly LoopEvent[];
  readonly inputs: InputEvent[];
  /** What calls wrote while they were at work, such as the parts of a plan: no call is made, and what it wrote is given. */
  readonly ofCalls: RecordedEvent[];
  readonly clock: ManualClock;
  readonly cancel: AbortController;
  readonly record: RecordIndex;
  /** How long the run had worked before. */
  readonly alreadyMs: number;
  readonly isCancelled: boolean;
  /** How many of the stretch's events the loop wrote again. */
  written: number;
  settledCount: number;
  hasParkedCalls: boolean;
  /** How often each call was executed. */
  readonly executedCalls: Map<CallId, number>;
  /** How often a call was judged, of those that a human is asked about. */
  readonly judgedCalls: Map<CallId, number>;
  /** Calls that wait for what was written before their answers. */
  wakeTools: (() => void)[];
};

export const createReplay = ({ events, unnoticed }: Stretch, state: RunState): Replay => {
  const stretch = events.filter((event): event is LoopEvent => !isInput(event)).filter((event) => !isOfCall(event));
  const record = indexRecord(stretch);
  return {
    state,
    stretch,
    inputs: [...unnoticed, ...events.filter((event): event is RecordedEvent & InputEvent => isInput(event))],
    ofCalls: events.filter(isOfCall),
    clock: createManualClock(),
    cancel: new AbortController(),
    record,
    alreadyMs: state.used.activeMs,
    isCancelled: record.settled?.result.status === "cancelled",
    written: 0,
    settledCount: 0,
    hasParkedCalls: false,
    executedCalls: new Map(),
    judgedCalls: new Map(),
    wakeTools: [],
  };
};

/** Whether the record has a further start of the call. */
export const isStartedAgain = ({ record, executedCalls }: Replay, callId: CallId): boolean =>
  (record.startedCalls.get(callId) ?? 0) > (executedCalls.get(callId) ?? 0);

export const cancelNow = ({ cancel, record }: Replay): void =>
  cancel.abort(new RetinueError("cancelled", record.settled?.result.error?.message ?? "The run was cancelled."));

export const advanceTo = ({ clock, alreadyMs }: Replay, activeMs: number): void =>
  clock.advance(Math.max(0, activeMs - alreadyMs - clock.now()));

/** The next event of which this holds: everything noted and not yet written lies before it. */
const findNext = ({ stretch, written }: Replay, isIt: (event: LoopEvent) => boolean): LoopEvent | undefined => {
  for (let index = written; index < stretch.length; index += 1) {
    const event = stretch[index];
    if (event && isIt(event)) return event;
  }
  return undefined;
};

type Types = ReadonlySet<RecordedEvent["type"]>;

const DECISIVE: Types = new Set<RecordedEvent["type"]>([
  "model.requested",
  "limit.reached",
  "model.failed",
  "context.fitted",
  "run.settled",
]);

/** What a run does when it has an answer and no call. */
const AT_END: Types = new Set<RecordedEvent["type"]>([
  "message.delivered",
  "run.finishing",
  "run.parked",
  "result.rejected",
  "model.requested",
  "run.settled",
]);

/** What the loop does once guardrails have let something pass. */
const BEYOND_GUARD: Types = new Set<RecordedEvent["type"]>(["message.delivered", "model.requested", "run.settled"]);

/** What the loop decided next. */
export const nextDecision = (replay: Replay): LoopEvent | undefined =>
  findNext(replay, (event) => DECISIVE.has(event.type) && !(event.type === "limit.reached" && replay.state.limit));

/** What the loop did next where it had nothing more to ask and to call. */
export const nextAtEnd = (replay: Replay): LoopEvent | undefined => findNext(replay, ({ type }) => AT_END.has(type));

/** Whether a guardrail refused what the loop asks about now. */
export const refusalNext = (replay: Replay, on: "input" | "output"): { guardrail: string; reason: string } | null => {
  const next = findNext(
    replay,
    (event) => BEYOND_GUARD.has(event.type) || (event.type === "guardrail.refused" && event.on === on),
  );
  return next?.type === "guardrail.refused" ? { guardrail: next.guardrail, reason: next.reason } : null;
};
