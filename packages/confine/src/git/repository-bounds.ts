/** What a call of git sees of the machine: the workspace to read, `.git` to read or to write, and what the call itself names besides. */
import { lstatSync } from "node:fs";
import path from "node:path";
import type { GitBounds } from "./confined-git.ts";
import type { FoundRepository } from "./find-repository.ts";
import type { GitSetting } from "./harmless-config.ts";

export type OpenedFolders = {
  /** Takes locks and writes to `.git`; otherwise git does without. */
  readonly writes?: boolean;
  /** Folders besides that it may read, or also write. */
  readonly alsoReads?: readonly string[];
  readonly alsoWrites?: readonly string[];
};

export type BoundRun = {
  readonly found: FoundRepository;
  readonly workspace: string;
  /** What git sees of the files. */
  readonly part: string;
  readonly run: OpenedFolders;
  /** Files of the user that git is told to read. */
  readonly shown: readonly GitSetting[];
};

/** Where git sees a file of the user's in the sandbox. */
export const toShownPlace = (key: string): string => `/of-user/${key}`;

export const toBounds = ({ found, workspace, part, run, shown }: BoundRun): GitBounds => {
  const { top, gitFolder, commonFolder } = found;
  const folders = [...new Set([commonFolder, gitFolder])];
  return {
    cwd: workspace,
    readable: [
      // Whoever writes the index has to see all of its files: those that are not there could not be told from unchanged ones later.
      ...(part === top || run.writes === true ? [top] : [part, path.join(top, ".git"), ...rulesAbove(top, part)]),
      ...(run.writes === true ? [] : folders),
      ...(run.alsoReads ?? []),
    ],
    writable: [...(run.writes === true ? folders : []), ...(run.alsoWrites ?? [])],
    shown: shown.map(([key, from]) => ({ from, at: toShownPlace(key) })),
  };
};

/** By these the folders above have a say in what is ignored, and how it is read. */
const RULES = [".gitignore", ".gitattributes", ".mailmap"];

/** Around a workspace that is only a part of a repository may lie anything, such as a whole home. */
const rulesAbove = (top: string, part: string): readonly string[] => {
  const files: string[] = [];
  for (let at = path.dirname(part); ; at = path.dirname(at)) {
    for (const name of RULES) files.push(path.join(at, name));
    if (at === top || at === path.dirname(at)) break;
  }
  return files.filter((file) => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true);
};
