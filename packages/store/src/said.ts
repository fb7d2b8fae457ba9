/** What of an event the full-text search looks through. */
import type { RecordedEvent } from "@retinue/protocol";
import { toText } from "./project.ts";

/** Empty where nothing was said. */
export const toSaid = (event: RecordedEvent): string => {
  switch (event.type) {
    case "run.requested":
      return toText(event.task);
    case "message.received":
      return toText(event.content);
    case "model.answered":
      return event.content.map((part) => (part.type === "tool-call" ? `${part.tool} ${part.arguments}` : part.text)).join("\n");
    case "model.failed":
      return event.error.message;
    case "approval.answered":
      return event.text ?? event.reason ?? "";
    case "cancel.requested":
      return event.reason ?? "";
    case "tool.settled":
      return event.error === undefined ? toText(event.content) : `${toText(event.content)}\n${event.error.message}`;
    case "result.rejected":
    case "guardrail.refused":
    case "plan.decided":
      return event.reason;
    case "plan.made":
      return [event.plan.goal, ...event.plan.steps.map(({ description }) => description)].join("\n");
    case "plan.step":
      return event.summary ?? "";
    case "plan.settled":
      return event.summary;
    case "worktree.refused":
      return event.error.message;
    case "context.fitted":
      return event.summary?.text ?? "";
    case "run.settled":
      return event.result.error === undefined ? event.result.summary : `${event.result.summary}\n${event.result.error.message}`;
    case "run.started":
    case "run.parked":
    case "run.finishing":
    case "message.withdrawn":
    case "turn.queued":
    case "turn.withdrawn":
    case "message.delivered":
    case "model.requested":
    case "approval.requested":
    case "tool.started":
    case "limit.reached":
    case "worktree.made":
    case "worktree.merging":
    case "worktree.merged":
      return "";
    default:
      return event satisfies never;
  }
};
