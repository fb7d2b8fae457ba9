/** The agents that come with Retinue. */
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { parseAgent } from "./parse-agent.ts";

const FOLDER = new URL("../builtin/", import.meta.url);

export const readBuiltinAgents = async (): Promise<ReadonlyMap<string, AgentDefinition>> => {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".md")).toSorted();
  const agents = await Promise.all(
    files.map(async (name) => {
      const file = fileURLToPath(new URL(name, FOLDER));
      return parseAgent(await readFile(file, "utf8"), file);
    }),
  );
  return new Map(agents.map((agent) => [agent.name, agent]));
};
