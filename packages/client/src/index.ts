/** What surfaces need to draw a session. Runs in a browser and in Node. */
export { toCallDuration } from "./call-duration.ts";
export { createSessionView } from "./create-session-view.ts";
export type { ApplyOutcome, SessionStore, SessionViewOptions } from "./create-session-view.ts";
export { foldSession } from "./fold-session.ts";
export { toLimitUses } from "./limit-uses.ts";
export type { LimitUse } from "./limit-uses.ts";
export type {
  ApprovalView,
  CallView,
  CancelView,
  ErrorView,
  LimitReached,
  MessageView,
  PlanStepView,
  PlanView,
  RunState,
  RunView,
  SequenceGap,
  SessionView,
  Spending,
  StepView,
  TodoItem,
  WorktreeView,
} from "./session-view.ts";
