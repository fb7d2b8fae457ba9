/** `retinue agents list`: who there is, where from, and what each may use. */
import { countKinds, formatKinds } from "@retinue/agents";
import type { Limits } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { toJsonLine } from "../../terminal/json-line.ts";
import { cutToWidth } from "../../terminal/text-width.ts";
import { count } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import type { Redact } from "../format-error.ts";
import type { Inventory } from "../inventory.ts";
import { withInventory } from "../inventory.ts";
import { toIcon } from "../record/run-tree.ts";
import { toCell } from "../record/to-cell.ts";
import type { SessionOptions } from "../session-options.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Column } from "../table.ts";
import { formatTable, WIDTH } from "../table.ts";
import { checkInventory } from "./check-inventory.ts";
import { toEffectiveRights } from "./effective-rights.ts";
import { formatLimits } from "./format-limits.ts";

export type AgentsListOptions = Pick<SessionOptions, "workspace"> & { readonly json?: boolean };

export type AgentRow = {
  readonly name: string;
  readonly icon: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly origin: string;
  readonly dialect: string;
  readonly file: string;
  /** Those that it has here. */
  readonly tools: readonly string[];
  readonly limits: Limits;
  readonly delegates: readonly string[];
};

export const agentsListCommand = async ({ json, ...options }: AgentsListOptions, surroundings: Surroundings): Promise<number> => {
  const { stdout, stderr, redact, env } = surroundings;
  const { settings, workspace } = await loadSessionSettings(options, surroundings);
  return withInventory({ settings, workspace, env }, async (inventory) => {
    const { agents } = inventory.loaded;
    const rows = [...agents.values()].map((agent) => toAgentRow(agent, inventory));
    const report = await checkInventory(inventory, env);
    const { error: errors, warning: warnings } = report.counts;
    const kinds = countKinds(report);
    if (json === true) {
      await stdout.write(`${toJsonLine({ agents: rows, errors, warnings, kinds }, redact)}\n`);
      return EXIT.done;
    }
    for (const line of formatRows(rows, redact, Math.min(stdout.columns() ?? WIDTH, WIDEST))) await stdout.write(`${line}\n`);
    if (errors + warnings > 0)
      await stderr.write(
        `retinue: ${count(errors, "error")} and ${count(warnings, "warning")} in files of agents; retinue agents check tells them.\n${formatKinds(
          kinds,
        )
          .map((line) => `  ${line}\n`)
          .join("")}`,
      );
    return EXIT.done;
  });
};

export const toAgentRow = (agent: AgentDefinition, inventory: Inventory): AgentRow => {
  const source = inventory.loaded.sources.get(agent.name);
  return {
    name: agent.name,
    icon: agent.icon ?? "",
    aliases: agent.aliases,
    description: agent.description,
    origin: source?.origin ?? "",
    dialect: source?.dialect ?? "",
    file: source?.file ?? "",
    ...toEffectiveRights(agent, inventory),
    delegates: agent.delegates,
  };
};

const COLUMNS: readonly Column[] = [
  { title: "" },
  { title: "agent" },
  { title: "from" },
  { title: "tools", align: "right" },
  { title: "limits", isFlexible: true },
];

const INDENT = "    ";

/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 120;

/** An agent takes a line of figures, one for what it does, and one for whom it may start. */
const formatRows = (rows: readonly AgentRow[], redact: Redact, width: number): readonly string[] => {
  const cell = (text: string): string => toCell(text, redact);
  const [titles = "", ...lines] = formatTable(
    COLUMNS,
    rows.map(({ icon, name, origin, tools, limits }) => [
      toIcon(icon),
      cell(name),
      origin,
      String(tools.length),
      formatLimits(limits).join(", "),
    ]),
  );
  const below = (text: string): string => cutToWidth(`${INDENT}${cell(text)}`, width);
  return [
    titles,
    ...lines.flatMap((line, index) => {
      const row = rows[index];
      if (!row) return [line];
      return [
        line,
        below(row.description),
        ...(row.delegates.length === 0 ? [] : [below(`may start ${row.delegates.join(", ")}`)]),
      ];
    }),
  ];
};
