/** `--isolation` of the commands that start agents. */
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";

/** Undefined: as the agent's file says. */
export const parseIsolation = (value: string | undefined): AgentDefinition["isolation"] | undefined => {
  if (value === undefined || value === "none" || value === "worktree") return value;
  throw new RetinueError("usage", `--isolation is "none" or "worktree", not "${value}".`);
};
