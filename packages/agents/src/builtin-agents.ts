/** The agents that come with Retinue. */
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { toAliases } from "./aliases.ts";
import { resolveDelegates } from "./delegates.ts";
import { parseAgent } from "./parse-agent.ts";

const FOLDER = new URL("../builtin/", import.meta.url);

export type BuiltinAgent = { readonly file: string; readonly definition: AgentDefinition };

/** Beside the files in the package that is published: what they say, by the names of the files, so that no start has to parse them. */
export const PARSED_FILE = "parsed.json";

export type ParsedAgents = Readonly<Record<string, AgentDefinition>>;

/** As their files have them, by name. */
export const readBuiltinFiles = async (): Promise<ReadonlyMap<string, BuiltinAgent>> => {
  const agents = Object.entries((await readParsed()) ?? (await parseFiles())).map(([name, definition]): BuiltinAgent => ({
    file: fileURLToPath(new URL(name, FOLDER)),
    definition,
  }));
  return new Map(agents.map((agent) => [agent.definition.name, agent]));
};

/** None in a checkout, where the files are what counts. */
const readParsed = async (): Promise<ParsedAgents | undefined> => {
  try {
    // Written by our build from the files, and shipped with them.
    return JSON.parse(await readFile(new URL(PARSED_FILE, FOLDER), "utf8")) as ParsedAgents;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw thrown;
  }
};

const parseFiles = async (): Promise<ParsedAgents> => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".md")).toSorted();
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => {
        const file = fileURLToPath(new URL(name, FOLDER));
        return [name, parseAgent(await readFile(file, "utf8"), file)] as const;
      }),
    ),
  );
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
