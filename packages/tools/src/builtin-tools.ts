/** The tools that every installation has. */
import type { AnyTool } from "@retinue/runtime";
import { createGlobTool } from "./glob.ts";
import { createGrepTool } from "./grep.ts";
import { createLsTool } from "./ls.ts";
import { createReadTool } from "./read.ts";
import { createShellTool } from "./shell.ts";
import { createWriteTool } from "./write.ts";

export const createBuiltinTools = (): AnyTool[] => [
  createReadTool(),
  createLsTool(),
  createGlobTool(),
  createGrepTool(),
  createWriteTool(),
  createShellTool(),
];
