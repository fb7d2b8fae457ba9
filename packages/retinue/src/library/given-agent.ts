/** Agents that code gives: made by `defineAgent`, or written as plain objects. All of them are checked in the same way. */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { AgentOptions } from "./define-agent.ts";
import { defineAgent } from "./define-agent.ts";
import type { SubAgentDefinition } from "./sub-agent-definition.ts";

export type GivenAgent = AgentDefinition | SubAgentDefinition;

/** Throws `agent_invalid`. */
export const toGivenAgent = (given: GivenAgent): AgentDefinition => {
  const { parseOutput, ...options } = given as AgentDefinition;
  // A definition is made of options; a field that is undefined counts as absent.
  return { ...defineAgent(options as AgentOptions), ...(parseOutput === undefined ? {} : { parseOutput }) };
};
