/** A path as a model writes it, as the index knows it. */
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { isInside } from "@retinue/runtime";
import { toAbsolutePath, toShownPath } from "@retinue/confine";

/** Undefined for the whole workspace. */
export const toIndexPath = (workspace: string, named: string | undefined): string | undefined => {
  if (named === undefined) return undefined;
  const absolute = toAbsolutePath(workspace, named);
  if (!isInside(workspace, absolute))
    throw new RetinueError("path_outside_workspace", `${toShownPath(workspace, absolute)} is outside the workspace.`);
  const relative = path.relative(workspace, absolute).replaceAll(path.sep, "/");
  return relative === "" ? undefined : relative;
};
