/**
 * A file beside the store that holds nothing. Where the disk is full it is deleted, so that the store can be opened and a session be
 * removed; it is made again when there is room. A store without it works as well.
 */
import { randomBytes } from "node:crypto";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { isLittle, readFreeBytes } from "./free-room.ts";

/** Enough for the file that processes share (32 KB), and for emptying the search index of a store with a thousand sessions. */
const SPARE_BYTES = 1_048_576;
/** A store that is smaller than the spare room has nothing to give back that would be worth it. */
const MIN_STORE_BYTES = SPARE_BYTES;

export type SpareRoom = {
  /** Whether that gave room. */
  readonly release: () => boolean;
  /** Sees to it that there is spare room again, if the disk has it. */
  readonly keep: () => void;
};

export const createSpareRoom = (path: string): SpareRoom => {
  const spare = `${resolve(path)}-spare`;
  let isReleased = false;
  return {
    release: () => {
      if (!existsSync(spare)) return false;
      rmSync(spare, { force: true });
      isReleased = true;
      return true;
    },
    keep: () => {
      try {
        if (existsSync(spare) || statSync(path).size < MIN_STORE_BYTES) return;
        const free = readFreeBytes(path);
        if (isReleased ? free < SPARE_BYTES : isLittle(free)) return;
        // What is random takes its room on every file system.
        writeFileSync(spare, randomBytes(SPARE_BYTES), { flag: "wx", mode: 0o600 });
      } catch (error) {
        // Others make it too; what could be written in part only is not kept.
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) rmSync(spare, { force: true });
      }
    },
  };
};
