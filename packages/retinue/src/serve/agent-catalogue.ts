/** The agents of a workspace with their sources, as its files say now: what lists, checks and edits show. The workspace's own tools are asked, so that nothing is started. */
import type { CheckOptions, LoadedAgents } from "@retinue/agents";
import { checkAgents } from "@retinue/agents";
import { createTrustStore } from "@retinue/confine/trust";
import { createModels } from "@retinue/model";
import path from "node:path";
import { applyAgentSettings } from "../apply-agent-settings.ts";
import { findMissingModels } from "../cli/agents/missing-models.ts";
import type { Inventory } from "../cli/inventory.ts";
import { shortModelsOf } from "../short-models.ts";
import { loadTrustedAgents } from "../load-trusted-agents.ts";
import type { Served } from "./served-workspaces.ts";

export type AgentProblem = {
  readonly file: string;
  readonly line: number;
  readonly severity: "error" | "warning" | "notice";
  readonly message: string;
};

export type AgentCatalogue = {
  readonly inventory: Inventory;
  /** Everything that the check finds. */
  readonly problems: readonly AgentProblem[];
};

export type CatalogueOptions = {
  readonly env: NodeJS.ProcessEnv;
  /** Read in place of the project's folder, as for a text that was not saved. */
  readonly projectDir?: string;
};

export const readAgentCatalogue = async (
  { workspace, loaded: { settings, home } }: Served,
  { env, projectDir = workspace.folder }: CatalogueOptions,
): Promise<AgentCatalogue> => {
  const { loaded, problems, permissions, untrusted } = await loadTrustedAgents(
    {
      userDir: home,
      projectDir,
      modelNames: Object.keys(settings.models),
      shortModels: shortModelsOf(settings, env),
      presets: settings.agent.presets,
      env,
      ...(env["HOME"] === undefined ? {} : { homeDir: env["HOME"] }),
    },
    createTrustStore({ file: path.join(home, "trust.json") }),
  );
  const set = applyAgentSettings(loaded.agents, settings);
  const found: LoadedAgents = { ...loaded, agents: set.agents };
  const missing = await findMissingModels(found, createModels({ ...settings, env }));
  const options: CheckOptions = {
    toolNames: workspace.tools.keys(),
    whyNoModel: (name) => missing.get(name),
    limits: settings.limits,
    maxDepth: settings.agent.maxDepth,
  };
  return {
    inventory: {
      settings,
      workspace: workspace.folder,
      home,
      loaded: found,
      applied: set.applied,
      agentProblems: [...problems, ...set.problems],
      tools: workspace.tools,
      toolProblems: workspace.problems,
      untrusted,
      permissions,
    },
    problems: checkAgents(found, options).files.flatMap(({ file, problems: ofFile }) =>
      ofFile.map((problem) => ({ file, ...problem })),
    ),
  };
};
