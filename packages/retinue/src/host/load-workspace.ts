/** Reads what a folder brings: settings, tools, agents, secrets, model. Everything that is wrong with the configuration is thrown here, before anything runs. */
import { realpath } from "node:fs/promises";
import path from "node:path";
import { findProjectFolders, namedRulesOf, toIdleProblems } from "@retinue/agents";
import type { Model } from "@retinue/model";
import { RetinueError } from "@retinue/protocol";
import type { AnyTool, Redactor } from "@retinue/runtime";
import type { KeptVersions } from "@retinue/tools";
import { createKeptVersions } from "@retinue/tools";
import type { TrustClaim } from "@retinue/confine/trust";
import { addBoundFiles } from "../bound-files.ts";
import type { AssembledTools } from "../assemble-tools.ts";
import { assembleTools, toProblemLine } from "../assemble-tools.ts";
import type { SessionPermissions, TrustedAgents } from "../load-trusted-agents.ts";
import { loadTrustedAgents } from "../load-trusted-agents.ts";
import type { ProjectInstructions } from "../project-instructions.ts";
import { readProjectInstructions } from "../project-instructions.ts";
import { spellOut } from "../hooks/spell-out.ts";
import { toGivenAgent } from "../library/given-agent.ts";
import { readGivenSkills } from "../library/given-skills.ts";
import { createRedactor } from "../secrets/create-redactor.ts";
import { findSecrets } from "../secrets/find-secrets.ts";
import type { Secret } from "../secrets/secret.ts";
import { workspaceSecrets } from "../secrets/workspace-secrets.ts";
import { loadSettings } from "../settings/load-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { shortModelsOf } from "../short-models.ts";
import type { AgentRegistry } from "./agent-registry.ts";
import { createAgentRegistry } from "./agent-registry.ts";
import type { Shared } from "./shared.ts";
import type { WorkspaceOptions } from "./workspace.ts";
import { createSeenBefore } from "./seen-before.ts";

export type LoadedWorkspace = {
  /** Its real path. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly settings: Settings;
  readonly tools: ReadonlyMap<string, AnyTool>;
  readonly browsers: AssembledTools["browsers"];
  readonly desktops: AssembledTools["desktops"];
  readonly registry: AgentRegistry;
  readonly maxDepth: number;
  readonly instructions: ProjectInstructions;
  /** What settings of other worlds say of every agent's calls. */
  readonly permissions: SessionPermissions;
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
      given: (options.agents ?? []).map(toGivenAgent),
      givenSkills: await readGivenSkills(options.skills ?? []),
      folder,
      env,
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
    seenBefore: createSeenBefore({ folder, events: async (sessionId) => shared.store.read(sessionId) }),
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
    const tools = collectTools([...assembled.tools, ...(options.tools ?? [])]);
    const registry = await createAgentRegistry({ found, folder, settings, instructions, bound });
    await addBoundFiles(
      bound,
      project.root,
      found.permissions.hooks.map(({ command }) => ({ texts: [spellOut(command)] })),
    );
    for (const file of found.loaded.promptFiles) bound.add(await realpath(file).catch(() => file));
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
      registry,
      maxDepth: Math.min(settings.agent.maxDepth, found.loaded.maxDepth ?? Infinity),
      problems: [
        ...assembled.problems.filter(({ code }) => code !== "project_untrusted").map(toProblemLine),
        ...found.problems,
        ...findIdleRules(found, [...tools.keys()], Object.keys(assembled.servers)),
        ...registry.problems,
        ...instructions.problems,
      ],
      untrusted: [...assembled.untrusted, ...found.untrusted],
      bound: () => [...bound],
      readOnly: () => [...bound, ...instructions.imported()],
      permissions: found.permissions,
      root: project.root,
      base: path.relative(project.root, folder).split(path.sep).join("/"),
      instructions,
      browsers: assembled.browsers,
      desktops: assembled.desktops,
      tools,
      secrets,
      ...(await chooseModels(shared, { env, settings, options })),
      close: assembled.close,
    };
  } catch (thrown) {
    await assembled.close();
    throw thrown;
  }
};

/** Rules of files that name no tool: whoever wrote them believes that they hold. */
const findIdleRules = (
  { loaded, permissions }: TrustedAgents,
  tools: readonly string[],
  servers: readonly string[],
): readonly string[] => {
  const ofSettings = permissions.files.flatMap(({ file, named }) => toIdleProblems(file, named, { tools, servers }));
  const ofAgents = [...loaded.agents].flatMap(([name, agent]) => {
    const source = loaded.sources.get(name);
    return source ? toIdleProblems(source.file, namedRulesOf(agent, source), { tools, servers }) : [];
  });
  return [...ofSettings, ...ofAgents]
    .filter(({ severity }) => severity !== "notice")
    .map(({ file, line, message }) => `${file}:${line}: ${message}`);
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
