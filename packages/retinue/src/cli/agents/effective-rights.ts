/** What an agent may use here as the first of a session: the tools out of all that there are, and the limits under those of the settings. */
import type { Limits } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { narrow, stricter } from "@retinue/runtime";
import type { Inventory } from "../inventory.ts";

export type EffectiveRights = { readonly tools: readonly string[]; readonly limits: Limits };

export const toEffectiveRights = (
  agent: AgentDefinition,
  { tools, settings, applied }: Pick<Inventory, "tools" | "settings" | "applied">,
): EffectiveRights => ({
  tools: narrow(
    { tools: [...tools.keys()], writes: [], hosts: [], approve: settings.approve, maxDepth: settings.agent.maxDepth },
    agent,
  ).tools,
  limits: stricter(
    { ...agent.limits, ...settings.limits, ...applied.get(agent.name)?.set.limits },
    { ...settings.ceilings, ...settings.limits },
  ),
});
