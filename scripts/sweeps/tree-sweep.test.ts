import { rmSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { planExactKills, planRandomKills } from "./kill-plans.ts";
import { canTrace } from "./strace.ts";
import { createSweepPlace, runSweep } from "./sweep.ts";

const TIME = { timeout: 240_000 };
const method = canTrace() ? "strace" : "counter";
const place = createSweepPlace();

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe("a run with three children, one of them waiting for an approval, that is killed", () => {
  const claim = "starts no child again, keeps the question and its id, and is exact in its limits";

  test(`at exact points, by ${method}, ${claim}`, TIME, async () => {
    const report = await runSweep({ ...planExactKills({ order: { scenario: "three-children" }, most: 9, method }), place });
    expect(report.found, JSON.stringify(report.findings)).toEqual({});
    expect(report.kills).toBe(9);
  });

  test(`at 10 random moments, ${claim}`, TIME, async () => {
    const order = { scenario: "three-children", latencyMs: 2 } as const;
    const report = await runSweep({ ...planRandomKills({ order, tries: 10, seed: 2 }), place });
    expect(report.found, JSON.stringify(report.findings)).toEqual({});
    expect(report.kills).toBeGreaterThan(0);
  });
});
