/** Keeps everything that a run did in its worktree as one commit on top of what it began from, under a ref of its own. */
import { copyFile as copyPlainFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { KeptWork, RunWorktree } from "@retinue/runtime";
import { inFolderOf } from "../files/write-inside.ts";
import type { GitOptions } from "../git/repository.ts";
import { openRepository } from "../git/repository.ts";
import type { ObjectFormat } from "./blob-id.ts";
import { formatOf } from "./blob-id.ts";
import { copyFile } from "./copy-files.ts";
import { isReadable, isRepository } from "./open-source.ts";
import type { IndexEntry, OwnGit } from "./own-git.ts";
import { createOwnGit, splitNul, toIndexInfo } from "./own-git.ts";
import { writeOwnRef } from "./own-refs.ts";
import { LINK_MODE, readVersion, splitVersion } from "./read-version.ts";
import { readTreeStats } from "./tree-stats.ts";
import { pathsOf } from "./worktree-paths.ts";

export type KeepWork = {
  readonly of: RunWorktree;
  readonly base: string;
  /** Files that the run is known to have written, relative to its workspace. */
  readonly measured: readonly string[];
};

export const keepWork = async ({ of, base, measured }: KeepWork, options: GitOptions, signal: AbortSignal): Promise<KeptWork> => {
  const paths = pathsOf(of);
  const repository = await openRepository({ ...options, workspace: of.folder, signal });
  // Without its own .git it would be taken for a part of whatever repository lies around it.
  if (repository.isLarger) throw new RetinueError("tool_failed", `${of.folder} is no worktree any more.`);
  await rm(paths.stage, { recursive: true, force: true });
  await mkdir(paths.stage, { recursive: true });
  const git = createOwnGit(repository, [paths.stage]);
  // The run may have done anything to the worktree's own index; ours is as it was.
  const index = path.join(paths.stage, "index");
  await copyPlainFile(paths.index, index);
  const environment = { GIT_INDEX_FILE: index };
  const others = splitNul(await git.read(["ls-files", "-z", "--others", "--exclude-standard"], { environment }));
  const prefix = path.relative(of.folder, of.workspace).replaceAll(path.sep, "/");
  const known = new Set([...(await findTouched(of)), ...others, ...measured.map((file) => path.posix.join(prefix, file))]);
  const unkept = [...known]
    .filter((file) => isRepository(file) || !isReadable(file))
    .map((file) => ({
      path: toRelative(file, prefix),
      reason: isRepository(file) ? "it is a git repository of its own" : "its name is no UTF-8",
    }));
  const { entries, gone } = await stageFiles(
    { of, git, format: formatOf(base), stage: paths.stage },
    [...known].filter((file) => !isRepository(file) && isReadable(file)),
  );
  const removed = gone.map((file): IndexEntry => ({ file, mode: "0", id: "0".repeat(base.length) }));
  await git.read(["update-index", "-z", "--index-info"], { environment, input: toIndexInfo([...removed, ...entries]) });
  const tree = (await git.read(["write-tree"], { environment })).trim();
  await rm(index, { force: true });
  const before = (await git.read(["rev-parse", `${base}^{tree}`])).trim();
  if (tree === before) return { commit: null, unkept };
  const commit = await git.commit(tree, [base], `retinue: what ${of.runId} did`);
  await writeOwnRef({ at: of.folder, runId: of.runId, git }, commit);
  return { commit, unkept };
};

/** Files that were there at the beginning and are no longer as they were. */
const findTouched = async (of: RunWorktree): Promise<readonly string[]> => {
  // Ours, and written by us.
  const before = new Map(JSON.parse(await readFile(pathsOf(of).stats, "utf8")) as [string, string][]);
  const now = await readTreeStats(of.folder, [...before.keys()]);
  return [...before].filter(([file, said]) => now.get(file) !== said).map(([file]) => file);
};

const toRelative = (file: string, prefix: string): string => (prefix === "" ? file : path.posix.relative(prefix, file));

type Staging = { readonly of: RunWorktree; readonly git: OwnGit; readonly format: ObjectFormat; readonly stage: string };

/** Copies each file without following links, and stores the copies: what is stored is what was looked at. */
const stageFiles = async (
  { of, git, format, stage }: Staging,
  files: readonly string[],
): Promise<{ readonly entries: readonly IndexEntry[]; readonly gone: readonly string[] }> => {
  const staged: { readonly file: string; readonly mode: string; readonly at: string }[] = [];
  const gone: string[] = [];
  for (const [index, file] of files.entries()) {
    const standing = await readVersion({ root: of.folder, file, format });
    const at = path.join(stage, `file-${index}`);
    if (standing.type === "file") {
      const made = await inFolderOf({ root: of.folder, file, make: false }, (folder, name) => copyFile(folder, name, at));
      if (made === undefined || made.mode === LINK_MODE) throw new RetinueError("tool_failed", `${file} is being changed.`);
      staged.push({ file, mode: made.mode, at });
    } else if (standing.type === "link") {
      await writeFile(at, standing.target);
      staged.push({ file, mode: splitVersion(standing.version).mode, at });
    } else gone.push(file);
  }
  const ids = await git.storeFiles(staged.map(({ at }) => at));
  return { gone, entries: staged.map(({ file, mode }, index) => ({ file, mode, id: ids[index] ?? "" })) };
};
