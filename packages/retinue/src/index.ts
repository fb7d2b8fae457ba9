/** Retinue as a library: `import { createRetinue, openHost } from "retinue"`. */
export { createRetinue } from "./create-retinue.ts";
export type { Retinue, RetinueOptions } from "./create-retinue.ts";
export { openHost } from "./host/open-host.ts";
export type { Host, HostOptions } from "./host/host.ts";
export type { FanOutTask, ForkOptions, ResumeRunOptions, RunOptions, Workspace, WorkspaceOptions } from "./host/workspace.ts";
export type { ExecutePlanOptions, PlanExecution, PlanForGoalOptions, Planning, PlanVerdict } from "./plans.ts";
export { parsePlanMarkdown, planToMarkdown } from "@retinue/runtime";
export type { Plan, PlanStep, StepState } from "@retinue/protocol";
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
export type { MergeOrder, RunHandle } from "@retinue/engine";
export { defineResource, defineTool } from "@retinue/runtime";
export type {
  AnyTool,
  OpenContext,
  Resource,
  ResourceOptions,
  Tool,
  ToolContext,
  ToolOptions,
  ToolOutput,
} from "@retinue/runtime";
export { RetinueError } from "@retinue/protocol";
export type { ErrorCode, ErrorValue, Limits, RecordedEvent, RetinueEvent, RunResult, RunStatus, Usage } from "@retinue/protocol";
export type { Model } from "@retinue/model";
export { loadSettings } from "./settings/load-settings.ts";
export type { Settings } from "./settings/settings.ts";
