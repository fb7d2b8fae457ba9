/**
 * Writes a file below a root so that nothing outside the root is ever written or created, whoever swaps folders and links meanwhile: every
 * component is opened relative to the one before without following links, and what is opened is examined before it is changed.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { constants, lstat, mkdir, open, realpath, rename, unlink } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { isInside } from "@retinue/runtime";
import { liesAt } from "./real-place.ts";
import { codeOf, toToolError } from "./system-error.ts";

export type InsideWrite = {
  /** Absolute and real. */
  readonly root: string;
  /** Relative to the root, with forward slashes or the platform's. */
  readonly file: string;
  readonly content: string | Uint8Array;
  /** Whether it may be run; by default as it is, and not for a new one. */
  readonly executable?: boolean;
  /** How folders are held; by default the surest that the platform has. */
  readonly hold?: HoldFolder;
};

export type WriteOutcome = "created" | "modified" | "unchanged";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

export const writeInside = async ({ content, executable, ...at }: InsideWrite): Promise<WriteOutcome> =>
  inFolderOf({ ...at, make: true }, (folder, name) =>
    writeInto(folder, name, {
      bytes: typeof content === "string" ? Buffer.from(content, "utf8") : content,
      executable,
      folder: path.dirname(path.join(at.root, at.file)),
    }),
  );

export type InsidePath = Pick<InsideWrite, "root" | "file" | "hold"> & {
  /** Folders are made where they are missing. */
  readonly make: boolean;
};

/** Does something in the folder that a file below the root lies in, or would lie in. No link is followed on the way there. */
export const inFolderOf = async <T>(
  { root, file, make, hold = holdFolders() }: InsidePath,
  work: (folder: HeldFolder, name: string) => Promise<T>,
): Promise<T> => {
  const names = toNames(file);
  const name = names.pop() ?? "";
  let folder: HeldFolder | undefined;
  let walked = "";
  try {
    folder = await hold(root, root);
    for (const next of names) {
      walked = walked === "" ? next : `${walked}/${next}`;
      const inner = await enter({ folder, name: next, root, hold, make });
      await folder.close();
      folder = inner;
    }
    walked = file;
    return await work(folder, name);
  } catch (thrown) {
    throw refusal(thrown, walked || file);
  } finally {
    await folder?.close();
  }
};

/** The components of a path. Only plain names pass, so that what was judged and what is walked are the same. */
const toNames = (file: string): string[] => {
  const names = file.split(path.sep === "\\" ? /[\\/]/ : "/");
  if (file.includes("\0") || path.isAbsolute(file) || names.some((name) => name === "" || name === "." || name === ".."))
    throw new RetinueError(
      "path_outside_workspace",
      `"${file.replaceAll("\0", "\\0")}" is not a plain path below the workspace.`,
      {
        hint: 'Give it relative to the workspace, without "..", "." or a slash at the end.',
      },
    );
  return names;
};

const refusal = (thrown: unknown, shown: string): unknown =>
  codeOf(thrown) === "ELOOP"
    ? new RetinueError("tool_failed", `${shown} is a symbolic link; nothing is written through links.`, {
        hint: "Name the real path.",
        cause: thrown,
      })
    : toToolError(thrown, shown);

/** A folder that stays the same one whatever happens to its path. */
export type HeldFolder = {
  /** The path of an entry of it. */
  readonly at: (name: string) => string;
  readonly close: () => Promise<void>;
};

/** Opens a folder without following a link at its end. */
export type HoldFolder = (folder: string, root: string) => Promise<HeldFolder>;

/** By its descriptor: `/proc/self/fd/N/name` is openat(N, name). Sure against any race. */
export const holdByDescriptor: HoldFolder = async (folder) => {
  const handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  return { at: (name) => `/proc/self/fd/${handle.fd}/${name}`, close: () => handle.close() };
};

/**
 * By its real path, where there is no /proc (macOS, Windows): links that are there are refused, but someone who swaps a folder for a link
 * between this check and the act that follows could win.
 */
export const holdByRealPath: HoldFolder = async (folder, root) => {
  if ((await lstat(folder)).isSymbolicLink()) throw Object.assign(new Error("symbolic link"), { code: "ELOOP" });
  const real = await realpath(folder);
  if (!isInside(root, real)) throw new RetinueError("path_outside_workspace", `${folder} is ${real}, which is outside ${root}.`);
  const handle = await open(real, O_RDONLY | (O_DIRECTORY ?? 0) | (O_NOFOLLOW ?? 0)).catch((thrown: unknown) => {
    // Windows opens no folders.
    if (process.platform === "win32") return undefined;
    throw thrown;
  });
  return { at: (name) => path.join(real, name), close: async () => handle?.close() };
};

const holdFolders = (): HoldFolder => (existsSync("/proc/self/fd") ? holdByDescriptor : holdByRealPath);

