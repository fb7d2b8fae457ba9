/** The one check of agents that `check` prints and `list` counts. */
import type { AgentsReport } from "@retinue/agents";
import { checkAgents, findProjectFolders, loadCommands } from "@retinue/agents";
import { createModels } from "@retinue/model";
import { retinueHome } from "../../settings/retinue-home.ts";
import type { Inventory } from "../inventory.ts";
import { findMissingModels } from "./missing-models.ts";

export const checkInventory = async (inventory: Inventory, env: NodeJS.ProcessEnv): Promise<AgentsReport> => {
  const { loaded, tools, settings, workspace } = inventory;
  const { readMcpFiles } = await import("@retinue/tools");
  const { servers } = await readMcpFiles({ workspace, user: settings.mcpServers });
  const missing = await findMissingModels(loaded, createModels({ ...settings, env }));
  const { folders } = await findProjectFolders(workspace, env["HOME"]);
  return checkAgents(loaded, {
    commands: await loadCommands({ folders, userDir: retinueHome(env), homeDir: env["HOME"] }),
    settings: inventory.permissions.files,
    toolNames: tools.keys(),
    mcpServerNames: Object.keys(servers),
    whyNoModel: (name) => missing.get(name),
    limits: settings.limits,
    maxDepth: settings.agent.maxDepth,
  });
};
