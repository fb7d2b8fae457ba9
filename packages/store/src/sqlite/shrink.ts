/**
 * Gives the room of what was deleted back to the disk. The file is written anew through the write-ahead file, so that there must be room
 * for what is left: where there is not, or somebody else is writing, the room stays in the file and new events take it.
 */
import { statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { toStoreError } from "./sqlite-errors.ts";

/** Less is not worth writing the file anew. */
const MIN_FREED_BYTES = 1_000_000;
const MIN_FREED_PART = 0.25;
/** A copy is made in memory; of a larger store it is made in a file. */
const MAX_IN_MEMORY_BYTES = 256_000_000;
const SPARE_BYTES = 2_000_000;

/** Whether the file was written anew. */
export const shrink = (db: DatabaseSync, path: string): boolean => {
  const ask = (pragma: string): number => Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
  const pages = ask("page_count");
  const freed = ask("freelist_count");
  const pageBytes = ask("page_size");
  if (freed * pageBytes < MIN_FREED_BYTES || freed < MIN_FREED_PART * pages) return false;
  const left = (pages - freed) * pageBytes;
  const isLarge = left > MAX_IN_MEMORY_BYTES;
  const { bavail, bsize } = statfsSync(dirname(resolve(path)));
  if (bavail * bsize < (isLarge ? 2 : 1) * left + SPARE_BYTES) return false;
  try {
    if (isLarge) db.exec("PRAGMA temp_store = FILE");
    db.exec("VACUUM");
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return true;
  } catch (error) {
    // Somebody else is writing, or the room was not enough after all: everything is as it was.
    if (toStoreError(error, path) === error) throw error;
    return false;
  } finally {
    if (isLarge) db.exec("PRAGMA temp_store = MEMORY");
  }
};
