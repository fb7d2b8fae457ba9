/** Paths for git: below the workspace, also after their links are followed, and plain, since a pathspec can say much more than a path. */
import { realpath } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { isInside } from "@retinue/runtime";
import { toAbsolutePath, toShownPath } from "../files/workspace-path.ts";

/** Relative to the workspace, for an argument after `--`. */
export const toRepositoryPath = async (workspace: string, named: string): Promise<string> => {
  const absolute = toAbsolutePath(workspace, named);
  const shown = toShownPath(workspace, absolute);
  if (named.startsWith(":"))
    throw new RetinueError("tool_failed", `"${named}" is a pathspec with magic; only plain paths and patterns are taken.`, {
      hint: 'For a file whose name begins with a colon, write "./:name".',
    });
  if (!isInside(workspace, absolute) || !isInside(workspace, await nearestRealPath(absolute)))
    throw new RetinueError("path_outside_workspace", `${shown} is outside the workspace.`);
  const relative = path.relative(workspace, absolute).replaceAll(path.sep, "/");
  if (relative.split("/").some((name) => name.toLowerCase() === ".git"))
    throw new RetinueError("tool_failed", `${shown} is a part of git's own folder.`, { hint: "Name files of the project." });
  return relative === "" ? "." : relative.startsWith(":") ? `./${relative}` : relative;
};

const nearestRealPath = async (absolute: string): Promise<string> => {
  try {
    return await realpath(absolute);
  } catch {
    const folder = path.dirname(absolute);
    return folder === absolute ? absolute : path.join(await nearestRealPath(folder), path.basename(absolute));
  }
};
