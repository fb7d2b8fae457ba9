/**
 * Temporary folders that bear the name of the process they belong to. A process that was killed could not remove its own; the next one that
 * makes such a folder removes those whose process is gone.
 */
import { spawnSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { codeOf } from "../files/system-error.ts";
import { endHalfMadeSandboxes } from "./half-made-sandboxes.ts";
import { startOf } from "./process-tree.ts";

/** Absolute and real. Whoever makes it removes it when done. */
export const createTemporaryFolder = (kind: string): string => {
  try {
    const base = realpathSync(tmpdir());
    if (!swept.has(base)) {
      swept.add(base);
      sweepTemporaryFolders(base);
    }
    const { bavail, bsize } = statfsSync(base);
    requireRoom(base, bavail * bsize);
    return mkdtempSync(path.join(base, `retinue-${kind}-${toOwner()}-`));
  } catch (thrown) {
    throw toUnusable(thrown);
  }
};

/** Less than this holds nothing of what is put there. */
const LEAST_BYTES = 65_536;

export const requireRoom = (base: string, freeBytes: number): void => {
  if (freeBytes < LEAST_BYTES) throw unusable(`The temporary folder ${base} is full.`);
};

const toUnusable = (thrown: unknown): unknown => {
  const code = codeOf(thrown);
  if (thrown instanceof RetinueError || code === undefined) return thrown;
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  return unusable(`The temporary folder ${tmpdir()} ${isFull ? "is full" : `cannot be used (${code})`}.`, thrown);
};

const unusable = (message: string, cause?: unknown): RetinueError =>
  new RetinueError("temporary_folder_unusable", message, cause === undefined ? {} : { cause });

const swept = new Set<string>();

/** Numbers of processes mean nothing in another namespace, and are given again; with its start a number is given once. */
const toOwner = (): string => `${namespace()}-${process.pid}-${startOf(process.pid) ?? 0}`;

const namespace = (): string => {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
};

const NAME = /^retinue-[a-z]+-(\d+)-(\d+)-(\d+)-\w{6}$/;

/** Removes what processes of this user left that are no more. What cannot be removed stays for another time. */
export const sweepTemporaryFolders = (base: string): void => {
  const left = listNames(base).filter((name) => {
    const [, space, pid, start] = NAME.exec(name) ?? [];
    return space === namespace() && !isAlive(Number(pid), Number(start));
  });
  const folders = left.map((name) => path.join(base, name));
  endHalfMadeSandboxes(folders);
  for (const folder of folders) {
    try {
      const stats = lstatSync(folder);
      if (stats.isDirectory() && stats.uid === process.getuid?.()) removeClosed(folder);
    } catch {
      // Another process was quicker, or it is not ours to remove.
    }
  }
};

/** Also folders in it that nobody may list: an overlay leaves such a one, and a command can close any. */
const removeClosed = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // No link is followed by either.
    spawnSync("/bin/chmod", ["-R", "u+rwX", folder], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  }
};

const listNames = (base: string): readonly string[] => {
  try {
    return readdirSync(base);
  } catch {
    return [];
  }
};

const isAlive = (pid: number, start: number): boolean => {
  if (process.platform === "linux") return startOf(pid) === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
};
