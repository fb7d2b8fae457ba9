/**
 * Worktrees by git. Each lies in a folder of ours, is known to the user's repository as a linked worktree, and leaves nothing behind there but, where
 * something was not merged, a ref below `refs/retinue/`.
 */
import { mkdir, readdir, readFile, realpath, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { RunId } from "@retinue/protocol";
import type { RunWorktree, Worktrees } from "@retinue/runtime";
import type { ApplyMergeOptions } from "./apply-merge.ts";
import { applyMerge } from "./apply-merge.ts";
import { keepWork } from "./keep-work.ts";
import { makeWorktree } from "./make-worktree.ts";
import { openSource, requireWhole } from "./open-source.ts";
import { removeOwnRef } from "./own-refs.ts";
import type { MergeOptions } from "./plan-merge.ts";
import { planMerge } from "./plan-merge.ts";
import { removeStaleLocks } from "./stale-locks.ts";
import { pathsOf, toFolder } from "./worktree-paths.ts";

export type GitWorktreesOptions = MergeOptions &
  Pick<ApplyMergeOptions, "beforeMerge"> & {
    /** The folder that worktrees are made in. */
    readonly folder: string;
    /** Lets go of what is kept elsewhere for a workspace that is about to be gone. */
    readonly onRemove?: (workspace: string) => Promise<void>;
  };

/** What is begun here is finished also when the run was cancelled; git itself ends what takes too long. */
const NEVER = new AbortController().signal;

export const createGitWorktrees = (options: GitWorktreesOptions): Worktrees => ({
  place: async (workspace, name, signal) => {
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    const folder = toFolder(await realpath(options.folder), name);
    const source = await openSource({ ...options, workspace, signal });
    await requireWhole(source);
    return { workspace: path.join(folder, source.prefix.slice(0, -1)), worktree: { folder, of: workspace } };
  },
  make: async (of, signal) => {
    await remove(of, options, { keepRef: false });
    return makeWorktree(of, options, signal);
  },
  exists: async (of) => {
    const isThere = await stat(path.join(of.folder, ".git")).catch(() => undefined);
    if (isThere) await removeStaleLocks(of).catch(() => undefined);
    return isThere !== undefined;
  },
  keep: (of, base, measured) => keepWork({ of, base, measured }, options, NEVER),
  plan: (of, work) => planMerge({ of, ...work }, options, NEVER),
  merge: (of, plan) => applyMerge(of, plan, options, NEVER),
  remove: (of, how) => remove(of, options, how),
  list: () => listMarkers(options.folder),
});

const remove = async (
  of: RunWorktree,
  options: GitWorktreesOptions,
  { keepRef }: { readonly keepRef: boolean },
): Promise<void> => {
  const paths = pathsOf(of);
  const isThere = await stat(paths.marker).catch(() => undefined);
  if (!isThere) return;
  const source = await openSource({ ...options, workspace: of.of, signal: NEVER }).catch(() => undefined);
  await options.onRemove?.(of.workspace).catch(() => undefined);
  // It is not known to git where it was not made to the end. Git does not see the folder itself and forgets it as one that is gone.
  await source?.git.read(["worktree", "remove", "--force", "--force", of.folder]).catch(() => "");
  await rm(of.folder, { recursive: true, force: true });
  if (source && !keepRef) await removeOwnRef({ at: of.of, runId: of.runId, git: source.git }).catch(() => undefined);
  for (const file of [paths.index, paths.stats, paths.stage]) await rm(file, { recursive: true, force: true });
  await rm(paths.marker, { force: true });
};

const listMarkers = async (folder: string): Promise<readonly RunWorktree[]> => {
  const home = await realpath(folder).catch(() => undefined);
  if (home === undefined) return [];
  const found: RunWorktree[] = [];
  for (const name of await readdir(home)) {
    if (!name.endsWith(".json")) continue;
    const marker = readMarker(await readFile(path.join(home, name), "utf8").catch(() => ""));
    if (marker) found.push({ ...marker, folder: path.join(home, name.slice(0, -".json".length)) });
  }
  return found;
};

const readMarker = (text: string): Omit<RunWorktree, "folder"> | undefined => {
  try {
    const { runId, of, workspace } = JSON.parse(text) as Record<string, unknown>;
    if (typeof runId !== "string" || !runId.startsWith("run_") || typeof of !== "string" || typeof workspace !== "string")
      return undefined;
    return { runId: runId as RunId, of, workspace };
  } catch {
    return undefined;
  }
};
