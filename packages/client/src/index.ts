/** The way in: typed calls of the server, feeds that survive breaks, and the one reducer that surfaces draw from. Runs in a browser and in Node. */
export { describeDrop, judgeAnswer, SETTLING_MS, TYPING_MS } from "./answering/judge-answer.ts";
export type { AnswerMoment, AnswerRuling, DropReason } from "./answering/judge-answer.ts";
export { hasConversation } from "./apply-transfer.ts";
export { toCallDuration } from "./call-duration.ts";
export { createSessionView } from "./create-session-view.ts";
export type { ApplyOutcome, LoadOutcome, SessionStore, SessionViewOptions } from "./create-session-view.ts";
export { foldSession } from "./fold-session.ts";
export { toLimitUses } from "./limit-uses.ts";
export type { LimitUse } from "./limit-uses.ts";
export { toMessageState } from "./message-state.ts";
export type { MessageState } from "./message-state.ts";
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
  StepRange,
  StepView,
  TodoItem,
  TransferView,
  WorktreeView,
} from "./session-view.ts";
export { SNAPSHOT_SIZE, toRunPart, toStepsPage, toViewSnapshot } from "./snapshot/to-snapshot.ts";
export type { SnapshotSize } from "./snapshot/to-snapshot.ts";
export type { RunPart, StepsPage, ViewSnapshot } from "./snapshot/view-snapshot.ts";
export { toTaskLine } from "./task-line.ts";
export { ApiError } from "./network/api-error.ts";
export { createClient } from "./network/create-client.ts";
export type { Call, CallOptions, Client, ClientCall, ClientOptions } from "./network/create-client.ts";
export type { AllFeed, AllFeedOptions, ApprovalItem, SessionItem } from "./network/follow-all.ts";
export type { SessionFeed, SessionFeedOptions } from "./network/follow-session.ts";
export type { FeedState, ReconnectWaits, SocketLike } from "./network/reconnecting-socket.ts";
