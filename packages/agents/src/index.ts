/** Who: built-in agents and the reading of agent files. */
export { readBuiltinAgents } from "./builtin-agents.ts";
export { parseAgent } from "./parse-agent.ts";
