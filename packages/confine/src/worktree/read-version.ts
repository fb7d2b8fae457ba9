/** What stands at a path below a root, by mode and content, without following a link anywhere on the way or at the end. */
import { constants, lstat, open, readlink } from "node:fs/promises";
import type { FileVersion } from "@retinue/protocol";
import { toFileVersion } from "@retinue/runtime";
import { codeOf } from "../files/system-error.ts";
import type { HeldFolder } from "../files/write-inside.ts";
import { inFolderOf } from "../files/write-inside.ts";
import type { ObjectFormat } from "./blob-id.ts";
import { blobIdOf, blobIdOfFile } from "./blob-id.ts";

export type Standing =
  | { readonly type: "file"; readonly version: FileVersion; readonly size: number }
  | { readonly type: "link"; readonly version: FileVersion; readonly target: string }
  /** `isBlocked`: a file stands where one of its folders would be. */
  | { readonly type: "nothing"; readonly isBlocked: boolean }
  | { readonly type: "folder" }
  | { readonly type: "unusable"; readonly why: string };

export type ReadVersion = { readonly root: string; readonly file: string; readonly format: ObjectFormat };

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

export const readVersion = async ({ root, file, format }: ReadVersion): Promise<Standing> => {
  try {
    return await inFolderOf({ root, file, make: false }, (folder, name) => standingOf(folder, name, format));
  } catch (thrown) {
    const code = systemCodeOf(thrown);
    if (code === "ENOENT") return { type: "nothing", isBlocked: false };
    if (code === "ENOTDIR") return { type: "nothing", isBlocked: true };
    if (code === "ELOOP") return { type: "unusable", why: "a symbolic link stands on the way to it" };
    return { type: "unusable", why: thrown instanceof Error ? thrown.message : String(thrown) };
  }
};

/** Of what is thrown by acts on files, also after it was put into words. */
export const systemCodeOf = (thrown: unknown): string | undefined =>
  codeOf(thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown);

export const standingOf = async (folder: HeldFolder, name: string, format: ObjectFormat): Promise<Standing> => {
  const at = folder.at(name);
  const stats = await lstat(at);
  if (stats.isSymbolicLink()) {
    const target = await readlink(at);
    return { type: "link", target, version: toFileVersion(LINK_MODE, blobIdOf(Buffer.from(target), format)) };
  }
  if (stats.isDirectory()) return { type: "folder" };
  if (!stats.isFile()) return { type: "unusable", why: "it is no regular file but a device, FIFO or socket" };
  const handle = await open(at, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) return { type: "unusable", why: "it is no regular file" };
    const id = await blobIdOfFile(handle, opened.size, format);
    if (id === undefined) return { type: "unusable", why: "it is being written to" };
    return { type: "file", size: opened.size, version: toFileVersion(toGitMode(opened.mode), id) };
  } finally {
    await handle.close();
  }
};

export const LINK_MODE = "120000";
export const PLAIN_MODE = "100644";
export const EXECUTABLE_MODE = "100755";

export const toGitMode = (mode: number): string => ((mode & 0o100) === 0 ? PLAIN_MODE : EXECUTABLE_MODE);

/** Mode and id again. */
export const splitVersion = (version: FileVersion): { readonly mode: string; readonly id: string } => {
  const [mode = "", id = ""] = version.split(" ");
  return { mode, id };
};
