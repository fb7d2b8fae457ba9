/** To which kind of row an event belongs. */
import type { RecordedEvent } from "@retinue/protocol";
import type { RequestType } from "./message-row.ts";

/** Undefined where the row is the run's own. */
export const toRequestType = (event: RecordedEvent): RequestType | undefined => {
  switch (event.type) {
    case "run.requested":
    case "run.started":
    case "run.settled":
    case "cancel.requested":
    case "run.parked":
    case "run.finishing":
    case "message.withdrawn":
    case "turn.queued":
    case "turn.withdrawn":
    case "message.delivered":
    case "limit.reached":
    case "result.rejected":
    case "guardrail.refused":
    case "worktree.made":
    case "worktree.refused":
    case "worktree.merging":
    case "worktree.merged":
    case "plan.made":
    case "plan.step":
    case "plan.decided":
    case "plan.settled":
      return undefined;
    case "message.received":
      return "prompt";
    case "model.requested":
    case "model.answered":
    case "model.failed":
    case "context.fitted":
      return "continuation";
    case "approval.requested":
    case "approval.answered":
    case "tool.started":
    case "tool.settled":
      return "tool_call";
    default:
      return event satisfies never;
  }
};
