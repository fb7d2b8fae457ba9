/** The library room: what an agent run is made of. */
export { defineTool, toDeclaration } from "./tool.ts";
export type { AnyTool, Tool, ToolContext, ToolOptions, ToolOutput, Touches } from "./tool.ts";
export type { ApprovalAnswer, ApprovalRequest, Artifacts, Clock, Emit, Ports } from "./ports.ts";
