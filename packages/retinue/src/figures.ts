/** How sub-agents did so far, as a small table for the prompt of the agent that may start them. */
import type { Stats } from "@retinue/store";

/** Of fewer runs a rate says nothing. */
const FEWEST_RUNS = 3;

/** Undefined where there is nothing to tell yet. Names that are no delegates are left out: a record is data, not instructions. */
export const describeFigures = (stats: readonly Stats[], delegates: readonly string[]): string | undefined => {
  const rows = stats.filter(
    ({ key, runs, successRate }) => delegates.includes(key) && runs >= FEWEST_RUNS && successRate !== null,
  );
  if (rows.length === 0) return undefined;
  return [
    "Measured over earlier sessions; it says how they did, not how they will do.",
    "",
    "| agent | runs | completed | partial | time a run | tokens a run | cost a run |",
    "|---|---|---|---|---|---|---|",
    ...rows.map(toRow),
  ].join("\n");
};

const toRow = (stats: Stats): string => {
  const { key, runs, successRate, partial, durationMs, promptTokens, completionTokens, costUsd, unpricedCalls } = stats;
  const cells = [
    key,
    runs,
    `${Math.round((successRate ?? 0) * 100)} %`,
    partial,
    `${(durationMs / runs / 1_000).toFixed(1)} s`,
    Math.round((promptTokens + completionTokens) / runs),
    unpricedCalls > 0 ? "unknown" : `$${(costUsd / runs).toFixed(4)}`,
  ];
  return `| ${cells.join(" | ")} |`;
};
