/** Random trees of runs, side by side, under random limits of every kind. */
import { runBudgetSweep } from "../run-budget-sweep.ts";
import type { Form } from "./form.ts";

/** Trees at a time, so that it can be interrupted. */
const BATCH = 200;

export const BUDGET: Form = {
  name: "budget",
  about: "random trees of runs under random limits: none uses more than it was given, or keeps something set aside",
  run: async function* ({ full, seed, signal, progress }) {
    const trees = full ? 20_000 : 400;
    const findings: string[] = [];
    let [runs, calls, seconds, done] = [0, 0, 0, 0];
    const reached: { [name: string]: number } = {};
    for (; done < trees && !signal.aborted; done += BATCH) {
      const report = await runBudgetSweep({ from: seed + done, trees: BATCH });
      runs += report.runs;
      calls += report.calls;
      seconds += report.seconds;
      findings.push(...report.findings);
      for (const [name, times] of Object.entries(report.reached)) reached[name] = (reached[name] ?? 0) + times;
      progress(`random trees: ${done + BATCH} of ${trees}`);
    }
    // Trees in which nothing happens would show nothing.
    for (const name of ["iterations", "toolCalls", "durationMs", "tokens", "costUsd"])
      if ((reached[name] ?? 0) <= done / 20) findings.push(`the limit of ${name} was reached only ${reached[name] ?? 0} times`);
    const limits = Object.entries(reached).map(([name, times]) => `${name} ${times}`);
    yield {
      title: "random trees under random limits",
      figures: `${done} trees, ${runs} runs, ${calls} calls, limits reached: ${limits.join(", ")}, ${Math.round(seconds)} s`,
      findings,
    };
  },
};
