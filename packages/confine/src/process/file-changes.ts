/**
 * Measures which files of a folder a command has created or changed, by looking before and after. Files that ignore files exclude are not
 * looked at, and neither is a tree that is too large to be looked at twice.
 */
import { lstatSync } from "node:fs";
import path from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import type { FileChanges } from "@retinue/protocol";
import { byPath } from "../search/list-files.ts";
import { runRipgrep, toIgnoreArgs } from "../search/ripgrep.ts";

/** What is known of each file, by its path relative to the folder; undefined: too many. */
export type Snapshot = ReadonlyMap<string, FileState> | undefined;

export type FileState = { readonly state: string; readonly hardLinks: number };

const NEVER = new AbortController().signal;
const MAX_FILES = 20_000;
const TIME_LIMIT_MS = 5000;
const STATS_AT_ONCE = 500;

/** Without a signal it is taken also when the run is being cancelled: what a command did is told all the same. */
export const takeSnapshot = async (folder: string, signal: AbortSignal = NEVER): Promise<Snapshot> => {
  const files: string[] = [];
  const end = await runRipgrep({
    args: ["--files", "--null", "--hidden", "--glob=!.git", ...(await toIgnoreArgs(folder))],
    cwd: folder,
    separator: "\0",
    timeLimitMs: TIME_LIMIT_MS,
    signal,
    onRecord: (record) => files.push(record) <= MAX_FILES,
  });
  if (end !== "done") return undefined;
  const snapshot = new Map<string, FileState>();
  for (const [index, file] of files.entries()) {
    if (index % STATS_AT_ONCE === STATS_AT_ONCE - 1) await breathe();
    const stats = lstatSync(path.join(folder, file), { throwIfNoEntry: false });
    if (stats)
      snapshot.set(file.replaceAll(path.sep, "/"), {
        state: `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`,
        hardLinks: stats.nlink,
      });
  }
  return snapshot;
};

/** Undefined where one of them could not be taken. */
export const compareSnapshots = (before: Snapshot, after: Snapshot): FileChanges | undefined => {
  if (before === undefined || after === undefined) return undefined;
  const created: string[] = [];
  const modified: string[] = [];
  for (const [file, { state }] of after) {
    const known = before.get(file);
    if (known === undefined) created.push(file);
    else if (known.state !== state) modified.push(file);
  }
  return { created: created.toSorted(byPath), modified: modified.toSorted(byPath) };
};
