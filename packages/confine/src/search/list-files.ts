/** All files below a folder that no ignore file excludes: hidden ones too, but not those of `.git`. */
import path from "node:path";
import type { OpenedFolder } from "../files/open-folder.ts";
import { runRipgrep, toIgnoreArgs } from "./ripgrep.ts";

export type FileList = {
  /** Relative to the folder, with forward slashes. */
  readonly files: readonly string[];
  /** False when there were too many, or they took too long. */
  readonly whole: boolean;
};

const MAX_FILES = 200_000;
const TIME_LIMIT_MS = 20_000;

/** As they are found, for those who look at few of them; `more` are arguments of ripgrep. */
export const listUnordered = async (
  named: string | OpenedFolder,
  signal: AbortSignal,
  more: readonly string[] = [],
): Promise<FileList> => {
  const folder = typeof named === "string" ? named : named.real;
  const files: string[] = [];
  const end = await runRipgrep({
    args: ["--files", "--null", "--hidden", "--glob=!.git", ...more, ...(await toIgnoreArgs(folder))],
    cwd: typeof named === "string" ? named : named.held,
    separator: "\0",
    timeLimitMs: TIME_LIMIT_MS,
    signal,
    onRecord: (record) => files.push(path.sep === "/" ? record : record.replaceAll(path.sep, "/")) < MAX_FILES,
  });
  return { files, whole: end === "done" };
};

/** In order. */
export const listFiles = async (folder: string | OpenedFolder, signal: AbortSignal): Promise<FileList> => {
  const { files, whole } = await listUnordered(folder, signal);
  return { files: files.toSorted(), whole };
};

/** Plain order by code unit, the same on every machine. */
export const byPath = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
