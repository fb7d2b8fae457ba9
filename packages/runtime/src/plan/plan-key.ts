/** What tells one event of a plan from the others of the same run. */
import type { PlanBody } from "@retinue/protocol";

export const planKey = (body: PlanBody): string => {
  switch (body.type) {
    case "plan.made":
    case "plan.settled":
      return `${body.type} ${body.callId}`;
    case "plan.step":
      return `${body.type} ${body.callId} ${body.stepId} ${body.attempt} ${body.state}`;
    case "plan.decided":
      return `${body.type} ${body.callId} ${body.stepId} ${body.attempt}`;
    default:
      return body satisfies never;
  }
};
