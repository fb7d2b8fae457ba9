/** Makes names of the patterns that say whom an agent may start, from the agents there are. */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { isGlob, matchesGlob } from "@retinue/protocol/names";

export type ResolvedDelegates = {
  /** Agents that there are, and names of none that were listed as such. */
  readonly names: readonly string[];
  /** Listed by name, but not to be reached by other agents. */
  readonly unreachable: readonly string[];
};

/** The last pattern that matches a name holds. A glob never means the agent itself. */
export const resolveDelegates = (
  self: string,
  patterns: readonly string[],
  agents: ReadonlyMap<string, Pick<AgentDefinition, "expose">>,
  aliases: ReadonlyMap<string, string>,
): ResolvedDelegates => {
  const chosen = new Set<string>();
  const unreachable: string[] = [];
  for (const written of patterns) {
    const isTaken = written.startsWith("!");
    const pattern = isTaken ? written.slice(1) : written;
    const matching = isGlob(pattern)
      ? [...agents.keys()].filter((name) => name !== self && agents.get(name)?.expose !== "none" && matchesGlob(pattern, name))
      : [agents.has(pattern) ? pattern : (aliases.get(pattern) ?? pattern)];
    for (const name of matching) {
      if (isTaken) chosen.delete(name);
      else if (agents.get(name)?.expose === "none") unreachable.push(name);
      else chosen.add(name);
    }
    // What is taken away by a glob may have been listed by a name that nobody has.
    if (isTaken && isGlob(pattern)) for (const name of chosen) if (matchesGlob(pattern, name)) chosen.delete(name);
  }
  return { names: [...chosen], unreachable };
};
