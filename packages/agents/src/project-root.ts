/**
 * Where a project begins: the root of the git repository that a folder lies in. Outside of a repository it is the folder itself, since what
 * lies above may be anybody's.
 */
import { access, realpath } from "node:fs/promises";
import path from "node:path";

export type ProjectFolders = {
  readonly root: string;
  /** From the root down to the folder, both included. */
  readonly folders: readonly string[];
};

/** A home that is a repository itself is no project of what lies in it. */
export const findProjectFolders = async (folder: string, homeDir?: string): Promise<ProjectFolders> => {
  const start = await realpath(folder).catch(() => folder);
  const home = homeDir === undefined ? undefined : await realpath(homeDir).catch(() => homeDir);
  const above: string[] = [];
  for (let current = start; current !== home; current = path.dirname(current)) {
    above.unshift(current);
    const isRoot = await access(path.join(current, ".git")).then(
      () => true,
      () => false,
    );
    if (isRoot) return { root: current, folders: above };
    if (path.dirname(current) === current) break;
  }
  return { root: start, folders: [start] };
};
