/** What a new run of a session, or one that leaves another session, goes on from. */
import type { ForkPoint, Message, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { RunState } from "@retinue/runtime";
import { fold, settledMessages } from "@retinue/runtime";

/** The conversation of a run as it was after an event. */
export const historyAt = (events: readonly RecordedEvent[], { sessionId, runId, seq }: ForkPoint): readonly Message[] => {
  const state = fold(events.filter((event) => event.seq <= seq)).get(runId);
  if (!state) throw new RetinueError("run_unknown", `There is no run ${runId} in ${sessionId} at event ${seq}.`);
  return settledMessages(state);
};

export type LatestConversation = {
  /** The last main run. */
  readonly root: RunState;
  /** Whose conversation goes on: that of the main run, or of the run that it was handed to. */
  readonly holder: RunState;
  /** Who handed it over; null where nobody did. */
  readonly from: RunState | null;
};

export const latestConversation = (events: readonly RecordedEvent[], sessionId: SessionId): LatestConversation => {
  const requested = events.findLast((event) => event.type === "run.requested" && event.depth === 0);
  const states = fold(events);
  const root = requested && states.get(requested.runId);
  if (!root) throw new RetinueError("session_unknown", `There is no session ${sessionId}.`);
  const holder = root.transferredTo === null ? root : (states.get(root.transferredTo.runId) ?? root);
  return { root, holder, from: handedOverBy(events, states, holder) };
};

/** A conversation that was handed over stays where it is, turn by turn, until another agent is asked for. */
const handedOverBy = (
  events: readonly RecordedEvent[],
  states: ReadonlyMap<RunId, RunState>,
  holder: RunState,
): RunState | null => {
  const continues = new Map(
    events.flatMap((event) => (event.type === "run.requested" ? [[event.runId, event.continues] as const] : [])),
  );
  const { agent } = holder.identity;
  for (let run: RunState | undefined = holder; run && run.identity.agent === agent;) {
    const { runId, parentRunId } = run.identity;
    if (parentRunId !== null) return states.get(parentRunId) ?? null;
    const before: RunId | undefined = continues.get(runId);
    run = before === undefined ? undefined : states.get(before);
  }
  return null;
};
