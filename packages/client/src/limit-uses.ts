/** How much of its limits a run has used, and what remains. */
import type { LimitName, Limits } from "@retinue/protocol";
import { LIMIT_NAMES } from "@retinue/protocol";
import type { RunView, Spending } from "./session-view.ts";

export type LimitUse = {
  readonly limit: LimitName;
  /** A limit of the run, or of it and everything below together. */
  readonly of: "run" | "tree";
  readonly used: number;
  readonly max: number;
  readonly remaining: number;
};

const countedIn = (run: RunView, { iterations, toolCalls }: Spending): Record<LimitName, number> => ({
  iterations,
  toolCalls,
  durationMs: run.activeMs,
  contextTokens: run.contextTokens,
  // Tokens and money always count what is below too.
  tokens: run.inclusive.usage.input + run.inclusive.usage.output,
  costUsd: run.inclusive.costUsd,
});

const toUses = (of: LimitUse["of"], limits: Limits, counted: Readonly<Record<LimitName, number>>): readonly LimitUse[] =>
  LIMIT_NAMES.flatMap((limit) => {
    const max = limits[limit];
    if (max === undefined) return [];
    const used = counted[limit];
    return [{ limit, of, used, max, remaining: Math.max(0, max - used) }];
  });

/** Of every limit that was set for the run; none where its request was not seen. */
export const toLimitUses = (run: RunView): readonly LimitUse[] => [
  ...toUses("run", run.limits, countedIn(run, run.own)),
  ...toUses("tree", run.treeLimits, countedIn(run, run.inclusive)),
];
