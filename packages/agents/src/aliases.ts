/** The other names that agents answer to. A name that an agent has is never another one's alias. */
import type { AgentDefinition } from "@retinue/protocol/agent-file";

export type Aliases = {
  readonly aliases: ReadonlyMap<string, string>;
  /** Aliases that do not hold: which agent wants them, and whose they are. */
  readonly lost: readonly { readonly agent: string; readonly alias: string; readonly to: string }[];
};

/** Of two agents that want the same alias the later one has it. */
export const toAliases = (agents: ReadonlyMap<string, Pick<AgentDefinition, "aliases">>): Aliases => {
  const aliases = new Map<string, string>();
  const lost: { agent: string; alias: string; to: string }[] = [];
  for (const [agent, { aliases: wanted }] of agents)
    for (const alias of wanted) {
      const earlier = aliases.get(alias);
      if (agents.has(alias)) {
        if (alias !== agent) lost.push({ agent, alias, to: alias });
        continue;
      }
      if (earlier !== undefined && earlier !== agent) lost.push({ agent: earlier, alias, to: agent });
      aliases.set(alias, agent);
    }
  return { aliases, lost };
};
