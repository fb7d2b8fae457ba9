/** Where the project of a workspace lies, and what of it a sandbox hides or keeps from being written. */
import { lstat, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { isInside } from "@retinue/runtime";
import type { ProtectedFile } from "./protected-files.ts";
import type { HiddenPath } from "./sandbox.ts";
import type { OpenedPath } from "./write-scope.ts";

/** The top of the repository that the workspace is a part of: its packages and its settings are needed to work in it. */
export const findProjectRoot = async (workspace: string): Promise<string> => {
  const home = process.env["HOME"];
  for (let at = workspace; at !== path.dirname(at) && at !== home; at = path.dirname(at))
    if (await stat(path.join(at, ".git")).catch(() => undefined)) return at;
  return workspace;
};

/** Where a command sees its project. */
export type ProjectView = {
  /** The whole project, seen or not. */
  readonly project: string;
  /** The outermost folder of the project that is seen. */
  readonly root: string;
  /** Folders that are seen as empty, but for what is bound in them. */
  readonly emptied: readonly string[];
  /** What of the rest of the project programs need. */
  readonly packages: readonly string[];
};

/** `directory`: the part of a workspace that the command's run was given; of the rest of the project only installed packages are seen. */
export const findProjectView = async (workspace: string, directory: string | undefined): Promise<ProjectView> => {
  if (directory === undefined) {
    const root = await findProjectRoot(workspace);
    return { project: root, root, emptied: findNeighbourhood(root), packages: [] };
  }
  const whole = directory.split("/").reduce((folder) => path.dirname(folder), workspace);
  const project = await findProjectRoot(whole);
  return {
    project,
    root: workspace,
    emptied: [...findNeighbourhood(project), project],
    packages: await findPackages(path.dirname(workspace), project),
  };
};

/** Folders of installed packages, which programs look for from their own folder up. */
const PACKAGES = ["node_modules", ".venv"];

const findPackages = async (from: string, upTo: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (let at = from; isInside(upTo, at); at = path.dirname(at))
    for (const name of PACKAGES) {
      const folder = path.join(at, name);
      // A link could lead to any part of the project.
      if ((await lstat(folder).catch(() => undefined))?.isDirectory() === true) found.push(folder);
    }
  return found;
};

/** Folders that hold programs and not projects. */
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set([
  "/",
  "/usr",
  "/usr/local",
  "/usr/share",
  "/opt",
  "/var",
  "/var/lib",
  "/etc",
  "/nix",
]);

/** Where a project lies other projects lie too, which are none of the command's business. */
export const findNeighbourhood = (root: string): readonly string[] => {
  const folder = path.dirname(root);
  return SYSTEM_FOLDERS.has(folder) ? [] : [folder];
};

/** A link cannot be mounted over; what is put in its place is found out afterwards. */
export const toReadOnly = (root: string, found: readonly ProtectedFile[], opened: readonly OpenedPath[]): readonly string[] =>
  found
    .filter(({ kind, type }) => kind !== "secret" && type !== "link")
    .map(({ file }) => path.join(root, file))
    .filter((file) => opened.some((each) => isInside(each.path, file)));

/**
 * Folders that a command may write in but not move: those on the way to a secret or to what something trusted runs, and those by whose name what is in them is known. Each is mounted
 * on itself; a mount cannot be renamed, so that no search for secrets is led past one while others work.
 */
export const toPinned = (root: string, found: readonly ProtectedFile[], opened: readonly OpenedPath[]): readonly string[] => {
  const whole = found.filter(({ type }) => type === "folder").map(({ file }) => path.join(root, file));
  const pinned = new Set<string>();
  for (const { file, kind, isBound = false } of found)
    for (let at = path.dirname(file); at !== "."; at = path.dirname(at)) {
      const folder = path.join(root, at);
      if (kind !== "secret" && !isBound && !path.basename(at).startsWith(".")) continue;
      if (whole.some((each) => isInside(each, folder))) continue;
      if (opened.some((each) => each.path !== folder && isInside(each.path, folder))) pinned.add(folder);
    }
  return [...pinned];
};

/** Of what is mounted, where nothing else can come to lie as long as it is: no folder on the way there can be moved. */
export const toHeld = (root: string, workspace: string, found: readonly ProtectedFile[]): readonly string[] =>
  found
    .filter(({ type }) => type !== "link")
    .map(({ file }) => path.join(root, file))
    .filter(
      (file) => isInside(workspace, file) && foldersOf(path.relative(workspace, file)).every((name) => name.startsWith(".")),
    );

const foldersOf = (file: string): readonly string[] => file.split(path.sep).slice(0, -1);

/** Of a link that is named like a secret, what it leads to. */
export const toHidden = async (root: string, found: readonly ProtectedFile[]): Promise<readonly HiddenPath[]> => {
  const hidden: HiddenPath[] = [];
  for (const { file, kind, type } of found) {
    if (kind !== "secret") continue;
    const at = path.join(root, file);
    const real = type === "link" ? await realpath(at).catch(() => undefined) : at;
    const stats = real === undefined ? undefined : await stat(real).catch(() => undefined);
    if (real !== undefined && stats) hidden.push({ path: real, isFolder: stats.isDirectory() });
  }
  return hidden;
};
