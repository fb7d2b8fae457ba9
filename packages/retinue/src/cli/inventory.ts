/** What a session here would have: its agents, its tools, and what the project may not bring yet. Nothing runs, and no model is asked. */
import type { LoadedAgents } from "@retinue/agents";
import type { AnyTool } from "@retinue/runtime";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { AppliedAgents } from "../apply-agent-settings.ts";
import type { AssembledTools } from "../assemble-tools.ts";
import type { SessionPermissions } from "../load-trusted-agents.ts";
import { retinueHome } from "../settings/retinue-home.ts";
import type { Settings } from "../settings/settings.ts";

export type Inventory = {
  readonly settings: Settings;
  /** With all links followed. */
  readonly workspace: string;
  /** The folder of the user's state. */
  readonly home: string;
  readonly loaded: LoadedAgents;
  /** What the settings say for agents, by the names that agents really have. */
  readonly applied: AppliedAgents["applied"];
  /** Errors of files of agents; that a command of one is not trusted stands in `untrusted`. */
  readonly agentProblems: readonly string[];
  readonly tools: ReadonlyMap<string, AnyTool>;
  /** Of files of tools and skills, and of servers; that they are not trusted stands in `untrusted`. */
  readonly toolProblems: readonly string[];
  readonly untrusted: AssembledTools["untrusted"];
  /** What settings of other worlds say of every agent's calls. */
  readonly permissions: SessionPermissions;
};

export type InventoryOptions = {
  readonly workspace: string;
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
};

/** The agents and skills of a folder and of its project, loaded as a session would. */
export const loadFolderAgents = async ({ workspace, settings, env }: InventoryOptions) => {
  const { loadTrustedAgents } = await import("../load-trusted-agents.ts");
  const { shortModelsOf } = await import("../short-models.ts");
  const { createTrustStore } = await import("@retinue/confine/trust");
  const { findProjectFolders } = await import("@retinue/agents");
  const home = retinueHome(env);
  const folder = await realpath(workspace);
  const trust = createTrustStore({ file: join(home, "trust.json") });
  const project = await findProjectFolders(folder, env["HOME"]);
  const agents = await loadTrustedAgents(
    {
      userDir: home,
      projectDir: project.root,
      innerDirs: project.folders.slice(1),
      modelNames: Object.keys(settings.models),
      shortModels: shortModelsOf(settings, env),
      presets: settings.agent.presets,
      folder,
      env,
      ...(env["HOME"] === undefined ? {} : { homeDir: env["HOME"] }),
    },
    trust,
  );
  return { home, folder, trust, agents };
};

/** Servers of tools that are trusted are started for as long as it is used. */
export const withInventory = async <T>(
  { workspace, settings, env }: InventoryOptions,
  use: (inventory: Inventory) => Promise<T>,
): Promise<T> => {
  const { assembleTools, toProblemLine } = await import("../assemble-tools.ts");
  const { home, folder, trust, agents } = await loadFolderAgents({ workspace, settings, env });
  const { tools, problems, untrusted, close } = await assembleTools({
    workspace: folder,
    home,
    trust,
    env,
    settings,
    skills: [...agents.loaded.skills.values()],
  });
  const { applyAgentSettings } = await import("../apply-agent-settings.ts");
  const set = applyAgentSettings(agents.loaded.agents, settings);
  try {
    return await use({
      settings,
      workspace: folder,
      home,
      loaded: { ...agents.loaded, agents: set.agents },
      applied: set.applied,
      agentProblems: [...agents.problems, ...set.problems],
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      toolProblems: problems.filter(({ code }) => code !== "project_untrusted").map(toProblemLine),
      untrusted: [...untrusted, ...agents.untrusted],
      permissions: agents.permissions,
    });
  } finally {
    await close();
  }
};
