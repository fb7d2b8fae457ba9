/** Reads what a folder brings: settings, tools, agents, secrets, model. Everything that is wrong with the configuration is thrown here, before anything runs. */
import { realpath } from "node:fs/promises";
import path from "node:path";
import { findProjectFolders } from "@retinue/agents";
import type { Model } from "@retinue/model";
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { AnyTool, PreapprovingSkills, Redactor } from "@retinue/runtime";
import { findAgentNamed } from "@retinue/runtime";
import type { KeptVersions } from "@retinue/tools";
import { createKeptVersions } from "@retinue/tools";
import type { TrustClaim } from "@retinue/confine/trust";
import type { AppliedAgents } from "../apply-agent-settings.ts";
import { applyAgentSettings } from "../apply-agent-settings.ts";
import { addBoundFiles } from "../bound-files.ts";
import type { AssembledTools } from "../assemble-tools.ts";
import { assembleTools, toProblemLine } from "../assemble-tools.ts";
import type { SessionPermissions, TrustedAgents } from "../load-trusted-agents.ts";
import { loadTrustedAgents } from "../load-trusted-agents.ts";
import type { ProjectInstructions } from "../project-instructions.ts";
import { readProjectInstructions } from "../project-instructions.ts";
import { spellOut } from "../hooks/spell-out.ts";
import { readGivenSkills } from "../library/given-skills.ts";
import { createRedactor } from "../secrets/create-redactor.ts";
import { findSecrets } from "../secrets/find-secrets.ts";
import type { Secret } from "../secrets/secret.ts";
import { workspaceSecrets } from "../secrets/workspace-secrets.ts";
import { loadSettings } from "../settings/load-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { shortModelsOf } from "../short-models.ts";
import { teachSkills } from "../teach-skills.ts";
import type { Shared } from "./shared.ts";
import type { WorkspaceOptions } from "./workspace.ts";

export type LoadedWorkspace = {
  /** Its real path. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly settings: Settings;
  readonly tools: ReadonlyMap<string, AnyTool>;
  readonly browsers: AssembledTools["browsers"];
  readonly desktops: AssembledTools["desktops"];
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** What the settings say of agents, by name. */
  readonly applied: AppliedAgents["applied"];
  /** Throws `agent_unknown`. */
  readonly agentOf: (name: string) => AgentDefinition;
  readonly maxDepth: number;
  readonly instructions: ProjectInstructions;
  /** What settings of other worlds say of every agent's calls. */
  readonly permissions: SessionPermissions;
  /** What skills spare questions about while they are loaded. */
  readonly preapproving: PreapprovingSkills;
  /** The root of the project, real. */
  readonly root: string;
  /** The folder, seen from the root of its project; empty where it is that. */
  readonly base: string;
  readonly secrets: readonly (string | Secret)[];
  /** Files of it that something trusted runs, which no agent writes. */
  readonly bound: () => readonly string[];
  /** Those, and files that instructions import: no command and no merge writes them. */
  readonly readOnly: () => readonly string[];
  /** Used where neither agent nor run names one. */
  readonly model: string;
  readonly resolve: (name: string) => Promise<Model>;
  /** What stood in files before agents changed them. */
  readonly versions: KeptVersions;
  readonly problems: readonly string[];
  readonly untrusted: readonly TrustClaim[];
  /** Ends the servers of tools. */
  readonly close: () => Promise<void>;
};

