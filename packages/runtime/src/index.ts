/** The library room: what an agent run is made of. */
export { defineTool, toDeclaration } from "./tool.ts";
export type { AnyTool, Tool, ToolContext, ToolOptions, ToolOutput, Touches } from "./tool.ts";
export type { ApprovalAnswer, ApprovalRequest, Clock, Emit, Ports } from "./ports.ts";
export { apply, createState, fold } from "./fold.ts";
export type { RunState } from "./run-state.ts";
export { runLoop } from "./loop.ts";
export type { LoopOptions } from "./loop.ts";
export { isInside } from "./judge.ts";
export { createSpec, stricter } from "./spec.ts";
export type { SpecOptions } from "./spec.ts";
export { toResult } from "./to-result.ts";
export type { Ending } from "./to-result.ts";
export { createManualClock } from "./manual-clock.ts";
export type { ManualClock } from "./manual-clock.ts";
export type { Answered } from "./answered.ts";
export type { Judged, Judgement } from "./judge.ts";
export { windowFor } from "./context-limit.ts";
export type { Artifacts } from "./artifacts.ts";
