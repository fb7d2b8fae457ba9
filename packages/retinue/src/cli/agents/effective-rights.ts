/** What an agent may use here: as the first of a session, and below each agent that may start it. */
import type { Grant, Limits } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { narrow, stricter } from "@retinue/runtime";
import type { Inventory } from "../inventory.ts";

export type EffectiveRights = { readonly tools: readonly string[]; readonly limits: Limits };

type Session = Pick<Inventory, "tools" | "settings" | "applied">;

export const toEffectiveRights = (agent: AgentDefinition, session: Session): EffectiveRights => {
  const { settings, applied } = session;
  return {
    tools: narrow(grantOf(session), agent).tools,
    limits: stricter(
      { ...agent.limits, ...settings.limits, ...applied.get(agent.name)?.set.limits },
      { ...settings.ceilings, ...settings.limits },
    ),
  };
};

/** By the name of the agent above: the tools that an agent has as the first of a session, and lacks below that one. */
export const findMissingBelow = (
  agent: AgentDefinition,
  session: Session & Pick<Inventory, "loaded">,
): Readonly<Record<string, readonly string[]>> => {
  const grant = grantOf(session);
  const { tools } = narrow(grant, agent);
  const missing: Record<string, readonly string[]> = {};
  for (const [name, above] of session.loaded.agents) {
    if (!above.delegates.includes(agent.name)) continue;
    const below = new Set(narrow(narrow(grant, above).grant, agent).tools);
    const lost = tools.filter((tool) => !below.has(tool));
    if (lost.length > 0) missing[name] = lost;
  }
  return missing;
};

const grantOf = ({ tools, settings }: Session): Grant => ({
  tools: [...tools.keys()],
  writes: [],
  hosts: [],
  approve: settings.approve,
  maxDepth: settings.agent.maxDepth,
});
