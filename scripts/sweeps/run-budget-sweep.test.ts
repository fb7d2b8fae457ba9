import { expect, test } from "vitest";
import { runBudgetSweep } from "./run-budget-sweep.ts";

test("G8 of 60 random trees no run uses and sets aside more than its limits allow, and in the end nothing is set aside", async () => {
  const report = await runBudgetSweep({ from: 1, trees: 60 });
  expect(report.findings).toEqual([]);
  // Trees in which nothing happens would show nothing.
  expect(report.runs).toBeGreaterThan(150);
  for (const name of ["iterations", "toolCalls", "durationMs", "tokens", "costUsd"] as const)
    expect(report.reached[name], name).toBeGreaterThan(0);
});
