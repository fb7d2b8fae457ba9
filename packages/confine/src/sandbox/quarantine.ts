/**
 * Takes what a command has put under protected names out of the workspace, so that nobody runs or obeys it, however much there is. Nothing is
 * deleted: it lies in a folder of the user's state. Folders that a command has closed are opened again to be searched, and what cannot be searched
 * is an error.
 */
import { isUtf8 } from "node:buffer";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { chmod, constants, cp, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { RetinueError } from "@retinue/protocol";
import { codeOf } from "../files/system-error.ts";
import { inFolderOf } from "../files/write-inside.ts";
import { isPlainRepository } from "./plain-repository.ts";
import type { ProtectedFile, ProtectedSearch } from "./protected-files.ts";
import { identify, searchProtected } from "./protected-files.ts";

export type QuarantineSearch = ProtectedSearch & {
  /** What was there before the command; it is the user's, wherever it lies now. */
  readonly before: readonly ProtectedFile[];
  /** Paths at which the command could put nothing, absolute: what is new there is the user's. */
  readonly held?: readonly string[];
  /** Where to, by default a folder of the user's state. */
  readonly into?: string | undefined;
};

export type Quarantined = {
  /** Relative to the folder that was searched. */
  readonly files: readonly string[];
  /** Where they lie now, by the same names; undefined where there is nothing. */
  readonly place: string | undefined;
};

/** Throws where not all of the folder could be searched, or something could not be moved. */
export const quarantineNew = async (search: QuarantineSearch): Promise<Quarantined> => {
  const known = new Set(search.before.map(({ identity }) => identity));
  const into = search.into ?? quarantineFolder();
  const place = path.join(into, `${new Date().toISOString().replaceAll(/[:.]/g, "-")}-${randomBytes(4).toString("hex")}`);
  const files: string[] = [];
  const takeUnspeakable = async (found: readonly Buffer[]): Promise<void> => {
    for (const odd of new Set(found.map((file) => unspeakablePart(file).toString("latin1"))))
      files.push(await moveUnspeakable({ root: search.folder, file: Buffer.from(odd, "latin1"), place }));
  };
  for (const { file, kind, identity } of await searchOpened(search, { known, takeUnspeakable })) {
    // A new secret of the command's own is no danger.
    if (kind === "secret" || known.has(identity)) continue;
    const at = path.join(search.folder, file);
    if (search.held?.includes(at)) continue;
    if (path.basename(file).toLowerCase() === ".git" && (await isPlainRepository(at))) continue;
    if (await moveAway({ root: search.folder, file, to: path.join(place, file), known })) files.push(file);
  }
  return { files, place: files.length === 0 ? undefined : place };
};

const quarantineFolder = (): string => {
  const moved = process.env["RETINUE_HOME"]?.trim();
  return path.join(moved ? path.resolve(moved) : path.join(process.env["HOME"] || homedir(), ".retinue"), "quarantine");
};

/** Each time one level of closed folders is opened. */
const MOST_LEVELS = 1000;

type Opening = {
  readonly known: ReadonlySet<string>;
  readonly takeUnspeakable: (found: readonly Buffer[]) => Promise<void>;
};

/** Searches until no folder is closed but those that were closed before, and every name can be written. */
const searchOpened = async (search: QuarantineSearch, { known, takeUnspeakable }: Opening): Promise<readonly ProtectedFile[]> => {
  for (let level = 0; level < MOST_LEVELS; level += 1) {
    const { all, unspeakable } = await searchProtected(search);
    if (unspeakable.length > 0) {
      await takeUnspeakable(unspeakable);
      continue;
    }
    const closed = all.filter(({ isClosed, identity }) => isClosed === true && !known.has(identity));
    if (closed.length === 0) return all;
    for (const { file } of closed) await openUp(search.folder, file);
  }
  throw new RetinueError("tool_failed", `${search.folder} holds folders that are closed again and again.`);
};

const openUp = async (root: string, file: string): Promise<void> => {
  if (file === ".") await grantOwner(root);
  else await inFolderOf({ root, file, make: false }, (folder, name) => grantOwner(folder.at(name)));
};

/** Linux's flag to open something without any right to it but that of its place; Node does not name it. */
const O_PATH = 0o10000000;

/** Gives the owner of a folder all rights, no link followed. Tells which rights it had. */
const grantOwner = async (at: string | Buffer): Promise<number> => {
  const handle = await open(at, O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  try {
    const { mode } = await handle.stat();
    await chmod(descriptor(handle), (mode & 0o7777) | 0o700);
    return mode & 0o7777;
  } finally {
    await handle.close();
  }
};

const descriptor = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`;

type Move = {
  readonly root: string;
  readonly file: string;
  readonly to: string;
  readonly known: ReadonlySet<string>;
};

/** False where it is gone, or turned out to be the user's. */
const moveAway = async ({ root, file, to, known }: Move): Promise<boolean> => {
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
  const parent = path.dirname(file);
  try {
    return await inFolderOf({ root, file, make: false }, async (folder, name) => {
      const from = folder.at(name);
      if (!(await moveOpening({ from, to, holder: folder.at(".") }))) return false;
      // What lay there when it was found may have been swapped for what is the user's.
      const moved = await identify(to);
      if (moved === undefined || !known.has(moved.identity)) return true;
      await rename(to, from);
      return false;
    });
  } catch (thrown) {
    if (codeOf(thrown instanceof RetinueError ? thrown.cause : thrown) === "ENOENT") return false;
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new RetinueError(
      "tool_failed",
      `${file} in ${path.join(root, parent)} could not be taken out of the workspace: ${why}`,
      {
        cause: thrown,
      },
    );
  }
};

/** The path down to the first name that is not in UTF-8. No command starts where there is one, so that it is the command's own. */
const unspeakablePart = (file: Buffer): Buffer => {
  let end = file.indexOf("/");
  while (end !== -1 && isUtf8(file.subarray(0, end))) end = file.indexOf("/", end + 1);
  return end === -1 ? file : file.subarray(0, end);
};

/** Moves it whole, with what it holds. Gives its name as it can be written, which is also where it lies now. */
const moveUnspeakable = async ({ root, file, place }: { root: string; file: Buffer; place: string }): Promise<string> => {
  const split = file.lastIndexOf("/");
  const name = file.subarray(split + 1);
  const parent = split === -1 ? "" : file.subarray(0, split).toString("utf8");
  const written = path.posix.join(parent, spell(name));
  await mkdir(path.dirname(path.join(place, written)), { recursive: true, mode: 0o700 });
  try {
    await inFolderOf({ root, file: path.posix.join(parent, "x"), make: false }, async (folder) => {
      const from = Buffer.concat([Buffer.from(folder.at("")), name]);
      await moveOpening({ from, to: path.join(place, written), holder: folder.at(".") });
    });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new RetinueError("tool_failed", `${written} could not be taken out of ${root}: ${why}`, { cause: thrown });
  }
  return written;
};

/** Bytes that are no plain letters as in addresses. */
const spell = (name: Buffer): string =>
  [...name]
    .map((byte) => (/[\w.-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`))
    .join("");

