/** Calls of the server that give a session as surfaces draw it: whole in brief, and piece by piece. */
import { type RunView, type SessionView, toRunPart, toStepsPage, toViewSnapshot } from "@retinue/client";
import { RetinueError, type RunId } from "@retinue/protocol";
import type { SomeCalls } from "./backend-ground.ts";
import type { SessionFolds } from "./session-folds.ts";

const MOST_STEPS = 200;

export const createViewCalls = ({ viewOf }: Pick<SessionFolds, "viewOf">): SomeCalls<"getView" | "getRunPart" | "listSteps"> => ({
  getView: async ({ params: { sessionId } }) => toViewSnapshot(await viewOf(sessionId)),
  getRunPart: async ({ params: { sessionId, runId }, query: { atLeast } }) => {
    const view = await viewOf(sessionId, atLeast);
    return toRunPart(view, requireRun(view, runId));
  },
  listSteps: async ({ params: { sessionId, runId }, query: { from, to, atLeast } }) => {
    const view = await viewOf(sessionId, atLeast);
    return toStepsPage(view, requireRun(view, runId), { from, to: Math.min(to, from + MOST_STEPS) });
  },
});

/** Throws `run_unknown`. */
const requireRun = (view: SessionView, runId: RunId): RunView => {
  const run = view.runs.get(runId);
  if (run === undefined) throw new RetinueError("run_unknown", `${view.sessionId} has no run ${runId}.`);
  return run;
};
