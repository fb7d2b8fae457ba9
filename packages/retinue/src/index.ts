/** Retinue as a library: `import { createRetinue, openHost } from "retinue"`. */
export { createRetinue } from "./create-retinue.ts";
export type { Retinue, RetinueOptions } from "./create-retinue.ts";
export { openHost } from "./host/open-host.ts";
export type { Host, HostOptions } from "./host/host.ts";
export type {
  AiSdkModel,
  FanOutTask,
  ForkOptions,
  GivenModel,
  ResumeRunOptions,
  RunOptions,
  SessionVerdict,
  Task,
  Workspace,
  WorkspaceOptions,
} from "./host/workspace.ts";
export { defineAgent } from "./library/define-agent.ts";
export type { Agent, AgentOptions } from "./library/define-agent.ts";
export type { GivenSkill } from "./library/given-skills.ts";
export type { GivenAgent } from "./library/given-agent.ts";
export type { MessageComplete, MessageFailure, MessageRecording, MessageStart } from "./library/message-recording.ts";
export { currentDepth } from "./library/current-depth.ts";
export { runAgentLoop } from "./library/run-agent-loop.ts";
export type { RunAgentLoopOptions } from "./library/run-agent-loop.ts";
export { toSubAgentResult } from "./library/sub-agent-definition.ts";
export type { SubAgentDefinition, SubAgentResult } from "./library/sub-agent-definition.ts";
export type { SubAgentEvent } from "./library/sub-agent-events.ts";
export { imagePart } from "./library/image-part.ts";
export type { Run, RunResultOf } from "./library/run.ts";
export type { RunText } from "./library/run-text.ts";
export type {
  ExecutePlanOptions,
  PlanExecution,
  PlanForGoalOptions,
  Planning,
  PlanRunOptions,
  Plans,
  PlanVerdict,
} from "./plans.ts";
export { parsePlanMarkdown, planToMarkdown } from "@retinue/runtime";
export type {
  OrchestratorDecision,
  OrchestratorResult,
  Plan,
  PlanStep,
  StepState,
  SubTask,
  SubTaskResult,
} from "@retinue/protocol";
export { runTestCase } from "./qa/run-test-case.ts";
export type { RunTestCaseOptions, TestCaseOptions, TestCaseResult } from "./qa/run-test-case.ts";
export { openRecord } from "./open-record.ts";
export type { RecordOptions, RetinueStore } from "./open-record.ts";
export { openServer } from "./serve/open-server.ts";
export type { OpenServer, OpenServerOptions } from "./serve/open-server.ts";
export { ApiError, createClient, createSessionView, foldSession, toCallDuration, toLimitUses } from "@retinue/client";
export type {
  ApplyOutcome,
  ApprovalView,
  CallView,
  Client,
  ClientOptions,
  LimitUse,
  RunState,
  RunView,
  SessionFeed,
  SessionStore,
  SessionView,
  SessionViewOptions,
  Spending,
  StepView,
} from "@retinue/client";
export { createMergeOrder } from "@retinue/engine";
export type {
  Approver,
  Cancel,
  DefinitionDifference,
  Engine,
  FollowOptions,
  Given,
  MergeOrder,
  ReplayVerdict,
  ResumeOptions,
  RunHandle,
  RunOutcome,
} from "@retinue/engine";
export { defineResource, defineTool, isParked } from "@retinue/runtime";
export type {
  AnyTool,
  ApprovalAnswer,
  ApprovalRequest,
  BeforeVerdict,
  HookedCall,
  Hooks,
  OpenContext,
  Parked,
  Resource,
  ResourceOptions,
  Tool,
  ToolContext,
  ToolOptions,
  ToolOutput,
  ToolScope,
  Touches,
} from "@retinue/runtime";
export { RetinueError } from "@retinue/protocol";
export type {
  ApprovalId,
  ApproveMode,
  ArtifactRef,
  AssistantPart,
  BailoutReason,
  Bill,
  CallId,
  ErrorCode,
  ErrorValue,
  EventOf,
  FileChanges,
  FinishReason,
  ForkPoint,
  Grant,
  GuardedInput,
  GuardedOutput,
  Guardrail,
  Guardrails,
  GuardrailVerdict,
  ImagePart,
  InputSource,
  Json,
  JsonObject,
  LimitName,
  Limits,
  LiveEvent,
  MergeOutcome,
  Message,
  ProposedAct,
  RecordedEvent,
  RetinueEvent,
  RunId,
  RunIdentity,
  RunResult,
  RunSpec,
  RunStatus,
  SessionId,
  TextPart,
  ToolEffect,
  ToolOutcome,
  Usage,
  UserPart,
  WaitingFor,
} from "@retinue/protocol";
export type { AgentDefinition, ParseOutput, Summarize } from "@retinue/protocol/agent-file";
export type { Model, ModelChunk, ModelRequest, TrafficTap } from "@retinue/model";
export type { OpenApproval, ReadSide } from "@retinue/store";
export type { TrustClaim } from "@retinue/confine/trust";
export type { AskUser, AskedUser } from "./host/ask-user-approver.ts";
export type { Browsers, McpServerSettings, Skill } from "@retinue/tools";
export { loadSettings } from "./settings/load-settings.ts";
export type { Settings } from "./settings/settings.ts";
