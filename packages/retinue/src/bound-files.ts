/**
 * Finds the files of a workspace that hooks, servers and checks run, once these are trusted. They are read-only for agents: who could write them would have the
 * trust that somebody gave to what stood there.
 */
import path from "node:path";
import { digestCommandFiles } from "@retinue/confine/trust";

export type BoundCommand = {
  /** Command lines, or their words. */
  readonly texts: readonly string[];
  /** Where its paths begin; the workspace by default. */
  readonly cwd?: string;
  /** False: without what its files themselves name, as for a check of what agents are there to write. */
  readonly isDeep?: boolean;
};

/**
 * Adds their real paths. Lists of scripts that runners read (`package.json`) are not among them: who adds a package writes them, and a change ends the trust.
 * A command that runs more files than can be looked at is trusted by nobody either.
 */
export const addBoundFiles = async (bound: Set<string>, root: string, commands: readonly BoundCommand[]): Promise<void> => {
  for (const command of commands) {
    const files = await digestCommandFiles({ root, hasLists: false, ...command }).catch(() => ({}));
    for (const file of Object.keys(files)) bound.add(path.join(root, file));
  }
};
