/** The icons of the agents there are, by name; of others nobody knows one. */
import { readBuiltinAgents } from "@retinue/agents";

export const readAgentIcons = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([...(await readBuiltinAgents())].flatMap(([name, { icon }]) => (icon === undefined ? [] : [[name, icon] as const])));
