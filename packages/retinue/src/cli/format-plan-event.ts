/** One line for each thing that happens to a plan. */
import type { PlanBody } from "@retinue/protocol";

export const formatPlanEvent = (event: PlanBody): string => {
  switch (event.type) {
    case "plan.made":
      return `planned ${event.plan.steps.length} ${event.plan.steps.length === 1 ? "step" : "steps"}: ${event.plan.goal}`;
    case "plan.step":
      return `step ${event.stepId} ${STATES[event.state]}${event.attempt > 1 ? `, attempt ${event.attempt}` : ""}${event.summary === undefined ? "" : `: ${event.summary}`}`;
    case "plan.decided":
      return `step ${event.stepId} failed, decides to ${event.decision}: ${event.reason}`;
    case "plan.settled":
      return `plan ${event.status === "pass" ? "PASSED" : "FAILED"}: ${event.summary}`;
    default:
      return event satisfies never;
  }
};

const STATES = {
  pending: "waits",
  in_progress: "begins",
  completed: "is completed",
  failed: "failed",
  skipped: "is skipped",
  blocked: "is blocked",
} as const;
