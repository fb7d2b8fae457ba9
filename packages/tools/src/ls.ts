/**
 * `ls`: a folder as a tree. The first line is the folder itself; below, each level is indented by two spaces, folders end with a slash and
 * tell how many files are in them, files tell their size. Lines in brackets say what was left out.
 */
import type { Dirent } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { Tool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { count, formatBytes, MAX_OUTPUT_CHARS } from "@retinue/confine";
import { toToolError } from "@retinue/confine";
import { escapeName, toAbsolutePath, toShownPath } from "@retinue/confine";
import type { IsSecret, OpenedFolder } from "@retinue/confine";
import { byPath, createSecretCheck, listFiles, openFolder } from "@retinue/confine";

const DEFAULT_DEPTH = 2;
const MAX_ENTRIES = 500;
const MAX_ENTRIES_A_FOLDER = 100;
const MAX_IGNORED_NAMED = 20;

const INPUT = z.object({
  path: z.string().min(1).optional(),
  depth: z.number().int().min(1).max(8).optional(),
});

export type LsInput = z.infer<typeof INPUT>;

export type LsOptions = {
  /** Globs of protected paths, relative to the workspace, that the user has set free. */
  readonly unprotected?: readonly string[];
};

export const createLsTool = ({ unprotected }: LsOptions = {}): Tool<LsInput> => {
  const isSecret = createSecretCheck(unprotected);
  return defineTool({
    name: "ls",
    description: "Lists a folder as a tree with sizes.",
    input: INPUT,
    effect: "read",
    timeoutMs: 60_000,
    touches: ({ path: named }) => ({ paths: [named ?? "."] }),
    execute: async ({ path: named, depth }, { workspace, signal }) => {
      const root = toAbsolutePath(workspace, named ?? ".");
      const shown = toShownPath(workspace, root);
      try {
        const stats = await lstat(root);
        if (!stats.isDirectory() && !stats.isSymbolicLink()) return `${shown}  ${formatBytes(stats.size)}`;
        await using opened = await openFolder({ workspace, absolute: root, shown, isSecret });
        const listing = await list({ workspace, opened, isSecret, depth: depth ?? DEFAULT_DEPTH, signal });
        return [`${shown}/  (${count(listing.files, "file")}${listing.whole ? "" : " or more"})`, ...listing.lines].join("\n");
      } catch (thrown) {
        throw toToolError(thrown, shown);
      }
    },
  });
};

type Listing = { readonly lines: readonly string[]; readonly files: number; readonly whole: boolean };

type Request = {
  readonly workspace: string;
  readonly opened: OpenedFolder;
  readonly isSecret: IsSecret;
  readonly depth: number;
  readonly signal: AbortSignal;
};

const list = async ({ workspace, opened, isSecret, depth, signal }: Request): Promise<Listing> => {
  const { files, whole } = await listFiles(opened, signal);
  const kept = new Set(files);
  const filesBelow = countFilesBelow(files);
  const lines: string[] = [];
  const ignored: string[] = [];
  let chars = 0;
  let cut = false;

  const add = (line: string): void => {
    chars += line.length + 1;
    cut ||= lines.length >= MAX_ENTRIES || chars > MAX_OUTPUT_CHARS - 1500;
    if (!cut) lines.push(line);
  };
  const walk = async (at: OpenedFolder, folder: string, level: number): Promise<void> => {
    // Another folder, or one behind a link, came to lie where one was listed.
    if (at.real !== path.join(opened.real, folder)) return;
    const entries = await readdir(at.held, { withFileTypes: true });
    const indent = "  ".repeat(level);
    let shownHere = 0;
    let leftHere = 0;
    for (const entry of entries.toSorted((a, b) => byPath(a.name, b.name))) {
      signal.throwIfAborted();
      if (cut) return;
      const file = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const below = filesBelow.get(file) ?? 0;
      if (
        isIgnored(
          entry,
          kept.has(file) || below > 0 || !whole || (entry.isDirectory() && (await isEmpty(path.join(at.held, entry.name)))),
        )
      ) {
        ignored.push(`${escapeName(file)}${entry.isDirectory() ? "/" : ""}`);
        continue;
      }
      if ((shownHere += 1) > MAX_ENTRIES_A_FOLDER) {
        leftHere += 1;
        continue;
      }
      if (!entry.isDirectory()) add(`${indent}${await describe(entry, path.join(at.held, entry.name))}`);
      else {
        add(`${indent}${escapeName(entry.name)}/  (${count(below, "file")})`);
        if (level < depth) await enter(path.join(at.held, entry.name), file, level + 1);
      }
    }
    if (leftHere > 0) add(`${indent}[${leftHere} more in this folder]`);
  };

  const enter = async (absolute: string, folder: string, level: number): Promise<void> => {
    let inner: OpenedFolder;
    try {
      inner = await openFolder({ workspace, absolute, shown: folder, isSecret });
    } catch (thrown) {
      // It is gone, may not be looked into, or is a secret: its name is told, and nothing of what is in it.
      if (thrown instanceof RetinueError) return;
      throw thrown;
    }
    await using at = inner;
    await walk(at, folder, level);
  };

  await walk(opened, "", 1);
  if (cut) lines.push("[cut here: list a folder of it, or with less depth]");
  if (ignored.length > 0) {
    const more = ignored.length - MAX_IGNORED_NAMED;
    lines.push(`[ignored: ${ignored.slice(0, MAX_IGNORED_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}]`);
  }
  return { lines, files: files.length, whole };
};

/** Links, devices and the like are never among the listed files, so that nothing says whether they are ignored. */
const isIgnored = (entry: Dirent, isListed: boolean): boolean =>
  entry.name === ".git" || ((entry.isFile() || entry.isDirectory()) && !isListed);

const isEmpty = async (folder: string): Promise<boolean> =>
  readdir(folder).then(
    (names) => names.length === 0,
    () => true,
  );

const countFilesBelow = (files: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const file of files)
    for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
      const folder = file.slice(0, end);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  return counts;
};

const describe = async (entry: Dirent, absolute: string): Promise<string> => {
  const name = escapeName(entry.name);
  if (entry.isSymbolicLink()) return `${name} -> ${escapeName(await readlink(absolute).catch(() => "?"))}`;
  if (entry.isFile())
    return `${name}  ${await lstat(absolute).then(
      (stats) => formatBytes(stats.size),
      () => "gone",
    )}`;
  return `${name}  (${entry.isFIFO() ? "FIFO" : entry.isSocket() ? "socket" : "device"})`;
};
