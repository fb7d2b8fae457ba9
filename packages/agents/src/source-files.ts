/**
 * Finds and reads the files that define agents. Of a project nothing is read that lies outside it, whatever its links say, and nothing that
 * is no plain file of a sensible size, so that no device, pipe or flood is ever opened.
 */
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";

const MOST_BYTES = 256 * 1_024;
const MOST_FILES = 5_000;
const MOST_DEPTH = 4;

export type FoundFile = {
  readonly file: string;
  /** Its path below the folder that was searched, with slashes. */
  readonly relative: string;
  /** Where it lies, once every link on the way is followed; whether it is a link itself is seen when it is opened. Absent where there may be one on the way. */
  readonly real?: string;
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
  const realFolder = await realpath(folder).catch(() => undefined);
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
      } else if (accepts(below)) found.push({ file: path.join(folder, below), relative: below, ...toReal(realFolder, below) });
    }
  };
  await visit("", 0);
  if (found.length > MOST_FILES) onProblem(folder, `it has ${found.length} files; the first ${MOST_FILES} are read`);
  return found.slice(0, MOST_FILES);
};

const toReal = (realFolder: string | undefined, below: string): Pick<FoundFile, "real"> =>
  realFolder === undefined ? {} : { real: path.join(realFolder, below) };

/** The file of this name in each folder of a folder, whether there is one or not; `relative` is the name of the folder. */
export const findInFolders = async (
  folder: string,
  name: string,
  onProblem: FindOptions["onProblem"],
): Promise<readonly FoundFile[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const realFolder = entries.length === 0 ? undefined : await realpath(folder).catch(() => undefined);
  const found = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => ({
      file: path.join(folder, entry.name, name),
      relative: entry.name,
      ...(entry.isDirectory() ? toReal(realFolder, path.join(entry.name, name)) : {}),
    }));
  if (found.length > MOST_FILES) onProblem(folder, `it has ${found.length} folders; the first ${MOST_FILES} are read`);
  return found.slice(0, MOST_FILES);
};

/** The text of a file; throws what is to be said of it. Undefined where there is none. */
export const readSource = async (file: string, inside?: string): Promise<string | undefined> =>
  (await createSourceReader(inside)({ file }))?.text;

/** The same for texts that enter a context: a file with a second name may be a secret elsewhere. */
export const readContextSource = async (file: string, inside?: string): Promise<string | undefined> =>
  (await createSourceReader(inside, { refusesHardLinks: true })({ file }))?.text;

type ReaderOptions = { readonly refusesHardLinks?: boolean };

export type Source = {
  readonly text: string;
  /** Where the file really lies; not looked for where it may lie anywhere. */
  readonly real?: string;
};

/** The same for many files: where they must lie is looked for once, and where one lies only if that is not known. */
export const createSourceReader = (
  inside?: string,
  { refusesHardLinks = false }: ReaderOptions = {},
): ((found: Pick<FoundFile, "file" | "real">) => Promise<Source | undefined>) => {
  const bounds = inside === undefined ? undefined : realpath(inside);
  // Told where it is waited for.
  bounds?.catch(() => undefined);
  return async ({ file, real: known }) => {
    if (!bounds) return toSource(readPlainFile({ file }));
    const within = await bounds;
    const bounded = { within, refusesHardLinks };
    if (known !== undefined && NO_FOLLOW !== 0) {
      refuseOutside(within, known);
      const text = readPlainFile({ file: known, flags: NO_FOLLOW, ...bounded });
      if (text !== A_LINK) return toSource(text, known);
    }
    const real = await realpath(file).catch(() => undefined);
    if (real === undefined) return undefined;
    refuseOutside(within, real);
    return toSource(readPlainFile({ file: real, ...bounded }), real);
  };
};

const toSource = (text: string | undefined | typeof A_LINK, real?: string): Source | undefined =>
  typeof text === "string" ? { text, ...(real === undefined ? {} : { real }) } : undefined;

const refuseOutside = (bounds: string, real: string): void => {
  const relative = path.relative(bounds, real);
  if (relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
    throw new Error("it leads out of the project");
};

const A_LINK = Symbol("a link");
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const HAS_DESCRIPTORS = existsSync("/proc/self/fd");

type FileToRead = ReaderOptions & {
  readonly file: string;
  readonly flags?: number;
  /** Where what was opened must lie, whatever its name led to before. */
  readonly within?: string;
};

/** Without going through the thread pool, which costs more than reading these small files does. */
const readPlainFile = ({ file, flags = 0, within, refusesHardLinks }: FileToRead): string | undefined | typeof A_LINK => {
  let opened: number;
  try {
    // Without waiting for the other end, should it be a pipe.
    opened = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags);
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException; // Whatever a call of the system throws is one.
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (flags !== 0 && code === "ELOOP") return A_LINK;
    throw new Error(`it cannot be opened (${code ?? message})`, { cause: thrown });
  }
  try {
    const stat = fstatSync(opened);
    if (!stat.isFile()) throw new Error("it is no plain file");
    if (within !== undefined && HAS_DESCRIPTORS) refuseOutside(within, readlinkSync(`/proc/self/fd/${opened}`));
    if (refusesHardLinks && stat.nlink > 1) throw new Error("it has hard links, so that it may be another file elsewhere");
    if (stat.size > MOST_BYTES) throw new Error(`it has ${stat.size} bytes; ${MOST_BYTES} is the most`);
    return decode(readBytes(opened, stat.size));
  } finally {
    closeSync(opened);
  }
};

/** In one go, as large as it was said to be; what does not come in one go is read as any file is. */
const readBytes = (opened: number, size: number): Uint8Array => {
  const buffer = Buffer.allocUnsafe(size);
  return size > 0 && readSync(opened, buffer, 0, size, 0) === size ? buffer : readFileSync(opened);
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
