/** Whether an agent may do nothing that another may not, as far as their files tell. Where that cannot be told, it is not. */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { matchesAny } from "@retinue/protocol/names";
import { namesTool } from "@retinue/runtime";
import { TOOL_TRAITS } from "./tool-names.ts";

/** Stands for all tools that are not ours. */
const OTHERS = ["\0", "server.tool"];

export const isNoWider = (one: AgentDefinition, other: AgentDefinition): boolean =>
  hasNoMoreTools(one, other) &&
  isWithin(one.writes, other.writes) &&
  isWithin(one.hosts, other.hosts) &&
  (other.rules === undefined || JSON.stringify(one.rules) === JSON.stringify(other.rules)) &&
  (other.delegates.includes("*") || one.delegates.every((name) => other.delegates.includes(name))) &&
  (one.grant === "own" || other.grant === "session");

const holds = ({ tools, deniedTools }: AgentDefinition, tool: string): boolean =>
  matchesAny(tools, tool) && !namesTool(deniedTools, tool);

const isOffered = (agent: AgentDefinition, tool: string): boolean =>
  holds(agent, tool) && !matchesAny(agent.hiddenTools ?? [], tool);

const hasNoMoreTools = (one: AgentDefinition, other: AgentDefinition): boolean => {
  const named = [...one.tools, ...other.deniedTools, ...(other.hiddenTools ?? [])].filter((name) => name !== "*");
  return [...TOOL_TRAITS.keys(), ...OTHERS, ...named].every(
    (tool) => (!holds(one, tool) || holds(other, tool)) && (!isOffered(one, tool) || isOffered(other, tool)),
  );
};

/** No list is no limit. */
const isWithin = (one: readonly string[] | undefined, other: readonly string[] | undefined): boolean =>
  other === undefined || (one !== undefined && one.every((glob) => other.includes(glob)));
