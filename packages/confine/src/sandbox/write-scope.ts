/**
 * From globs of paths that may be written to folders and files that a sandbox can open for writing. Never more than the grant: a glob that
 * is finer than a folder opens nothing.
 */
import { lstat, mkdir } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { ToolScope } from "@retinue/runtime";
import { isInScope, isPathGlob } from "@retinue/runtime";
import { toToolError } from "../files/system-error.ts";

/** Relative to the workspace, with forward slashes; "" is all of it. */
export type WriteScope = { readonly folders: readonly string[]; readonly files: readonly string[] };

const SPECIAL = /[*?[\]{}()!+@|\\]/;

/** Folders of which everything may be written, and single files. */
export const toWriteScope = (writes: ToolScope["writes"]): WriteScope => {
  let folders = [""];
  for (const globs of writes) {
    const granted = globs.flatMap((glob) => toFolder(glob) ?? []);
    folders = withoutNested(folders.flatMap((folder) => granted.flatMap((other) => meet(folder, other) ?? [])));
  }
  const files = writes
    .flat()
    .map(toPlain)
    .filter(
      (file) => file !== undefined && file !== "" && isInScope(writes, file) && !folders.some((folder) => isBelow(folder, file)),
    );
  return { folders, files: [...new Set(files as string[])] };
};

/** The folder of `folder/**`, of which every path matches. */
const toFolder = (glob: string): string | undefined => {
  // What the grant does not read, a sandbox does not open.
  if (!isPathGlob(glob)) return undefined;
  const [, prefix] = /^(?!\/)(.*?)(?:^|\/)\*\*(?:\/\*)?$/s.exec(glob.replace(/^(?:\.\/)+/, "")) ?? [];
  return prefix === undefined ? undefined : toPlain(prefix);
};

/** The path that a glob without anything special names. */
const toPlain = (glob: string): string | undefined => {
  const file = glob.replace(/^(?:\.\/)+/, "").replace(/^\.$/, "");
  const isPlain = !SPECIAL.test(file) && !path.posix.isAbsolute(file) && path.posix.normalize(file || ".") === (file || ".");
  return isPlain && !file.split("/").includes("..") ? file : undefined;
};

const isBelow = (folder: string, file: string): boolean => folder === "" || file === folder || file.startsWith(`${folder}/`);

/** What two folders have in common: the deeper one, if it lies in the other. */
const meet = (a: string, b: string): string | undefined => (isBelow(a, b) ? b : isBelow(b, a) ? a : undefined);

const withoutNested = (folders: readonly string[]): string[] => {
  const all = [...new Set(folders)];
  return all.filter((folder) => !all.some((other) => other !== folder && isBelow(other, folder)));
};

/** A folder or file that was looked at, and which one it was. */
export type OpenedPath = { readonly path: string; readonly identity: string };

/** Where the scope lies on the disk. A folder that is missing is made; one that is a link, or behind one, refuses the whole scope. */
export const openWriteScope = async (workspace: string, { folders, files }: WriteScope): Promise<readonly OpenedPath[]> => {
  const opened: OpenedPath[] = [];
  for (const folder of folders) opened.push(await openFolder(workspace, folder));
  for (const file of files) {
    const stats = await lstat(path.join(workspace, file), { bigint: true }).catch(() => undefined);
    if (!stats?.isFile() || stats.nlink > 1n) continue;
    await openFolder(workspace, path.posix.dirname(file), { make: false });
    opened.push({ path: path.join(workspace, file), identity: `${stats.dev}:${stats.ino}` });
  }
  return opened;
};

const openFolder = async (workspace: string, folder: string, { make = true } = {}): Promise<OpenedPath> => {
  let at = workspace;
  for (const name of folder.split("/").filter((part) => part !== "" && part !== ".")) {
    at = path.join(at, name);
    const stats = await lstat(at).catch(() => undefined);
    if (stats === undefined && make) await mkdir(at);
    else if (!stats?.isDirectory())
      throw new RetinueError(
        "path_outside_scope",
        `${folder} of this agent's write scope is ${stats?.isSymbolicLink() ? "or lies behind a symbolic link" : "no folder"}.`,
        { hint: "The user has to put a folder there, or name the real one." },
      );
  }
  const stats = await lstat(at, { bigint: true }).catch((thrown: unknown) => {
    throw toToolError(thrown, at);
  });
  return { path: at, identity: `${stats.dev}:${stats.ino}` };
};
