/** How much room the disk of a store has, and how a store works where that is little. */
import { statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** What may still be written beside a file. */
export const readFreeBytes = (file: string): number => {
  const { bavail, bsize } = statfsSync(dirname(resolve(file)));
  return bavail * bsize;
};

/** With less than this a store works in small steps, and keeps the write-ahead file short. */
const LITTLE_BYTES = 64_000_000;

export const isLittle = (freeBytes: number): boolean => freeBytes < LITTLE_BYTES;
