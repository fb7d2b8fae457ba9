/**
 * What the file system says of files, to the nanosecond. A file whose statement is the same was not touched: the time of its last change cannot be
 * set by whoever changes it. No link is followed.
 */
import { lstat } from "node:fs/promises";
import path from "node:path";
import { inFolderOf } from "../files/write-inside.ts";

/** By path relative to the root. Files that are not there are missing. */
export type TreeStats = ReadonlyMap<string, string>;

export const readTreeStats = async (root: string, files: readonly string[]): Promise<TreeStats> => {
  const stats = new Map<string, string>();
  for (const inFolder of Map.groupBy(files, (file) => path.posix.dirname(file)).values())
    await inFolderOf({ root, file: inFolder[0] ?? "", make: false }, async (folder) => {
      for (const file of inFolder) {
        const found = await lstat(folder.at(path.posix.basename(file)), { bigint: true }).catch(() => undefined);
        if (found) stats.set(file, [found.ino, found.mode, found.size, found.mtimeNs, found.ctimeNs].join(":"));
      }
    }).catch(() => undefined);
  return stats;
};
