import { rmSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { planExactKills, planRandomKills } from "./kill-plans.ts";
import { canTrace } from "./strace.ts";
import { createSweepPlace, runSweep } from "./sweep.ts";

const TIME = { timeout: 240_000 };
const method = canTrace() ? "strace" : "counter";
const place = createSweepPlace();

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe("a run of five turns that is killed", () => {
  const order = { scenario: "five-turns" } as const;
  const claim = "loses nothing, does nothing twice and settles";

  test(`at exact points, by ${method}, ${claim}`, TIME, async () => {
    const report = await runSweep({ ...planExactKills({ order, most: 9, method }), place });
    expect(report.found, JSON.stringify(report.findings)).toEqual({});
    expect(report.kills).toBe(9);
  });

  test(`before and after its writes and effects, by a counter of its own, ${claim}`, TIME, async () => {
    const report = await runSweep({ ...planExactKills({ order, most: 7, method: "counter" }), place });
    expect(report.found, JSON.stringify(report.findings)).toEqual({});
    expect(report.kills).toBe(7);
  });

  test(`at 20 random moments, also while it resumes, ${claim}`, TIME, async () => {
    const report = await runSweep({ ...planRandomKills({ order: { ...order, latencyMs: 2 }, tries: 20, seed: 1 }), place });
    expect(report.found, JSON.stringify(report.findings)).toEqual({});
    expect(report.kills).toBeGreaterThan(0);
  });
});
