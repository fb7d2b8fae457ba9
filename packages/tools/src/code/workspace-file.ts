/** Reads a file of the workspace in a thread that may wait for the disk: no link, no FIFO, and nothing that has come to lie elsewhere. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";

export type FileToRead = {
  /** Absolute and real. */
  readonly root: string;
  /** Relative to the root. */
  readonly path: string;
  readonly maxBytes: number;
};

export type WorkspaceFile = {
  readonly size: number;
  readonly mtimeMs: number;
  /** Undefined when there are too many. */
  readonly bytes: Buffer | undefined;
};

/** Undefined where there is no such file. */
export const readWorkspaceFile = ({ root, path: named, maxBytes }: FileToRead): WorkspaceFile | undefined => {
  const absolute = path.join(root, named);
  let file: number;
  try {
    file = openSync(absolute, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || !isWhereItSays(file, absolute)) return undefined;
    return { size: stats.size, mtimeMs: stats.mtimeMs, bytes: stats.size > maxBytes ? undefined : readFileSync(file) };
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
};

/** A folder on the way may have become a link that leads out of the workspace. */
const isWhereItSays = (file: number, absolute: string): boolean =>
  process.platform !== "linux" || readlinkSync(`/proc/self/fd/${file}`) === absolute;
