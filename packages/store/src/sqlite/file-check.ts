/** Tells whether a store's file is still the one that was opened: on a file that was deleted everything can be written and nothing is kept. */
import { RetinueError } from "@retinue/protocol";
import { statSync } from "node:fs";
import { resolve } from "node:path";

/** Throws `store_gone` where the file was deleted, or another stands in its place. */
export const createFileCheck = (path: string): (() => void) => {
  const file = resolve(path);
  const opened = statSync(file, { throwIfNoEntry: false });
  // A store that has no file, as one in memory, cannot lose it.
  if (opened === undefined) return () => {};
  return () => {
    const now = statSync(file, { throwIfNoEntry: false });
    if (now !== undefined && now.ino === opened.ino && now.dev === opened.dev) return;
    throw new RetinueError(
      "store_gone",
      `The store's file ${file} was ${now === undefined ? "deleted" : "replaced by another"} while it was open; nothing was written.`,
    );
  };
};
