/** Says plainly when a path that has to be a folder is none. */
import { stat } from "node:fs/promises";
import { RetinueError } from "@retinue/protocol";
import { toToolError } from "./system-error.ts";

export const requireFolder = async (absolute: string, shown: string): Promise<void> => {
  const stats = await stat(absolute).catch((thrown: unknown) => {
    throw toToolError(thrown, shown);
  });
  if (!stats.isDirectory()) throw new RetinueError("tool_failed", `${shown} is no folder.`, { hint: "Name a folder as path." });
};
