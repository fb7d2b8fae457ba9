/** Who has the conversation: a run that hands it over by a call, the run that goes on in its place, and how it comes back where that one does not answer. */
import { asksForTransfer, type EventOf, type RunId } from "@retinue/protocol";
import type { CallView, RunView } from "./session-view.ts";
import type { RunCell } from "./run-cell.ts";

/** Called where a call has started and where a run becomes its body, whichever is told of first. */
export const beginTransfer = ({ view }: RunCell, call: CallView): void => {
  if (call.state !== "running" || call.input === undefined || !asksForTransfer(call.input)) return;
  const heir = call.children.at(-1);
  if (heir === undefined) return;
  view.transferredTo = {
    callId: call.callId,
    runId: heir.runId,
    agent: heir.agent,
    at: heir.requestedAt ?? call.startedAt ?? "",
    hasAnswered: false,
  };
};

export const endTransfer = ({ view }: RunCell, { callId, outcome, transferred, at }: EventOf<"tool.settled">): void => {
  const begun = view.transferredTo?.callId === callId ? view.transferredTo : null;
  if (outcome === "ok" && transferred !== undefined) {
    const { runId, agent } = transferred;
    view.transferredTo = { ...(begun ?? { callId, runId, agent, at }), hasAnswered: true };
  } else if (begun !== null) view.transferredTo = null;
};

/** Whether what a run says is said in the conversation: it began it, or was handed it, and has not handed it on. */
export const hasConversation = (run: RunView, runs: ReadonlyMap<RunId, RunView>): boolean => {
  if (run.transferredTo !== null) return false;
  let heir = run;
  while (heir.parentRunId !== null) {
    const parent = runs.get(heir.parentRunId);
    if (parent?.transferredTo?.runId !== heir.runId || parent.depth >= heir.depth) return false;
    heir = parent;
  }
  return true;
};
