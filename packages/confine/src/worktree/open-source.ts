/** The repository that worktrees are made from: found, checked to be one of which worktrees can be made, and listed as its files stand. */
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { GitOptions, Repository } from "../git/repository.ts";
import { openRepository } from "../git/repository.ts";
import type { OwnGit } from "./own-git.ts";
import { createOwnGit, splitNul } from "./own-git.ts";

export type Source = {
  readonly repository: Repository;
  readonly git: OwnGit;
  /** The top of the repository's files. */
  readonly top: string;
  /** From the top to the workspace, with a slash at its end; empty where they are the same. */
  readonly prefix: string;
  readonly isSecret: Repository["isSecret"];
};

export type OpenSource = GitOptions & {
  readonly workspace: string;
  /** Folders of ours, outside of the repository, that git may use. */
  readonly scratch?: readonly string[];
  readonly signal: AbortSignal;
};

/** Throws `worktree_unavailable` with the reason. */
export const openSource = async (open: OpenSource): Promise<Source> => {
  try {
    const repository = await openRepository(open);
    const top = path.join(open.workspace, ...repository.prefix.split("/").flatMap((name) => (name === "" ? [] : "..")));
    const whole = repository.prefix === "" ? repository : await openRepository({ ...open, workspace: top, part: open.workspace });
    return {
      repository: whole,
      git: createOwnGit(whole, open.scratch),
      top,
      prefix: repository.prefix,
      isSecret: repository.isSecret,
    };
  } catch (thrown) {
    open.signal.throwIfAborted();
    if (!(thrown instanceof RetinueError) || thrown.code === "internal") throw thrown;
    const isBare = /must be run in a work tree/.test(thrown.message);
    throw unavailable(isBare ? "The repository is bare: it has no files to work on." : thrown.message, thrown);
  }
};

export const unavailable = (why: string, cause?: unknown): RetinueError =>
  new RetinueError("worktree_unavailable", why, cause === undefined ? {} : { cause });

/** Throws for repositories whose files are not all that belongs to them. */
export const requireWhole = async ({ git }: Source): Promise<void> => {
  const sparse = await git.read(["config", "--type=bool", "--default=false", "--get", "core.sparseCheckout"]);
  if (sparse.trim() === "true") throw unavailable("The repository is checked out sparsely; parts of it are not there.");
  for (const entry of splitNul(await git.read(["ls-files", "-z", "-t", "--stage"]))) {
    const [tag, mode] = entry.split(" ");
    const file = entry.slice(entry.indexOf("\t") + 1);
    if (mode === "160000") throw unavailable(`${file} is a submodule; worktrees of repositories with submodules are not made.`);
    if (tag === "S") throw unavailable(`${file} is left out of the checkout (skip-worktree).`);
  }
};

/**
 * The files of the repository as they stand: those that git tracks, and of the workspace those that it does not ignore, but no secrets among them.
 * Around a workspace that is only a part of a repository may lie anything, such as a whole home.
 */
export const listFiles = async ({ git, prefix, isSecret }: Source): Promise<readonly string[]> => {
  const tracked = splitNul(await git.read(["ls-files", "-z", "--cached", "--deduplicate"]));
  const others = splitNul(
    await git.read(["ls-files", "-z", "--others", "--exclude-standard", ...(prefix === "" ? [] : ["--", prefix])], {
      literalPaths: true,
    }),
  );
  return [...tracked, ...others.filter((file) => !isRepository(file) && !isSecret(file))].filter(isReadable);
};

/** Another repository that lies in this one is listed as a folder. */
export const isRepository = (file: string): boolean => file.endsWith("/");

/** Names that are no UTF-8 cannot be told from each other here. */
export const isReadable = (file: string): boolean => !file.includes("\uFFFD");
