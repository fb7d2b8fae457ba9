/** Between paths as a model writes them and as it reads them: relative to the workspace, with forward slashes. */
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { isArtifactPath, isInside } from "@retinue/runtime";

/** Where a path that a model wrote leads, links not followed. A name that begins like an artifact is never a file. */
export const toAbsolutePath = (workspace: string, named: string): string => {
  if (named.includes("\0")) throw new RetinueError("tool_failed", "A path may not contain a NUL character.");
  if (isArtifactPath(named))
    throw new RetinueError("tool_failed", `"${named}" is not a file.`, {
      hint: "Artifacts can be read with read and searched with grep.",
    });
  return path.resolve(workspace, named);
};

/** The path as a model reads it. What lies outside the workspace stays absolute. */
export const toShownPath = (workspace: string, absolute: string): string => {
  const relative = path.relative(workspace, absolute);
  if (relative === "") return ".";
  return escapeName((isInside(workspace, absolute) ? relative : absolute).replaceAll(path.sep, "/"));
};

/** Names may hold line breaks, direction marks and other invisible characters; in what a tool says they stand escaped. */
export const escapeName = (name: string): string =>
  name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
