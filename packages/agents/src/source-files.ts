/**
 * Finds and reads the files that define agents. Of a project nothing is read that lies outside it, whatever its links say, and nothing that
 * is no plain file of a sensible size, so that no device, pipe or flood is ever opened.
 */
import { constants } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import path from "node:path";

const MOST_BYTES = 256 * 1_024;
const MOST_FILES = 5_000;
const MOST_DEPTH = 4;

export type FoundFile = {
  readonly file: string;
  /** Its path below the folder that was searched, with slashes. */
  readonly relative: string;
};

export type FindOptions = {
  readonly folder: string;
  readonly accepts: (relative: string) => boolean;
  readonly recursively?: boolean;
  /** Says that there are more files than are read, or that a folder cannot be. */
  readonly onProblem: (file: string, message: string) => void;
};

/** In the order of their names; none where there is no such folder. */
export const findFiles = async ({
  folder,
  accepts,
  recursively = false,
  onProblem,
}: FindOptions): Promise<readonly FoundFile[]> => {
  const found: FoundFile[] = [];
  const visit = async (relative: string, depth: number): Promise<void> => {
    const names = await readdir(path.join(folder, relative), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT" && error.code !== "ENOTDIR")
        onProblem(path.join(folder, relative), `it cannot be read (${error.code ?? error.message})`);
      return [];
    });
    for (const entry of names.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = relative === "" ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) {
        if (recursively && depth < MOST_DEPTH) await visit(below, depth + 1);
      } else if (accepts(below)) found.push({ file: path.join(folder, below), relative: below });
    }
  };
  await visit("", 0);
  if (found.length > MOST_FILES) onProblem(folder, `it has ${found.length} files; the first ${MOST_FILES} are read`);
  return found.slice(0, MOST_FILES);
};

/** The names of the folders in a folder. */
export const findFolders = async (folder: string, onProblem: FindOptions["onProblem"]): Promise<readonly string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .toSorted();
  if (names.length > MOST_FILES) onProblem(folder, `it has ${names.length} folders; the first ${MOST_FILES} are read`);
  return names.slice(0, MOST_FILES);
};

/** The text of a file; throws what is to be said of it. Undefined where there is none. */
export const readSource = async (file: string, inside?: string): Promise<string | undefined> => {
  if (inside !== undefined) {
    const real = await realpath(file).catch(() => undefined);
    if (real === undefined) return undefined;
    const relative = path.relative(await realpath(inside), real);
    if (relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
      throw new Error("it leads out of the project");
  }
  // Without waiting for the other end, should it be a pipe.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw new Error(`it cannot be opened (${error.code ?? error.message})`, { cause: error });
  });
  if (!handle) return undefined;
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error("it is no plain file");
    if (stat.size > MOST_BYTES) throw new Error(`it has ${stat.size} bytes; ${MOST_BYTES} is the most`);
    return decode(await handle.readFile());
  } finally {
    await handle.close();
  }
};

const decode = (bytes: Uint8Array): string => {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error("it is not UTF-8 text");
  }
  if (text.includes("\0")) throw new Error("it contains NUL characters");
  return text;
};