type Step = { readonly from: string | Buffer; readonly to: string; readonly holder: string };

/** A folder that may not be written lets nothing go; it may while this moves. */
const moveOpening = async ({ from, to, holder }: Step): Promise<boolean> => {
  try {
    return await move(from, to);
  } catch (thrown) {
    if (codeOf(thrown) !== "EACCES" && codeOf(thrown) !== "EPERM") throw thrown;
  }
  const mode = await grantOwner(holder);
  try {
    if ((await lstat(from)).isDirectory()) await grantOwner(from);
    return await move(from, to);
  } finally {
    await chmod(holder, mode);
  }
};

const move = async (from: string | Buffer, to: string): Promise<boolean> => {
  try {
    await rename(from, to);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return false;
    if (codeOf(thrown) !== "EXDEV") throw thrown;
    if (typeof from === "string") await copyAway(from, to);
    else await moveBytes(from, to);
  }
  return true;
};

const copyAway = async (from: string, to: string): Promise<void> => {
  await cp(from, to, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false });
  await rm(from, { recursive: true });
};

/** To another file system, by a program that takes names as bytes; for its arguments it needs one that can be written. */
const moveBytes = async (from: Buffer, to: string): Promise<void> => {
  const holder = from.subarray(0, from.lastIndexOf("/")).toString("utf8").replace("/proc/self/", `/proc/${process.pid}/`);
  const named = `${holder}/unspeakable-${randomBytes(8).toString("hex")}`;
  await rename(from, named);
  await promisify(execFile)("/bin/mv", ["--no-target-directory", "--", named, to], { env: { LC_ALL: "C" } });
};
