/** Runs random trees one after the other and adds up what was found. */
import type { LimitName } from "@retinue/protocol";
import { runBudgetTrial } from "./budget-trial.ts";
import { createRandomTree } from "./random-tree.ts";

export type BudgetReport = {
  readonly trees: number;
  readonly runs: number;
  readonly calls: number;
  /** How often each limit was reached. */
  readonly reached: Readonly<{ [Name in LimitName]?: number }>;
  readonly seconds: number;
  readonly broken: number;
  /** The first of them. */
  readonly findings: readonly string[];
};

const MOST_SHOWN = 20;

export const runBudgetSweep = async ({
  from,
  trees,
}: {
  readonly from: number;
  readonly trees: number;
}): Promise<BudgetReport> => {
  const startedAt = performance.now();
  const findings: string[] = [];
  const reached: { [Name in LimitName]?: number } = {};
  let runs = 0;
  let calls = 0;
  let broken = 0;
  for (let seed = from; seed < from + trees; seed += 1) {
    const trial = await runBudgetTrial(createRandomTree(seed));
    runs += trial.runs;
    calls += trial.calls;
    for (const name of trial.reached) reached[name] = (reached[name] ?? 0) + 1;
    if (trial.findings.length > 0) broken += 1;
    findings.push(...trial.findings);
  }
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  return { trees, runs, calls, reached, seconds, broken, findings: findings.slice(0, MOST_SHOWN) };
};
