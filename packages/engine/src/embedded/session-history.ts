/** What a new run of a session, or one that leaves another session, goes on from. */
import type { ForkPoint, Message, RecordedEvent, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { RunState } from "@retinue/runtime";
import { fold, settledMessages } from "@retinue/runtime";

/** The conversation of a run as it was after an event. */
export const historyAt = (events: readonly RecordedEvent[], { sessionId, runId, seq }: ForkPoint): readonly Message[] => {
  const state = fold(events.filter((event) => event.seq <= seq)).get(runId);
  if (!state) throw new RetinueError("run_unknown", `There is no run ${runId} in ${sessionId} at event ${seq}.`);
  return settledMessages(state);
};

export const latestRoot = (events: readonly RecordedEvent[], sessionId: SessionId): RunState => {
  const root = events.findLast((event) => event.type === "run.requested" && event.depth === 0);
  const state = root && fold(events).get(root.runId);
  if (!state) throw new RetinueError("session_unknown", `There is no session ${sessionId}.`);
  return state;
};
