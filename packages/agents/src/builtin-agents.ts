/** The agents that come with Retinue. */
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { toAliases } from "./aliases.ts";
import { resolveDelegates } from "./delegates.ts";
import { parseAgent } from "./parse-agent.ts";

const FOLDER = new URL("../builtin/", import.meta.url);

export type BuiltinAgent = { readonly file: string; readonly definition: AgentDefinition };

/** As their files have them, by name. */
export const readBuiltinFiles = async (): Promise<ReadonlyMap<string, BuiltinAgent>> => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".md")).toSorted();
  const agents = await Promise.all(
    names.map(async (name): Promise<BuiltinAgent> => {
      const file = fileURLToPath(new URL(name, FOLDER));
      return { file, definition: parseAgent(await readFile(file, "utf8"), file) };
    }),
  );
  return new Map(agents.map((agent) => [agent.definition.name, agent]));
};

/** Ready to run: whom each may start is resolved to the agents there are. */
export const readBuiltinAgents = async (): Promise<ReadonlyMap<string, AgentDefinition>> => {
  const agents = new Map([...(await readBuiltinFiles())].map(([name, { definition }]) => [name, definition]));
  const { aliases } = toAliases(agents);
  return new Map(
    [...agents].map(([name, definition]) => [
      name,
      { ...definition, delegates: [...resolveDelegates(name, definition.delegates, agents, aliases).names] },
    ]),
  );
};
