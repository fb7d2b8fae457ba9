/** What git says when it fails, as a model reads it. */
import { RetinueError } from "@retinue/protocol";
import type { GitEnd } from "./git-process.ts";

export const toFailure = ({ exitCode, errors, output }: GitEnd): RetinueError =>
  new RetinueError(
    "tool_failed",
    `git failed (${exitCode ?? "ended by a signal"}): ${errors || output.trim() || "it said nothing."}`,
  );
