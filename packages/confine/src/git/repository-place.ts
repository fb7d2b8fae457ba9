/**
 * Whether a repository belongs to the workspace. A repository can be planted that takes its files or its history from elsewhere
 * (`core.worktree`, a `.git` file, `commondir`); only one that is the workspace's own, or that the workspace lies in, is worked on.
 */
import { lstat, realpath } from "node:fs/promises";
import path from "node:path";
import { isInside } from "@retinue/runtime";
import { readPlainText } from "../files/read-plain-file.ts";
import type { FoundRepository } from "./find-repository.ts";
import { foreignRepository } from "./foreign-repository.ts";

export type RepositoryPlace = Pick<FoundRepository, "top" | "gitFolder" | "commonFolder"> & {
  /** Absolute and real. */
  readonly workspace: string;
  /** `core.worktree` of the git folder's own configuration. */
  readonly readNamedTop: () => Promise<string | undefined>;
};

/** Throws when the repository is not the workspace's own and the workspace is no part of it. */
export const requireOwnRepository = async (place: RepositoryPlace): Promise<void> => {
  const { workspace, top, gitFolder, commonFolder } = place;
  if (top === workspace) {
    const own = isInside(workspace, gitFolder);
    if (own && !isInside(workspace, commonFolder)) throw foreignRepository(`its .git takes its history from ${commonFolder}`);
    if (!own && !(await pointsBack(place))) throw foreignRepository(`.git leads to ${gitFolder}`);
    return;
  }
  // What lies in the workspace may have been written by an agent; it has no say over folders above.
  if (isInside(workspace, gitFolder) || isInside(workspace, commonFolder))
    throw foreignRepository(`it claims the files of ${top}`);
  if (gitFolder !== path.join(top, ".git") && !(await pointsBack(place)))
    throw foreignRepository(`.git of ${top} leads to ${gitFolder}`);
  if (gitFolder === path.join(top, ".git") && commonFolder !== gitFolder)
    throw foreignRepository(`its .git takes its history from ${commonFolder}`);
};

const MOST_BYTES = 10_000;

/** A linked work tree or a submodule is known to the repository that it belongs to. */
const pointsBack = async ({ gitFolder, commonFolder, top, readNamedTop }: RepositoryPlace): Promise<boolean> => {
  const file = path.join(gitFolder, "gitdir");
  const stats = await lstat(file).catch(() => undefined);
  if (stats !== undefined) {
    if (!stats.isFile() || !isInside(path.join(commonFolder, "worktrees"), gitFolder)) return false;
    return isSame(path.resolve(gitFolder, (await readPlainText(file, MOST_BYTES)).trim()), path.join(top, ".git"));
  }
  const namedTop = commonFolder === gitFolder ? await readNamedTop() : undefined;
  return namedTop !== undefined && isSame(path.resolve(gitFolder, namedTop), top);
};

const isSame = async (a: string, b: string): Promise<boolean> => {
  const [first, second] = await Promise.all([a, b].map((file) => realpath(file).catch(() => undefined)));
  return first !== undefined && first === second;
};