export const loadWorkspace = async (shared: Shared, given: string, options: WorkspaceOptions): Promise<LoadedWorkspace> => {
  const env = options.env ?? shared.env;
  const folder = await realFolder(given);
  const settings = options.settings ?? (await loadSettings({ workspace: folder, env, home: shared.home })).settings;
  const { home, trust } = shared;
  const bound = new Set<string>();
  const homeDir = env["HOME"];
  const project = await findProjectFolders(folder, homeDir);
  const instructions = await readProjectInstructions({
    project,
    folder,
    userDir: home,
    homeDir,
    configDir: env["XDG_CONFIG_HOME"],
    given: options.instructions,
  });
  const found = await loadTrustedAgents(
    {
      userDir: home,
      projectDir: project.root,
      innerDirs: project.folders.slice(1),
      modelNames: Object.keys(settings.models),
      shortModels: shortModelsOf(settings, env),
      presets: settings.agent.presets,
      given: options.agents ?? [],
      givenSkills: await readGivenSkills(options.skills ?? []),
      folder,
      ...(homeDir === undefined ? {} : { homeDir }),
    },
    trust,
  );
  const skills = [...found.loaded.skills.values()];
  let redactor: Redactor | undefined;
  const versions = createKeptVersions({
    folder: path.join(home, "undo"),
    isSecret: (text) => redactor !== undefined && redactor.text(text) !== text,
  });
  const assembled = await assembleTools({
    keepVersion: versions.keep,
    bound,
    imported: instructions.imported,
    workspace: folder,
    home,
    trust,
    env,
    settings,
    skills,
    mcpServers: options.mcpServers,
    browser: options.browser,
    desktop: options.desktop,
    secrets: await workspaceSecrets(folder),
  });
  try {
    const agents = await prepareAgents({ found, folder, settings, assembled, instructions });
    await addBoundFiles(
      bound,
      project.root,
      found.permissions.hooks.map(({ command }) => ({ texts: [spellOut(command)] })),
    );
    for (const file of found.loaded.promptFiles) bound.add(await realpath(file).catch(() => file));
    await addBoundFiles(
      bound,
      folder,
      [...agents.agents.values()].flatMap(({ accept }) =>
        accept && "command" in accept ? [{ texts: [accept.command], isDeep: false }] : [],
      ),
    );
    const secrets = [
      ...(options.secrets ?? []),
      ...(await findSecrets({ env, settings, workspace: folder, servers: assembled.servers })),
    ];
    redactor = createRedactor(secrets);
    return {
      folder,
      env,
      settings,
      versions,
      ...agents,
      bound: () => [...bound],
      readOnly: () => [...bound, ...instructions.imported()],
      permissions: found.permissions,
      root: project.root,
      base: path.relative(project.root, folder).split(path.sep).join("/"),
      instructions,
      browsers: assembled.browsers,
      desktops: assembled.desktops,
      tools: collectTools([...assembled.tools, ...(options.tools ?? [])]),
      secrets,
      ...(await chooseModels(shared, { env, settings, options })),
      close: assembled.close,
    };
  } catch (thrown) {
    await assembled.close();
    throw thrown;
  }
};

type Parts = {
  readonly found: TrustedAgents;
  readonly folder: string;
  readonly settings: Settings;
  readonly assembled: AssembledTools;
  readonly instructions: ProjectInstructions;
};

const prepareAgents = async ({
  found: { loaded, skillRules, untrusted, problems },
  folder,
  settings,
  assembled,
  instructions,
}: Parts): Promise<
  Pick<LoadedWorkspace, "agents" | "applied" | "agentOf" | "maxDepth" | "preapproving" | "problems" | "untrusted">
> => {
  const { agents: set, applied, problems: settingsProblems } = applyAgentSettings(loaded.agents, settings);
  const taught = await teachSkills(set, loaded.skills, folder);
  const agents = instructions.instruct(taught.agents);
  return {
    agents,
    applied,
    agentOf: (name) => {
      const agent = agents.get(name) ?? agents.get(loaded.aliases.get(name) ?? "") ?? findAgentNamed(name, agents.values());
      if (!agent)
        throw new RetinueError("agent_unknown", `There is no agent "${name}". There are: ${[...agents.keys()].join(", ")}.`);
      return agent;
    },
    maxDepth: Math.min(settings.agent.maxDepth, loaded.maxDepth ?? Infinity),
    preapproving: { rules: skillRules, taughtTo: (agent) => taught.taught.get(agent) ?? [] },
    problems: [
      ...assembled.problems.filter(({ code }) => code !== "project_untrusted").map(toProblemLine),
      ...problems,
      ...settingsProblems,
      ...taught.problems,
      ...instructions.problems,
    ],
    untrusted: [...assembled.untrusted, ...untrusted],
  };
};

/** A model that was given stands above the settings, and those above what can be reached. */
const chooseModels = async (
  { models, model: ofHost }: Shared,
  { env, settings, options }: Pick<LoadedWorkspace, "env" | "settings"> & { readonly options: WorkspaceOptions },
): Promise<Pick<LoadedWorkspace, "model" | "resolve">> => {
  const wanted = options.model ?? ofHost;
  const known = models.modelsOf(settings, env);
  const given = typeof wanted === "object" ? models.wrap(wanted, settings) : undefined;
  const name = typeof wanted === "string" ? wanted : undefined;
  return {
    model: given?.id ?? name ?? settings.model ?? (await models.detect(settings, env)),
    resolve: async (asked) => (asked === given?.id ? given : known.resolve(asked)),
  };
};

const realFolder = async (folder: string): Promise<string> => {
  try {
    return await realpath(folder);
  } catch (cause) {
    throw new RetinueError("usage", `The workspace ${folder} cannot be opened.`, { hint: "Name a folder that exists.", cause });
  }
};

const collectTools = (all: readonly AnyTool[]): ReadonlyMap<string, AnyTool> => {
  const tools = new Map<string, AnyTool>();
  for (const tool of all) {
    if (tools.has(tool.name)) throw new RetinueError("tool_name_taken", `There are two tools named "${tool.name}".`);
    tools.set(tool.name, tool);
  }
  return tools;
};
