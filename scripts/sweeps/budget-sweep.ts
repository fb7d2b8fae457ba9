/**
 * Random trees of runs, side by side, under random limits of every kind. `node scripts/sweeps/budget-sweep.ts` runs 200 trees; with `--full`
 * 20,000. Ends with 1 if one of them used more than it was given, or kept something set aside.
 */
import { parseArgs } from "node:util";
import { runBudgetSweep } from "./run-budget-sweep.ts";

const { values } = parseArgs({
  options: { full: { type: "boolean", default: false }, seed: { type: "string", default: "1" } },
});

const report = await runBudgetSweep({ from: Number(values.seed), trees: values.full ? 20_000 : 200 });
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
if (report.findings.length > 0) process.exitCode = 1;
