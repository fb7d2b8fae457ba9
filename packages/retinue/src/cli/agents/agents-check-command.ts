/** `retinue agents check`: what is wrong with files of agents, file by file and line by line. Fails where there is an error. */
import { checkAgents, formatReport } from "@retinue/agents";
import { createModels } from "@retinue/model";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT } from "../exit-code.ts";
import { withInventory } from "../inventory.ts";
import type { SessionOptions } from "../session-options.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { WIDTH } from "../table.ts";
import { findMissingModels } from "./missing-models.ts";

export type AgentsCheckOptions = Pick<SessionOptions, "workspace"> & { readonly json?: boolean; readonly all?: boolean };

export const agentsCheckCommand = async (
  { json, all, ...options }: AgentsCheckOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdout, redact, env } = surroundings;
  const { settings, workspace } = await loadSessionSettings(options, surroundings);
  return withInventory({ settings, workspace, env }, async (inventory) => {
    const { loaded, tools } = inventory;
    const { readMcpFiles } = await import("@retinue/tools");
    const { servers } = await readMcpFiles({ workspace: inventory.workspace, user: settings.mcpServers });
    const missing = await findMissingModels(loaded, createModels({ ...settings, env }));
    const report = checkAgents(loaded, {
      toolNames: tools.keys(),
      mcpServerNames: Object.keys(servers),
      whyNoModel: (name) => missing.get(name),
      limits: settings.limits,
      maxDepth: settings.agent.maxDepth,
    });
    if (json === true) await stdout.write(`${toJsonLine(report, redact)}\n`);
    else {
      const width = Math.min(stdout.columns() ?? WIDTH, WIDEST);
      const text = formatReport(report, { folder: inventory.workspace, all: all === true, width });
      await stdout.write(toPrintable(redact(text), "prose"));
    }
    return report.counts.error > 0 ? EXIT.failed : EXIT.done;
  });
};

/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 120;
