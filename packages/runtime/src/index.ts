/** The library room: what an agent run is made of. */
export { defineResource, isUnclosedWarning, toUnclosedWarning } from "./loop/resource.ts";
export type { AnyResource, OpenContext, Resource, ResourceOptions, Resources } from "./loop/resource.ts";
export { mendArguments } from "./loop/arguments/mend-arguments.ts";
export { defineTool, toDeclaration, toShownSchema } from "./loop/tool.ts";
export type { AnyTool, Tool, ToolContext, ToolOptions, ToolOutput, ToolScope, Touches } from "./loop/tool.ts";
export type { AcceptPorts, ApprovalAnswer, ApprovalRequest, Clock, Emit, GuardPorts, GuardRefusal, Ports } from "./loop/ports.ts";
export type { Look, Looked } from "./loop/look-request.ts";
export { askAside } from "./loop/ask-aside.ts";
export { executeCall } from "./loop/call.ts";
export { waitOutage } from "./loop/outage.ts";
export type { Outage, OutageDecision } from "./loop/outage.ts";
export { isParked, LeftOpen, Parked } from "./loop/parked.ts";
export type { Driven } from "./loop/parked.ts";
export { createStopwatch } from "./limits/stopwatch.ts";
export { hasReachableCalls, withReachableCalls } from "./limits/reachable-calls.ts";
export type { Stopwatch } from "./limits/stopwatch.ts";
export { estimateMessage } from "./context/estimate.ts";
export { neutralise, toHandedText } from "./context/neutralise.ts";
export type { CallContext } from "./loop/tool.ts";
export { readPlainCommands } from "./policy/shell-words.ts";
export { addUsage, apply, createState, fold, settledMessages } from "./record/fold.ts";
export type { RunState } from "./record/run-state.ts";
export { driveRun, runLoop } from "./loop/loop.ts";
export type { LoopOptions } from "./loop/loop.ts";
export { createJudge, isInScope, isInside, judge } from "./policy/judge.ts";
export { createPathMatcher, isPathGlob } from "./policy/globs/path-globs.ts";
export type { PathMatcherOptions } from "./policy/globs/path-globs.ts";
export { MAX_ALTERNATIVES, readGlob, toAlternatives } from "./policy/globs/read-glob.ts";
export type { GlobOptions, PathMatcher } from "./policy/globs/read-glob.ts";
export { reachesHost } from "./policy/host-pattern.ts";
export { describeRule, judgeRules } from "./policy/rules/judge-rules.ts";
export { createReadCheck } from "./policy/rules/may-read.ts";
export type { RuledCall, RuleVerdict } from "./policy/rules/judge-rules.ts";
export { requireTools } from "./delegation/require-tools.ts";
export { openWorkingDirectory, withFilesIn } from "./delegation/working-directory.ts";
export { createSpec, stricter } from "./delegation/spec.ts";
export type { SpecOptions } from "./delegation/spec.ts";
export { narrowRecorded } from "./delegation/narrow-recorded.ts";
export type { GrantedNow } from "./delegation/narrow-recorded.ts";
export { toResult } from "./loop/to-result.ts";
export type { Ending } from "./loop/to-result.ts";
export { createManualClock } from "./limits/manual-clock.ts";
export type { ManualClock } from "./limits/manual-clock.ts";
export type { Answered } from "./loop/answered.ts";
export type { Judged, Judgement, JudgeOptions, PreapprovingSkills, SandboxObstacle } from "./policy/judge.ts";
export {
  mayHoldRoles,
  namesRoles,
  BOUND,
  PROTECTED_GLOBS,
  PROTECTED_KINDS,
  SECRET_GLOBS,
  findUnportable,
  protectionOf,
} from "./policy/protected-paths.ts";
export { DEFINING_PLACES, placesOf } from "./policy/defining-places.ts";
export type { DefiningKind, DefiningPlace } from "./policy/defining-places.ts";
export type { Protection } from "./policy/protected-paths.ts";
export { classifyCommand } from "./policy/shell-command.ts";
export { windowFor } from "./context/context-limit.ts";
export { isArtifactPath, readArtifactPath } from "./context/artifact-path.ts";
export type { Artifacts } from "./context/artifacts.ts";
export { MAIL_CODE_REFERENCE, SECRET_REFERENCE, secretNamesIn, TOTP_REFERENCE, totpNamesIn } from "./policy/secret-names.ts";
export { hashAct, isAlikeAllowed, likenessOf } from "./policy/approvals.ts";
export { grantIn, isNarrowed, narrow, stricterMode, withinBoth } from "./policy/grant.ts";
export type { DefinedRights, RequestedRights, Rights } from "./policy/grant.ts";
export { createPurse, leftIn } from "./limits/purse.ts";
export type { Amounts, Purse, PurseAxis, Spending } from "./limits/purse.ts";
export { createRunPurse, spentBy } from "./limits/allowance.ts";
export { createDelegationTools } from "./delegation/delegation.ts";
export type { ChildRun, DelegationOptions, InBackground } from "./delegation/delegation-request.ts";
export { parsePlanMarkdown, planToMarkdown } from "./plan/plan-markdown.ts";
export { toPlanGraph } from "./plan/plan-graph.ts";
export type { PlanGraph } from "./plan/plan-graph.ts";
export { ORCHESTRATOR } from "./plan/orchestrator.ts";
export { createPlanTools, EXECUTE_PLAN, PLAN_DEFAULTS, PLAN_FOR_GOAL, PLAN_TEST_CASE } from "./plan/plan-tools.ts";
export type { PlanSettings, SpawnedForPlan } from "./plan/plan-tools.ts";
export { toPlan } from "./plan/replies.ts";
export { DELEGATE } from "./delegation/delegate-tool-name.ts";
export { shorten as shortenDescription } from "./delegation/agent-catalogue.ts";
export { findByWords } from "./delegation/find-by-words.ts";
export { findAgentNamed } from "./delegation/agent-name.ts";
export { handBack } from "./delegation/hand-back.ts";
export { createReport, toReport } from "./delegation/report.ts";
export { bareToolName, OTHER_TOOL_NAMES, OUR_TOOL_NAMES, resolveToolName, TOOL_NAMES } from "./policy/tool-names.ts";
export type { ToolName } from "./policy/tool-names.ts";
export { namesTool } from "./policy/tool-spellings.ts";
export { toWireName } from "./loop/wire-name.ts";
export { toFileVersion, worktreeRef } from "./delegation/worktrees.ts";
export type { KeptWork, MergePlan, RunWorktree, WorktreePlace, Worktrees } from "./delegation/worktrees.ts";
export { summariseMessages } from "./context/fit-context.ts";
export type { Spent } from "./loop/tool.ts";
export type { Model, ModelChunk, ModelRequest } from "@retinue/model/contract";
export { createCleaner, redactDeep } from "./record/redactor.ts";
export type { Redactor, TextStream } from "./record/redactor.ts";
export { LOAD_SKILL, toSkillHead } from "./policy/skill-head.ts";
export { combineHooks, toHookText } from "./loop/hooks.ts";
export type { BeforeVerdict, HookedCall, HookedEnd, Hooks } from "./loop/hooks.ts";
export { fromJsonSchema, refuseSlowPatterns } from "./schema/json-schema.ts";
