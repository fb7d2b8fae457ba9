/** Calls of the server that give a session as surfaces draw it: whole in brief, and piece by piece. */
import { type RunView, type SessionView, toRunPart, toStepsPage, toViewSnapshot } from "@retinue/client";
import { RetinueError, type RunId } from "@retinue/protocol";
import type { BackendGround, SomeCalls } from "./backend-ground.ts";
import { readFirstGlance } from "./first-glance.ts";
import type { SessionFolds } from "./session-folds.ts";
import { requireSession } from "./session-items.ts";

const MOST_STEPS = 200;
/** Reading so many events takes longer than whoever opens a session should look at nothing. */
const FAR_EVENTS = 20_000;

export type ViewGround = {
  readonly store: Pick<BackendGround["store"], "latestRoot" | "read" | "readRuns" | "readSide">;
  readonly farEvents?: number;
};

export const createViewCalls = (
  { store, farEvents = FAR_EVENTS }: ViewGround,
  { viewOf, foldAhead, isBehindBy }: SessionFolds,
): SomeCalls<"getView" | "getRunPart" | "listSteps"> => ({
  getView: async ({ params: { sessionId }, query: { first } }) => {
    const { headSeq } = await requireSession(store, sessionId);
    if (first === "true" && isBehindBy(sessionId, headSeq) > farEvents) {
      const glance = await readFirstGlance(store, { sessionId, headSeq });
      foldAhead(sessionId);
      if (glance !== undefined) return { ...toViewSnapshot(glance), isFirstGlance: true };
    }
    return { ...toViewSnapshot(await viewOf(sessionId)), isFirstGlance: false };
  },
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
