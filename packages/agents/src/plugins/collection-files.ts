/** Reads the files of a collection, and nothing outside it: a link that leads out refuses the whole of it, as does what is no plain file. */
import { constants, lstat, open, readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { isInside } from "@retinue/runtime";

const MOST_FILES = 5_000;
const MOST_BYTES = 1024 * 1024;
const MOST_TOTAL = 64 * 1024 * 1024;
const MOST_DEPTH = 8;
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules"]);

export type CollectionReader = {
  readonly root: string;
  /** Every file below a folder, by its path below the root; none where there is no such folder. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  /** The names of what lies in a folder. */
  readonly names: (folder: string) => Promise<readonly string[]>;
  /** Undefined where there is none. */
  readonly read: (file: string) => Promise<Uint8Array | undefined>;
};

const refuse = (what: string, why: string): RetinueError =>
  new RetinueError("usage", `Nothing was added: ${what} ${why}.`, { hint: "Take it out of the folder, and try again." });

export const createCollectionReader = async (folder: string): Promise<CollectionReader> => {
  const root = await realpath(folder);
  let total = 0;
  let count = 0;

  const within = async (relative: string): Promise<string | undefined> => {
    const real = await realpath(path.join(root, relative)).catch(() => undefined);
    if (real !== undefined && !isInside(root, real)) throw refuse(relative, "is a link that leads out of the folder");
    return real;
  };

  const names = async (relative: string): Promise<readonly string[]> => {
    if ((await within(relative)) === undefined) return [];
    const entries = await readdir(path.join(root, relative)).catch(() => []);
    return entries.filter((name) => !LEFT_OUT.has(name)).toSorted();
  };

  const list = async (relative: string, depth = 0): Promise<readonly string[]> => {
    const files: string[] = [];
    for (const name of await names(relative)) {
      const at = path.posix.join(relative, name);
      const real = await within(at);
      if (real === undefined) throw refuse(at, "is a link that leads nowhere");
      const stats = await lstat(real);
      if (stats.isDirectory()) {
        // A link to a folder may lead up again.
        if (depth >= MOST_DEPTH) throw refuse(at, "lies too deep");
        files.push(...(await list(at, depth + 1)));
      } else if (stats.isFile()) files.push(at);
      else throw refuse(at, "is no plain file");
      if ((count += 1) > MOST_FILES) throw refuse(relative, `has more than ${MOST_FILES} files`);
    }
    return files;
  };

  const read = async (relative: string): Promise<Uint8Array | undefined> => {
    const real = await within(relative);
    if (real === undefined) return undefined;
    const handle = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => undefined);
    if (!handle) return undefined;
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return undefined;
      total += stats.size;
      if (stats.size > MOST_BYTES || total > MOST_TOTAL)
        throw refuse(relative, `has ${stats.size} bytes, which is more than is taken`);
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  };

  return { root, names, read, list: (relative) => list(relative) };
};
