/**
 * Makes a worktree that holds the files of a workspace as they stand, uncommitted and untracked ones included. They are copied and not checked out,
 * so that no conversion of the repository comes between; the commit that it begins from is made of the copies, and is just what the run finds.
 */
import { copyFile, mkdir, readlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { RunWorktree } from "@retinue/runtime";
import type { GitOptions } from "../git/repository.ts";
import { openRepository } from "../git/repository.ts";
import { thisOwner } from "../process/process-owner.ts";
import type { CopiedFile } from "./copy-files.ts";
import { copyFiles } from "./copy-files.ts";
import { listFiles, openSource, requireWhole } from "./open-source.ts";
import type { OwnGit } from "./own-git.ts";
import { createOwnGit, toIndexInfo } from "./own-git.ts";
import { removeOwnRef, writeOwnRef } from "./own-refs.ts";
import { LINK_MODE } from "./read-version.ts";
import { readTreeStats } from "./tree-stats.ts";
import { pathsOf } from "./worktree-paths.ts";

const MAX_BYTES = 4 * 1024 ** 3;

/** Gives the commit that it begins from. Nothing may stand in its place. */
export const makeWorktree = async (of: RunWorktree, options: GitOptions, signal: AbortSignal): Promise<string> => {
  const source = await openSource({ ...options, workspace: of.of, signal });
  await requireWhole(source);
  const { git, top } = source;
  const paths = pathsOf(of);
  await mkdir(path.dirname(of.folder), { recursive: true, mode: 0o700 });
  await writeFile(paths.marker, JSON.stringify({ runId: of.runId, of: of.of, workspace: of.workspace, owner: thisOwner() }));
  // What an earlier version of the run left of its ref, locks among it.
  await removeOwnRef({ at: of.of, runId: of.runId, git });
  const empty = await git.commit((await git.read(["mktree"])).trim(), [], "retinue: nothing yet");
  // Empty as it is, so that git needs no right to write the folder around it.
  await mkdir(of.folder, { mode: 0o700 });
  await git.read(["worktree", "add", "--no-checkout", "--detach", of.folder, empty], { alsoWrites: [of.folder] });
  const copied = await copyFiles({ from: top, to: of.folder, files: await listFiles(source), signal, maxBytes: MAX_BYTES });
  await mkdir(of.workspace, { recursive: true });

  await mkdir(paths.stage, { recursive: true });
  const own = createOwnGit(await openRepository({ ...options, workspace: of.folder, signal }), [paths.stage]);
  await own.read(["update-index", "-z", "--index-info"], {
    input: toIndexInfo(await storeCopies(own, of.folder, copied, paths.stage)),
  });
  const tree = (await own.read(["write-tree"])).trim();
  const head = await git.read(["rev-parse", "--quiet", "--verify", "HEAD^{commit}"]).catch(() => "");
  const parents = head.trim() === "" ? [] : [head.trim()];
  const base = await own.commit(tree, parents, `retinue: the workspace as ${of.runId} found it`);
  await own.read(["update-ref", "--no-deref", "HEAD", base]);
  await writeOwnRef({ at: of.folder, runId: of.runId, git: own }, base);
  // For the run's own git: files that conversions would change stay marked as changed.
  await own.read(["update-index", "-q", "--refresh"]).catch(() => "");
  await copyFile((await own.read(["rev-parse", "--path-format=absolute", "--git-path", "index"])).trimEnd(), paths.index);
  const stats = await readTreeStats(
    of.folder,
    copied.map(({ file }) => file),
  );
  await writeFile(paths.stats, JSON.stringify([...stats]));
  return base;
};

const storeCopies = async (git: OwnGit, folder: string, copied: readonly CopiedFile[], stage: string) => {
  const contents: string[] = [];
  for (const [index, { file, mode }] of copied.entries())
    if (mode === LINK_MODE) {
      const staged = path.join(stage, String(index));
      await writeFile(staged, await readlink(path.join(folder, file)));
      contents.push(staged);
    } else contents.push(`./${file}`);
  const ids = await git.storeFiles(contents);
  return copied.map(({ file, mode }, index) => ({ file, mode, id: ids[index] ?? "" }));
};
