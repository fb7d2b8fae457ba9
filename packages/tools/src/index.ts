/** The hands: one file a tool. */
export { createBuiltinTools } from "./builtin-tools.ts";
export { createGlobTool } from "./glob.ts";
export type { GlobInput } from "./glob.ts";
export { createGrepTool } from "./grep.ts";
export type { GrepInput } from "./grep.ts";
export { createLsTool } from "./ls.ts";
export type { LsInput } from "./ls.ts";
export { createReadTool } from "./read.ts";
export type { ReadInput } from "./read.ts";
export { createShellTool } from "./shell.ts";
export type { ShellInput } from "./shell.ts";
export { createWriteTool } from "./write.ts";
export type { WriteInput } from "./write.ts";
