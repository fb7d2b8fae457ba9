/** The agent of a name or of another name for it; a name that is not known is told with the one that was probably meant. */
import type { LoadedAgents } from "@retinue/agents";
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { findAgentNamed } from "@retinue/runtime";
import { nearestName } from "@retinue/protocol/names";

export const findAgent = (name: string, { agents, aliases }: Pick<LoadedAgents, "agents" | "aliases">): AgentDefinition => {
  const agent = agents.get(name) ?? agents.get(aliases.get(name) ?? "") ?? findAgentNamed(name, agents.values());
  if (agent) return agent;
  const meant = nearestName(name, [...agents.keys()]);
  throw new RetinueError(
    "agent_unknown",
    `There is no agent "${name}"${meant === undefined ? "." : `; did you mean ${meant}?`}`,
    {
      hint: "retinue agents list tells which there are.",
    },
  );
};
