import { rmSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { DISK_BROKEN, DISK_FULL, planFaults } from "./fault-plans.ts";
import { canTrace } from "./strace.ts";
import { createSweepPlace, runSweep } from "./sweep.ts";

const TIME = { timeout: 240_000 };
const method = canTrace() ? "strace" : "counter";
const place = createSweepPlace();
const STORE_CODES = ["store_full", "store_failed", "store_unreadable"];

afterAll(() => rmSync(place, { recursive: true, force: true }));

const claim = "stops with the store's own error, loses nothing, and goes on when it is well again";

describe(`a run whose disk fails, by ${method},`, () => {
  test(`because it is full, ${claim}`, TIME, async () => {
    const report = await runSweep({
      ...planFaults({ order: { scenario: "five-turns" }, faults: DISK_FULL, most: 3, method }),
      place,
    });
    expect(report.found, JSON.stringify(report.findings)).toEqual({});
    expect(report.stops["store_full"]).toBeGreaterThan(0);
    expect(STORE_CODES).toEqual(expect.arrayContaining(Object.keys(report.stops)));
  });

  test(`because it is broken, ${claim}`, TIME, async () => {
    const order = { scenario: "five-turns", synchronous: "FULL" } as const;
    const report = await runSweep({ ...planFaults({ order, faults: DISK_BROKEN, most: 2, method }), place });
    expect(report.found, JSON.stringify(report.findings)).toEqual({});
    expect(Object.keys(report.stops)).not.toEqual([]);
    expect(STORE_CODES).toEqual(expect.arrayContaining(Object.keys(report.stops)));
  });

  test(`while three children are at work, ${claim}`, TIME, async () => {
    const report = await runSweep({
      ...planFaults({ order: { scenario: "three-children" }, faults: DISK_FULL, most: 2, method }),
      place,
    });
    expect(report.found, JSON.stringify(report.findings)).toEqual({});
    expect(report.stops["store_full"]).toBeGreaterThan(0);
  });
});

test("the way without strace refuses single writes, and finds the same", TIME, async () => {
  const order = { scenario: "five-turns" } as const;
  const report = await runSweep({ ...planFaults({ order, faults: DISK_FULL, most: 3, method: "counter" }), place });
  expect(report.found, JSON.stringify(report.findings)).toEqual({});
  expect(report.stops).toEqual({ store_full: 3 });
});