type Entering = {
  readonly folder: HeldFolder;
  readonly name: string;
  readonly root: string;
  readonly hold: HoldFolder;
  readonly make: boolean;
};

/** Goes one folder down. */
const enter = async ({ folder, name, root, hold, make }: Entering): Promise<HeldFolder> => {
  const inner = folder.at(name);
  try {
    return await hold(inner, root);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOTDIR" && (await isLink(inner))) throw Object.assign(new Error("symbolic link"), { code: "ELOOP" });
    if (codeOf(thrown) !== "ENOENT" || !make) throw thrown;
  }
  try {
    await mkdir(inner);
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
  return hold(inner, root);
};

const isLink = (file: string): Promise<boolean> =>
  lstat(file).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );

type Content = {
  readonly bytes: Uint8Array;
  readonly executable: boolean | undefined;
  /** Where the folder has to lie. */
  readonly folder: string;
};

/** A folder that was held may have been moved since, with all that is in it: nothing is written into what lies elsewhere now. */
const requireIn = (handle: FileHandle, folder: string): void => {
  if (!liesAt(handle.fd, folder, "folder"))
    throw new RetinueError(
      "tool_failed",
      `${folder} was moved or replaced while a file in it was being written; nothing was written.`,
      {
        hint: "Look where it is now.",
      },
    );
};

const writeInto = async (folder: HeldFolder, name: string, content: Content): Promise<WriteOutcome> => {
  const target = folder.at(name);
  let created: FileHandle;
  try {
    created = await open(target, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), content.executable === true ? 0o777 : 0o666);
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
    return replace(folder, name, content);
  }
  try {
    requireIn(created, content.folder);
    await created.writeFile(content.bytes);
    requireIn(created, content.folder);
    return "created";
  } catch (thrown) {
    await created.truncate(0).catch(() => undefined);
    await unlink(target).catch(() => undefined);
    throw thrown;
  } finally {
    await created.close();
  }
};

const replace = async (
  folder: HeldFolder,
  name: string,
  { bytes, executable, folder: place }: Content,
): Promise<WriteOutcome> => {
  // Neither cut nor waited for: what it is, is known only after opening.
  const existing = await open(folder.at(name), O_RDWR | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
  try {
    const stats = await existing.stat();
    if (!stats.isFile()) throw new RetinueError("tool_failed", `${name} is no regular file.`);
    if (stats.nlink > 1)
      throw new RetinueError(
        "tool_failed",
        `${name} has ${stats.nlink} hard links; writing it would change a file elsewhere too.`,
        {
          hint: "Delete it and write it anew, or choose another name.",
        },
      );
    requireIn(existing, place);
    const { uid, gid } = stats;
    const mode = toMode(stats.mode & 0o777, executable);
    if (stats.size === bytes.length && (await existing.readFile()).equals(bytes)) {
      if (mode === (stats.mode & 0o777)) return "unchanged";
      await existing.chmod(mode);
      return "modified";
    }
    if (!(await swapIn({ folder, name, bytes, mode, uid, gid, place }))) {
      if (mode !== (stats.mode & 0o777)) await existing.chmod(mode);
      await existing.truncate(0);
      for (let at = 0; at < bytes.length;) at += (await existing.write(bytes, at, bytes.length - at, at)).bytesWritten;
    }
    return "modified";
  } finally {
    await existing.close();
  }
};

/** Whoever may read it may run it, or nobody. */
const toMode = (mode: number, executable: boolean | undefined): number => {
  if (executable === undefined || executable === ((mode & 0o111) !== 0)) return mode;
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
};

type Swap = {
  readonly folder: HeldFolder;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly place: string;
};

/** Why a file cannot be replaced by another but may still be written itself. */
const ONLY_IN_PLACE: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM", "EBUSY", "EXDEV", "ENAMETOOLONG"]);

/** Writes beside the file and renames over it, so that a full disk or a crash leaves the old content whole. False: not possible here. */
const swapIn = async ({ folder, name, bytes, mode, uid, gid, place }: Swap): Promise<boolean> => {
  const beside = folder.at(`.${name}.${randomBytes(6).toString("hex")}.tmp`);
  let handle: FileHandle | undefined;
  try {
    handle = await open(beside, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), 0o600);
    requireIn(handle, place);
    const made = await handle.stat();
    if (made.uid !== uid || made.gid !== gid) await handle.chown(uid, gid);
    await handle.writeFile(bytes);
    // Rights to run as another user do not pass on to new content.
    await handle.chmod(mode & 0o777);
    requireIn(handle, place);
    await handle.close();
    await rename(beside, folder.at(name));
    return true;
  } catch (thrown) {
    if (handle) {
      await handle.close().catch(() => undefined);
      await unlink(beside).catch(() => undefined);
    }
    if (ONLY_IN_PLACE.has(codeOf(thrown))) return false;
    throw thrown;
  }
};
