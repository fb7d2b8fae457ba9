/**
 * A folder for temporary files that is held in memory, for as long as one command runs: tests make and remove hundreds of thousands of small files, and
 * on a disk that takes a fifth of their time. It is mounted in a mount namespace of that command alone, so that the machine never sees it and
 * nothing is left to unmount. Where that is not possible (not Linux, no root, little memory) there is none, and the disk does the same more slowly.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import path from "node:path";

export type MemoryFolder = {
  readonly path: string;
  /** Words to put before a command, which then finds the folder mounted. */
  readonly by: readonly string[];
  readonly remove: () => void;
};

const GIB = 2 ** 30;
const ENOUGH = 8 * GIB;

/** Its name is short, since the sockets of tests lie in it, whose names have little room. */
export const createMemoryFolder = (): MemoryFolder | undefined => {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || totalmem() < ENOUGH) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), "rt-"));
  const remove = (): void => rmdirSync(folder);
  const mount = `mount -t tmpfs -o mode=1777,size=${Math.floor(totalmem() / 4)} tmpfs "$0" && exec "$@"`;
  const by = ["unshare", "--mount", "sh", "-c", mount, folder];
  const [file = "", ...args] = by;
  if (spawnSync(file, [...args, "true"], { stdio: "ignore" }).status === 0) return { path: folder, by, remove };
  remove();
  return undefined;
};
