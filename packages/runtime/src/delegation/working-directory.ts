/** The part of the workspace that a run is given to work in. */
import type { RunResult } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";

export type DirectoryRequest = {
  readonly agent: Pick<AgentDefinition, "name">;
  readonly isolation: AgentDefinition["isolation"];
  readonly named: string | undefined;
  /** The real way from the workspace to the folder; throws for what is none. */
  readonly open: (named: string) => Promise<string>;
};

/** Undefined for the whole workspace. */
export const openWorkingDirectory = async ({ agent, isolation, named, open }: DirectoryRequest): Promise<string | undefined> => {
  if (named === undefined) return undefined;
  const directory = await open(named);
  if (directory === "") return undefined;
  if (isolation === "worktree")
    throw new RetinueError(
      "directory_refused",
      `${agent.name} works in a worktree of its own, which is always of the whole workspace.`,
    );
  return directory;
};

/** The result with files as the run above names them. */
export const withFilesIn = (directory: string | undefined, result: RunResult): RunResult => {
  if (directory === undefined) return result;
  const above = (file: string): string => `${directory}/${file}`;
  return { ...result, filesModified: result.filesModified.map(above), filesCreated: result.filesCreated.map(above) };
};
