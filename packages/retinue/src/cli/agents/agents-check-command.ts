/** `retinue agents check`: what is wrong with files of agents: a line for each kind of them, or line by line. Fails where there is an error. */
import { countKinds, formatReport, summariseReport } from "@retinue/agents";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT } from "../exit-code.ts";
import { withInventory } from "../inventory.ts";
import type { SessionOptions } from "../session-options.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { WIDTH } from "../table.ts";
import { checkInventory } from "./check-inventory.ts";

export type AgentsCheckOptions = Pick<SessionOptions, "workspace"> & {
  readonly json?: boolean;
  readonly all?: boolean;
  readonly verbose?: boolean;
};

export const agentsCheckCommand = async (
  { json, all, verbose, ...options }: AgentsCheckOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdout, redact, env } = surroundings;
  const { settings, workspace } = await loadSessionSettings(options, surroundings);
  return withInventory({ settings, workspace, env }, async (inventory) => {
    const report = await checkInventory(inventory, env);
    if (json === true) await stdout.write(`${toJsonLine({ ...report, kinds: countKinds(report) }, redact)}\n`);
    else {
      const width = Math.min(stdout.columns() ?? WIDTH, WIDEST);
      const folder = inventory.workspace;
      const isWhole = verbose === true || all === true;
      const text = isWhole ? formatReport(report, { folder, all: all === true, width }) : summariseReport(report, { folder });
      await stdout.write(toPrintable(redact(text), "prose"));
    }
    return report.counts.error > 0 ? EXIT.failed : EXIT.done;
  });
};

/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 120;
