/**
 * Whether a repository belongs to the workspace. A repository can be planted that takes its files or its history from elsewhere
 * (`core.worktree`, a `.git` file, `commondir`); only one that is the workspace's own, or that the workspace lies in, is worked on.
 */
import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { isInside } from "@retinue/runtime";

export type RepositoryPlace = {
  /** Absolute and real. */
  readonly workspace: string;
  /** The folder that the repository's files are in. */
  readonly top: string;
  readonly gitFolder: string;
  /** Where linked work trees have what they share; otherwise the same. */
  readonly commonFolder: string;
  /** `core.worktree` of the git folder's own configuration. */
  readonly readNamedTop: () => Promise<string | undefined>;
};

/** True when the repository reaches beyond the workspace, so that every command has to be kept inside. Throws when it is not to be used. */
export const isLargerRepository = async (place: RepositoryPlace): Promise<boolean> => {
  const { workspace } = place;
  const top = await realpath(place.top);
  const gitFolder = await realpath(place.gitFolder);
  const commonFolder = await realpath(place.commonFolder);
  if (top === workspace) {
    const own = isInside(workspace, gitFolder);
    if (own && !isInside(workspace, commonFolder)) throw foreign(`its .git takes its history from ${commonFolder}`);
    if (!own && !(await pointsBack(gitFolder, top, place.readNamedTop))) throw foreign(`.git leads to ${gitFolder}`);
    return false;
  }
  if (!isInside(top, workspace)) throw foreign(`its files are in ${top}`);
  // What lies in the workspace may have been written by an agent; it has no say over folders above.
  if (isInside(workspace, gitFolder) || isInside(workspace, commonFolder)) throw foreign(`it claims the files of ${top}`);
  if (gitFolder !== path.join(top, ".git") && !(await pointsBack(gitFolder, top, place.readNamedTop)))
    throw foreign(`.git of ${top} leads to ${gitFolder}`);
  return true;
};

/** A linked work tree or a submodule is known to the repository that it belongs to. */
const pointsBack = async (gitFolder: string, top: string, readNamedTop: RepositoryPlace["readNamedTop"]): Promise<boolean> => {
  const back = await readFile(path.join(gitFolder, "gitdir"), "utf8").catch(() => undefined);
  if (back !== undefined) return isSame(path.resolve(gitFolder, back.trim()), path.join(top, ".git"));
  const namedTop = await readNamedTop();
  return namedTop !== undefined && isSame(path.resolve(gitFolder, namedTop), top);
};

const isSame = async (a: string, b: string): Promise<boolean> => {
  const [first, second] = await Promise.all([a, b].map((file) => realpath(file).catch(() => undefined)));
  return first !== undefined && first === second;
};

const foreign = (why: string): RetinueError =>
  new RetinueError("path_outside_workspace", `The repository here is not the workspace's own: ${why}.`, {
    hint: "Work in the folder that the repository belongs to.",
  });
