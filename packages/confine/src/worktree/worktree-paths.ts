/**
 * Where the parts of a worktree lie: all beside each other in one folder of ours, outside of every workspace, so that neither the files that others
 * see nor the run itself can reach what belongs to us.
 */
import path from "node:path";
import type { Worktree } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";

export type WorktreePaths = {
  /** An index as it was when the worktree was made. */
  readonly index: string;
  /** What the file system said of its files then. */
  readonly stats: string;
  /** Copies of contents on their way into the repository. */
  readonly stage: string;
  /** Says whose it is. */
  readonly marker: string;
};

export const pathsOf = ({ folder }: Worktree): WorktreePaths => ({
  index: `${folder}.index`,
  stats: `${folder}.stats`,
  stage: `${folder}.stage`,
  marker: `${folder}.json`,
});

const NAME = /^[A-Za-z0-9][\w-]{0,127}$/;

export const toFolder = (home: string, name: string): string => {
  if (!NAME.test(name)) throw new RetinueError("internal", `${JSON.stringify(name)} is no name for a worktree`);
  return path.join(home, name);
};
