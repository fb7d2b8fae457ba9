/**
 * Gives the room of what was deleted back to the disk. Files of today give it back in steps, each with a little room of the write-ahead
 * file. An older file is written anew through the write-ahead file, once, and is a file of today from then on: there must be room for what
 * is left. Where there is not, the room stays in the file and new events take it.
 */
import type { DatabaseSync } from "node:sqlite";
import { RetinueError } from "@retinue/protocol";
import type { KeptRoom } from "../read-side.ts";
import { isLittle } from "./free-room.ts";
import { toStoreError } from "./sqlite-errors.ts";
import type { WriteQueue } from "./write-queue.ts";

/** Less is not worth the writing, unless the disk is nearly full. */
const MIN_FREED_BYTES = 1_000_000;
const MIN_FREED_PART = 0.25;
/** A copy is made in memory; of a larger store it is made in a file. */
const MAX_IN_MEMORY_BYTES = 256_000_000;
const SPARE_BYTES = 2_000_000;
/** Each page that is given back is looked for in the list of free ones: with more of them it is quicker to write the file anew. */
const MAX_IN_STEPS_BYTES = 512_000_000;
const PAGES_OF_STEP = 256;
const PAGES_OF_SMALLEST_STEP = 4;
/** A few pages are written for each that is given back: with this much free for each, there is room for them. */
const FREE_BYTES_OF_PAGE = 100_000;
/** With this much room the smallest step works, whatever else is in the write-ahead file. */
const ROOM_OF_STEP = 262_144;
const INCREMENTAL = 2;

export type ShrinkOptions = {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly queue: WriteQueue;
  readonly freeBytes: () => number;
  /** Nothing is written beside the file, so that steps need no room. */
  readonly isInPlace?: boolean;
  /** Brings what was written into the file, which is cut there. */
  readonly checkpoint: () => void;
};

const ask = (db: DatabaseSync, pragma: string): number => Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);

/** Whether so much of the file is empty that it is worth giving back on any disk. */
export const isWorthShrinking = (db: DatabaseSync): boolean => {
  const freed = ask(db, "freelist_count");
  return freed * ask(db, "page_size") >= MIN_FREED_BYTES && freed >= MIN_FREED_PART * ask(db, "page_count");
};

/** Gives what stays in the file for lack of room. */
export const shrink = async (options: ShrinkOptions): Promise<KeptRoom | undefined> => {
  const { db, freeBytes, isInPlace = false } = options;
  const freePages = (): number => ask(db, "freelist_count");
  const freed = freePages();
  const pageBytes = ask(db, "page_size");
  const isWorthIt = isWorthShrinking(db);
  if (freed === 0 || (!isWorthIt && !isLittle(freeBytes()))) return undefined;
  const left = (ask(db, "page_count") - freed) * pageBytes;
  const needed = (left > MAX_IN_MEMORY_BYTES ? 2 : 1) * left + SPARE_BYTES;
  const hasRoom = !isInPlace && freeBytes() >= needed;
  const isStepwise = ask(db, "auto_vacuum") === INCREMENTAL;
  if (isStepwise && !(hasRoom && freed * pageBytes > MAX_IN_STEPS_BYTES)) {
    await shrinkInSteps(options, freePages);
    const kept = freePages();
    return kept === 0 ? undefined : { bytes: kept * pageBytes, needed: ROOM_OF_STEP };
  }
  if (!isWorthIt || (hasRoom && (await writeAnew(options, left)))) return undefined;
  return { bytes: freed * pageBytes, needed };
};

const shrinkInSteps = async (
  { db, queue, freeBytes, isInPlace = false, checkpoint }: ShrinkOptions,
  freePages: () => number,
): Promise<void> => {
  const giveBack = async (pages: number): Promise<boolean> => {
    try {
      await queue.write(() => db.exec(`PRAGMA incremental_vacuum(${pages})`));
      return true;
    } catch (error) {
      if (error instanceof RetinueError && error.code === "store_full") return false;
      throw error;
    }
  };
  for (let before = Infinity, free = freePages(); free > 0 && free < before;) {
    const room = freeBytes();
    const most = isInPlace ? PAGES_OF_STEP : Math.floor(room / FREE_BYTES_OF_PAGE);
    const pages = Math.min(PAGES_OF_STEP, Math.max(PAGES_OF_SMALLEST_STEP, most));
    if (!(await giveBack(pages))) {
      checkpoint();
      await giveBack(1);
    }
    if (isLittle(room)) checkpoint();
    before = free;
    free = freePages();
  }
  checkpoint();
};

/** Whether the file was written anew. */
const writeAnew = async ({ db, path, queue, checkpoint }: ShrinkOptions, left: number): Promise<boolean> =>
  queue.apart(() => {
    const isLarge = left > MAX_IN_MEMORY_BYTES;
    try {
      if (isLarge) db.exec("PRAGMA temp_store = FILE");
      db.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
      checkpoint();
      return true;
    } catch (error) {
      // Somebody else is writing, or the room was not enough after all: everything is as it was.
      if (toStoreError(error, path) === error) throw error;
      return false;
    } finally {
      if (isLarge) db.exec("PRAGMA temp_store = MEMORY");
    }
  });
