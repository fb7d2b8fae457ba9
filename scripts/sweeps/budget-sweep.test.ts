import { describe, expect, test } from "vitest";
import { runBudgetSweep } from "./run-budget-sweep.ts";

describe("240 trees of runs at random, under limits at random", () => {
  test("G8 at no run is more used and set aside than its limits allow, and in the end nothing is set aside", async () => {
    const report = await runBudgetSweep({ from: 1, trees: 240 });
    expect(report.findings).toEqual([]);
    // Trees in which nothing happens would show nothing.
    expect(report.runs).toBeGreaterThan(600);
    for (const name of ["iterations", "toolCalls", "durationMs", "tokens", "costUsd"] as const)
      expect(report.reached[name], name).toBeGreaterThan(20);
  });
});
