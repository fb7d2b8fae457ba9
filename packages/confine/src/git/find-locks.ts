/** Lock files in a repository. A git that was killed leaves them, and every git after it fails; whose they are is not told here. */
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { findRepository } from "./find-repository.ts";

export type GitLock = { readonly file: string; readonly ageMs: number };

/** Folders with a great many files, in which git locks nothing. */
const PASSED_OVER = /^(?:[0-9a-f]{2}|hooks|lfs|modules|logs)$/;
const MOST_DEPTH = 8;

/** None where there is no repository, or where it cannot be read. */
export const findGitLocks = async (workspace: string, now: number = Date.now()): Promise<readonly GitLock[]> => {
  const found = await findRepository(workspace).catch(() => undefined);
  if (!found) return [];
  const folders = new Set([found.commonFolder, found.gitFolder]);
  const locks = new Map<string, GitLock>();
  const visit = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory() && depth < MOST_DEPTH && !PASSED_OVER.test(entry.name)) await visit(file, depth + 1);
      if (!entry.isFile() || !entry.name.endsWith(".lock")) continue;
      const stats = await lstat(file).catch(() => undefined);
      if (stats) locks.set(file, { file, ageMs: Math.max(0, now - stats.mtimeMs) });
    }
  };
  for (const folder of folders) await visit(folder, 0);
  return [...locks.values()];
};
