/** Puts the figures of a store together, from the rows that its queries give. */
import { fromColumnText } from "./column-text.ts";
import type { Stats } from "./read-side.ts";

type FigureRow = Readonly<Record<string, unknown>> & { readonly key: string };

type Figures = { -readonly [K in keyof Stats]: Stats[K] } & { bailouts: Record<string, number> };

export type FigureTable = {
  readonly addRuns: (rows: readonly FigureRow[]) => void;
  readonly addBailouts: (rows: readonly FigureRow[]) => void;
  readonly addModelCalls: (rows: readonly FigureRow[]) => void;
  readonly addToolCalls: (rows: readonly FigureRow[]) => void;
  /** In the order of their keys. */
  readonly all: () => readonly Stats[];
};

export const createFigures = (): FigureTable => {
  const byKey = new Map<string, Figures>();
  const figuresOf = (key: string): Figures => {
    let figures = byKey.get(key);
    if (!figures) byKey.set(key, (figures = toEmpty(key)));
    return figures;
  };
  return {
    addRuns: (rows) => {
      for (const row of rows) {
        const figures = figuresOf(row.key);
        figures.runs = Number(row["runs"]);
        figures.completed = Number(row["completed"]);
        figures.partial = Number(row["partial"]);
        figures.failed = Number(row["failed"]);
        figures.cancelled = Number(row["cancelled"]);
        figures.timeout = Number(row["timeout"]);
        figures.durationMs = Number(row["duration"]);
        const ended = figures.completed + figures.partial + figures.failed + figures.cancelled + figures.timeout;
        figures.successRate = ended === 0 ? null : figures.completed / ended;
      }
    },
    addBailouts: (rows) => {
      for (const row of rows) figuresOf(row.key).bailouts[fromColumnText(String(row["reason"]))] = Number(row["n"]);
    },
    addModelCalls: (rows) => {
      for (const row of rows) {
        const figures = figuresOf(row.key);
        figures.modelCalls = Number(row["calls"]);
        figures.promptTokens = Number(row["prompt"]);
        figures.completionTokens = Number(row["completion"]);
        figures.cachedTokens = Number(row["cached"]);
        figures.reasoningTokens = Number(row["reasoning"]);
        figures.costUsd = Number(row["cost"]);
        figures.unpricedCalls = Number(row["unpriced"]);
      }
    },
    addToolCalls: (rows) => {
      for (const row of rows) {
        const figures = figuresOf(row.key);
        figures.toolCalls = Number(row["calls"]);
        figures.toolFailures = Number(row["failures"]);
      }
    },
    all: () => [...byKey.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
  };
};

const toEmpty = (key: string): Figures => ({
  key,
  runs: 0,
  completed: 0,
  partial: 0,
  failed: 0,
  cancelled: 0,
  timeout: 0,
  successRate: null,
  bailouts: {},
  durationMs: 0,
  modelCalls: 0,
  toolCalls: 0,
  toolFailures: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
  unpricedCalls: 0,
});
