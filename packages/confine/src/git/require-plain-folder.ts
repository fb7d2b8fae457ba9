/**
 * Looks through a `.git` before git does. Whoever made the folder, an agent or whoever packed the project, may have put links in place of files that git
 * reads and prints, or writes; so everything that git may open has to be a file or a folder of its own. Nothing is followed, and a folder that has not
 * changed since it was last looked through is not read again.
 */
import type { Dirent } from "node:fs";
import { lstatSync, opendirSync } from "node:fs";
import path from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { RetinueError } from "@retinue/protocol";
import { codeOf } from "../files/system-error.ts";

/** Of a folder that was found to be in order. */
type Known = { readonly identity: string; readonly entries: number; readonly folders: readonly string[] };

const known = new Map<string, Known>();
const MOST_KNOWN = 50_000;
const MOST_ENTRIES = 1_000_000;
const FOLDERS_AT_ONCE = 256;
/** A change this soon after another may bear the same time. */
const SURE_AFTER_NS = 100_000_000n;

/** What our calls of git never open, and where people do have links: hooks are switched off, the rest belongs to other programs. */
const NEVER_OPENED = /^(?:(?:modules\/(?:.+\/)?)?hooks|lfs|annex|svn)$/;
const SOCKET_OF_MONITOR = "fsmonitor--daemon.ipc";

export const requirePlainFolder = async (gitFolder: string): Promise<void> => {
  const waiting = [""];
  let entries = 0;
  for (let looked = 0, next = waiting.pop(); next !== undefined; next = waiting.pop(), looked += 1) {
    const { folders, entries: more } = lookThrough(gitFolder, next);
    waiting.push(...folders);
    entries += more;
    if (entries > MOST_ENTRIES)
      throw unsafe(gitFolder, "it holds too many files to be looked through", "`git gc` makes them fewer.");
    if (looked % FOLDERS_AT_ONCE === FOLDERS_AT_ONCE - 1) await breathe();
  }
};

const lookThrough = (gitFolder: string, folder: string): Known => {
  const at = path.join(gitFolder, folder);
  try {
    const stats = lstatSync(at, { bigint: true });
    if (!stats.isDirectory()) throw unsafe(gitFolder, `${folder || "it"} is no folder`);
    const identity = `${stats.dev}:${stats.ino}:${stats.ctimeNs}:${stats.mtimeNs}`;
    const before = known.get(at);
    if (before?.identity === identity) return before;
    const found: Known = { identity, ...readFolder(gitFolder, folder) };
    if (known.size >= MOST_KNOWN) known.clear();
    if (BigInt(Date.now()) * 1_000_000n - stats.ctimeNs > SURE_AFTER_NS) known.set(at, found);
    else known.delete(at);
    return found;
  } catch (thrown) {
    if (thrown instanceof RetinueError) throw thrown;
    // Git removes folders that are empty; what may not be read is not known to be in order.
    if (codeOf(thrown) === "ENOENT" && folder !== "") return { identity: "", entries: 0, folders: [] };
    throw unsafe(gitFolder, `${folder || "it"} could not be looked through (${codeOf(thrown) ?? "unknown"})`);
  }
};

const readFolder = (gitFolder: string, folder: string): Omit<Known, "identity"> => {
  const open = opendirSync(path.join(gitFolder, folder), { bufferSize: 512 });
  const folders: string[] = [];
  let entries = 0;
  try {
    for (let entry = open.readSync(); entry; entry = open.readSync()) {
      const file = folder === "" ? entry.name : `${folder}/${entry.name}`;
      entries += 1;
      if (entries > MOST_ENTRIES) throw unsafe(gitFolder, `${folder} holds too many files to be looked through`);
      if (NEVER_OPENED.test(file)) continue;
      if (entry.isDirectory()) folders.push(file);
      else requirePlainFile(gitFolder, file, entry);
    }
  } finally {
    open.closeSync();
  }
  return { entries, folders };
};

const requirePlainFile = (gitFolder: string, file: string, entry: Dirent): void => {
  if (entry.isSymbolicLink()) throw unsafe(gitFolder, `${file} is a symbolic link`);
  if (file.endsWith("objects/info/alternates"))
    throw unsafe(
      gitFolder,
      `${file} takes objects from another repository`,
      "The user can make it whole with `git repack -a -d` and then delete that file.",
    );
  if (!entry.isFile() && !(entry.isSocket() && file === SOCKET_OF_MONITOR)) throw unsafe(gitFolder, `${file} is no regular file`);
};

/** Files that git writes in place: with a second name they may be files elsewhere. */
export const requireSingleName = (gitFolder: string, files: readonly string[]): void => {
  for (const file of files) {
    const stats = lstatSync(path.join(gitFolder, file), { throwIfNoEntry: false });
    if (stats !== undefined && stats.nlink > 1) throw unsafe(gitFolder, `${file} has a second name elsewhere (a hard link)`);
  }
};

const unsafe = (gitFolder: string, why: string, hint?: string): RetinueError =>
  new RetinueError(
    "repository_unsafe",
    `Git was not run: ${gitFolder} is not as git makes it: ${why}.`,
    hint === undefined ? {} : { hint },
  );
