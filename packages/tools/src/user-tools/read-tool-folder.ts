/**
 * Reads a folder of tools into memory, with everything below it, and gives it one hash. What is then loaded is what was read and hashed here,
 * whatever becomes of the files meanwhile.
 */
import { createHash } from "node:crypto";
import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { readPlainFile } from "@retinue/confine";

export type ToolFolder = {
  /** Absolute, real path. */
  readonly path: string;
  readonly hash: string;
  /** Absolute path → content. */
  readonly sources: ReadonlyMap<string, Buffer>;
  /** The files that are to export tools: those of the folder itself, not of folders below. */
  readonly entries: readonly string[];
};

const MOST_FILES = 1000;
const MOST_BYTES = 16 * 1024 * 1024;
const ENTRY = /^(?!.*\.(?:d|test)\.[cm]?ts$).*\.(?:ts|mts|js|mjs)$/;

/** Undefined where there is no such folder. */
export const readToolFolder = async (folder: string): Promise<ToolFolder | undefined> => {
  let root: string;
  try {
    root = await realpath(folder);
    if (!(await stat(root)).isDirectory()) throw new Error("it is no folder");
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return undefined;
    throw thrown;
  }
  const files = await listFiles(root);
  const sources = new Map<string, Buffer>();
  let bytes = 0;
  for (const file of files) {
    const source = await readPlainFile(file, MOST_BYTES);
    if (source === undefined) throw new Error(`${path.relative(root, file)} is not a regular file of at most 16 MiB`);
    bytes += source.length;
    if (bytes > MOST_BYTES) throw new Error("it holds more than 16 MiB");
    sources.set(file, source);
  }
  const hash = createHash("sha256");
  for (const [file, content] of sources)
    hash.update(JSON.stringify([path.relative(root, file), createHash("sha256").update(content).digest("hex")]));
  return {
    path: root,
    hash: hash.digest("hex"),
    sources,
    entries: files.filter((file) => path.dirname(file) === root && ENTRY.test(path.basename(file))),
  };
};

/** In a fixed order. Links are refused: what they lead to could change without the folder changing. */
const listFiles = async (root: string): Promise<string[]> => {
  const files: string[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(file);
      else if (entry.isFile()) files.push(file);
      else throw new Error(`${path.relative(root, file)} is a link or something else that is no file`);
      if (files.length > MOST_FILES) throw new Error(`it holds more than ${MOST_FILES} files`);
    }
  return files.toSorted();
};
