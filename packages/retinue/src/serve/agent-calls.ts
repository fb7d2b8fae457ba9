/** Calls of the server about agents: who there is, what takes effect, and changing the project's own files, with the check before anything is written. */
import { readPlainFile, writeInside } from "@retinue/confine";
import { RetinueError } from "@retinue/protocol";
import type { RouteOutput } from "@retinue/protocol/routes";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { toAgentRow } from "../cli/agents/agents-list-command.ts";
import { explainAgent } from "../cli/agents/explain-agent.ts";
import { findAgent } from "../cli/agents/find-agent.ts";
import type { AgentCatalogue, AgentProblem } from "./agent-catalogue.ts";
import { readAgentCatalogue } from "./agent-catalogue.ts";
import type { BackendGround, SomeCalls } from "./backend-ground.ts";
import type { Served } from "./served-workspaces.ts";

type AgentCall = "listAgents" | "checkAgent" | "getAgent" | "saveAgent";

type Checked = { readonly problems: readonly AgentProblem[]; readonly agent: ReturnType<typeof toAgentRow> | null };

const NAME = /^[a-z][a-z0-9-]{0,63}$/;
const FOLDER = path.join(".retinue", "agents");

const versionOf = (text: string): string => createHash("sha256").update(text).digest("hex");

export const createAgentCalls = ({ workspaces, env }: BackendGround): SomeCalls<AgentCall> => ({
  listAgents: async ({ params: { workspaceId } }) => {
    const { inventory, problems } = await readAgentCatalogue(workspaces.of(workspaceId), { env });
    const builtIn = new Set(
      [...inventory.loaded.sources.values()].filter(({ origin }) => origin === "built-in").map(({ file }) => file),
    );
    return {
      agents: [...inventory.loaded.agents.values()].map((agent) => toAgentRow(agent, inventory)),
      // What comes with Retinue names tools that need a setting; nobody here has to mend that. The agent's own page tells it.
      problems: problems.filter(({ file }) => !builtIn.has(file)),
    };
  },
  getAgent: async ({ params: { workspaceId, name } }) => {
    const served = workspaces.of(workspaceId);
    return describeAgent(served, name, await readAgentCatalogue(served, { env }));
  },
  checkAgent: async ({ params: { workspaceId }, body: { name, text } }) => check(workspaces.of(workspaceId), name, text, env),
  saveAgent: async ({ params: { workspaceId, name }, body: { text, version } }) => {
    const served = workspaces.of(workspaceId);
    const file = path.join(served.workspace.folder, FOLDER, `${name}.md`);
    const { problems } = await check(served, name, text, env);
    if (problems.some(({ severity }) => severity === "error")) return { isSaved: false, file, problems };
    const before = await readAgentFile(file);
    if (version !== undefined && version !== null && before !== null && versionOf(before) !== version)
      throw new RetinueError("file_changed", `${file} was changed since it was read; it was left as it is.`);
    await writeInside({ root: served.workspace.folder, file: `.retinue/agents/${name}.md`, content: Buffer.from(text) });
    await workspaces.reload(served);
    return { isSaved: true, file, problems };
  },
});

const MOST_AGENT_BYTES = 4 * 1024 * 1024;

const readAgentFile = async (file: string): Promise<string | null> =>
  (await readPlainFile(file, MOST_AGENT_BYTES, { followsLink: true }))?.toString("utf8") ?? null;

const describeAgent = async (
  { workspace, loaded }: Served,
  name: string,
  { inventory, problems }: AgentCatalogue,
): Promise<RouteOutput<"getAgent">> => {
  const agent = findAgent(name, inventory.loaded);
  const row = toAgentRow(agent, inventory);
  const text = row.file === "" ? null : await readAgentFile(row.file);
  return {
    agent: { ...row, aliases: [...row.aliases], tools: [...row.tools], delegates: [...row.delegates] },
    effective: [...explainAgent(agent, { inventory, origins: loaded.origins, tools: row.tools })],
    problems: problems.filter(({ file }) => file === row.file),
    text,
    version: text === null ? null : versionOf(text),
    isEditable: row.file === path.join(workspace.folder, FOLDER, `${agent.name}.md`),
  };
};

/** Reads the project's agents with the text in place, in a folder of its own: nothing of the project is touched. */
const check = async (served: Served, name: string, text: string, env: NodeJS.ProcessEnv): Promise<Checked> => {
  if (!NAME.test(name))
    throw new RetinueError("agent_invalid", `An agent cannot be named ${JSON.stringify(name)}.`, {
      hint: "Names are small letters, digits and dashes, and begin with a letter.",
    });
  const { folder } = served.workspace;
  const scratch = await mkdtemp(path.join(tmpdir(), "retinue-check-"));
  try {
    for (const place of [".retinue/agents", ".retinue/skills", ".claude/agents", ".claude/skills", ".opencode/agent"])
      await cp(path.join(folder, place), path.join(scratch, place), { recursive: true, verbatimSymlinks: true }).catch(
        () => undefined,
      );
    const file = path.join(scratch, FOLDER, `${name}.md`);
    await mkdir(path.dirname(file), { recursive: true });
    await rm(file, { force: true });
    await writeFile(file, text);
    const { inventory, problems } = await readAgentCatalogue(served, { env, projectDir: scratch });
    const found = [...inventory.loaded.sources].find(([, source]) => source.file === file)?.[0];
    const agent = found === undefined ? undefined : inventory.loaded.agents.get(found);
    const own = path.join(folder, FOLDER, `${name}.md`);
    return {
      problems: problems.filter((problem) => problem.file === file).map((problem) => ({ ...problem, file: own })),
      agent: agent === undefined ? null : { ...toAgentRow(agent, inventory), file: own },
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};
