/** Schemas of events and inputs: `@retinue/protocol/schemas`. The types alone are in `@retinue/protocol`, which loads no zod. */
export { EVENT_SCHEMAS, EVENT_VERSION, RECORDED_SCHEMAS } from "./event-schemas.ts";
export { envelopeFields } from "./envelope.ts";
export { INPUT_SCHEMAS } from "./input-events.ts";
export { LIVE_SCHEMAS } from "./live-events.ts";
export { grantSchema, limitsSchema } from "./limits.ts";
export {
  evaluateReplySchema,
  givenPlanSchema,
  orchestratorDecisionSchema,
  orchestratorResultSchema,
  planReplySchema,
  planSchema,
  stateReplySchema,
  subTaskResultSchema,
  subTaskSchema,
  subTasksReplySchema,
  verdictReplySchema,
} from "./plan.ts";
export { proposedActSchema } from "./proposed-act.ts";
export type { ReadEventOptions } from "./read-event.ts";
export { readEvent, readInput } from "./read-event.ts";
export { runResultSchema } from "./result.ts";
export { runSpecSchema } from "./run-spec.ts";
