/**
 * Refs of ours in the user's repository, each written and removed as one file. Git would take locks for that, `packed-refs.lock` among them, and a
 * kill would leave them to the user. A file that takes its name at once needs none.
 */
import { access, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { RunId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { worktreeRef } from "@retinue/runtime";
import { inFolderOf } from "../files/write-inside.ts";
import { findRepository } from "../git/find-repository.ts";
import type { OwnGit } from "./own-git.ts";

/** `at` is the workspace or a worktree of the repository. */
type RefOptions = { readonly at: string; readonly runId: RunId; readonly git: OwnGit };

export const writeOwnRef = async ({ at, runId, git }: RefOptions, commit: string): Promise<void> => {
  const root = await commonFolderOf(at);
  if (await hasTables(root)) return void (await git.read(["update-ref", worktreeRef(runId), commit]));
  await inFolderOf({ root, file: worktreeRef(runId), make: true }, async (folder, name) => {
    // Git passes over names with a dot before them.
    const half = folder.at(`.${name}.${process.pid}`);
    await writeFile(half, `${commit}\n`, { flush: true });
    await rename(half, folder.at(name));
  });
};

/** A ref that the user has packed stays: to take it out, all packed refs would have to be written anew. */
export const removeOwnRef = async ({ at, runId, git }: RefOptions): Promise<void> => {
  const root = await commonFolderOf(at);
  if (await hasTables(root)) return void (await git.read(["update-ref", "-d", worktreeRef(runId)]));
  const isThere = await access(path.join(root, path.dirname(worktreeRef(runId)))).then(
    () => true,
    () => false,
  );
  if (!isThere) return;
  await inFolderOf({ root, file: worktreeRef(runId), make: false }, async (folder, name) => {
    const halves = (await readdir(folder.at("."))).filter((entry) => entry.startsWith(`.${name}.`));
    // Nobody but us has refs of this name, so that a lock of it is ours, from a version that had git write it.
    for (const entry of [name, `${name}.lock`, ...halves]) await rm(folder.at(entry), { force: true });
  });
  // Empty once the last one is gone.
  await rmdir(path.join(root, path.dirname(worktreeRef(runId)))).catch(() => undefined);
};

const commonFolderOf = async (at: string): Promise<string> => {
  const found = await findRepository(at);
  if (!found) throw new RetinueError("tool_failed", `${at} is not in a git repository.`);
  return found.commonFolder;
};

/** Refs in tables (`reftable`) are no files of their own; only git writes them. */
const hasTables = (root: string): Promise<boolean> =>
  access(path.join(root, "reftable")).then(
    () => true,
    () => false,
  );
