/** The one place that knows what every event means for the view. */
import type { LiveEvent, RecordedEvent } from "@retinue/protocol";
import {
  applyApprovalAnswered,
  applyApprovalRequested,
  applyProgress,
  applyToolSettled,
  applyToolStarted,
} from "./apply-call.ts";
import { applyPlan } from "./apply-plan.ts";
import { applyCancel, applyDelivered, applyReceived, applyWithdrawn } from "./apply-input.ts";
import { applyFitted, applyLimit, applyParked, applyRequested, applySettled, applyStarted, applyWorktree } from "./apply-run.ts";
import { applyAnswered, applyAsked, applyDelta, applyFailed, applyRetrying } from "./apply-turn.ts";
import type { RunCell, SessionCell } from "./run-cell.ts";

export const applyRecorded = (session: SessionCell, cell: RunCell, event: RecordedEvent): void => {
  switch (event.type) {
    case "run.requested":
      return applyRequested(session, cell, event);
    case "run.started":
      return applyStarted(cell, event);
    case "run.parked":
      return applyParked(cell, event);
    case "run.finishing":
      cell.view.isFinishing = true;
      return;
    case "run.settled":
      return applySettled(session, cell, event);
    case "model.requested":
      return applyAsked(cell, event);
    case "model.answered":
      return applyAnswered(session, cell, event);
    case "model.failed":
      return applyFailed(cell, event);
    case "approval.requested":
      return applyApprovalRequested(session, cell, event);
    case "approval.answered":
      return applyApprovalAnswered(session, event);
    case "tool.started":
      return applyToolStarted(cell, event);
    case "tool.settled":
      return applyToolSettled(session, cell, event);
    case "message.received":
      return applyReceived(cell, event);
    case "message.withdrawn":
      return applyWithdrawn(cell, event);
    case "turn.queued":
    case "turn.withdrawn":
      // Whoever shows the queue asks for it: most of it is of other runs.
      return;
    case "message.delivered":
      return applyDelivered(cell, event);
    case "cancel.requested":
      return applyCancel(cell, event);
    case "context.fitted":
      return applyFitted(session, cell, event);
    case "limit.reached":
      return applyLimit(cell, event);
    case "worktree.made":
    case "worktree.refused":
    case "worktree.merging":
    case "worktree.merged":
      return applyWorktree(cell, event);
    case "plan.made":
    case "plan.step":
    case "plan.decided":
    case "plan.settled":
      return applyPlan(cell, event);
    // They stand in the log of the run; what follows from them comes with what the run does next.
    case "result.rejected":
    case "guardrail.refused":
      return;
    default:
      event satisfies never;
  }
};

/** False where nothing follows from it. */
export const applyLive = (cell: RunCell, event: LiveEvent): boolean => {
  switch (event.type) {
    case "model.delta":
      return applyDelta(cell, event);
    case "model.retrying":
      return applyRetrying(cell, event);
    case "tool.progress":
      return applyProgress(cell, event);
    default:
      event satisfies never;
      return false;
  }
};
