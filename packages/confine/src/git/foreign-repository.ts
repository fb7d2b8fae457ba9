/** Why a repository is not worked on: it is not the workspace's own. */
import { RetinueError } from "@retinue/protocol";

export const foreignRepository = (why: string): RetinueError =>
  new RetinueError("path_outside_workspace", `The repository here is not the workspace's own: ${why}.`, {
    hint: "Work in the folder that the repository belongs to.",
  });
