/** The icons of the agents there are where a session works, by name; of agents that are gone nobody knows one. */
import { loadAgents } from "@retinue/agents";

export type IconPlaces = {
  /** The folder of the user's state. */
  readonly home: string;
  readonly workspace: string;
};

export const readAgentIcons = async ({ home, workspace }: IconPlaces): Promise<ReadonlyMap<string, string>> => {
  const { agents } = await loadAgents({ userDir: home, projectDir: workspace });
  return new Map([...agents].flatMap(([name, { icon }]) => (icon === undefined ? [] : [[name, icon] as const])));
};
