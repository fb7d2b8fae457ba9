/** What waits in this process for the questions of runs to expire. */
import type { ApprovalId, RunId } from "@retinue/protocol";
import type { Ground } from "./ground.ts";

/** Nobody waits any more for a question of a run to expire; without one, for none of the run's. */
export const forgetExpiries = ({ expiries }: Pick<Ground, "expiries">, runId: RunId, approvalId?: ApprovalId): void => {
  const ofRun = expiries.get(runId);
  if (!ofRun) return;
  for (const [id, takeBack] of ofRun)
    if (approvalId === undefined || id === approvalId) {
      takeBack();
      ofRun.delete(id);
    }
  if (ofRun.size === 0) expiries.delete(runId);
};
