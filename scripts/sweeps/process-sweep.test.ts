import { expect, test } from "vitest";
import { stealLeases } from "./steal-leases.ts";
import { writeTogether } from "./write-together.ts";

const TIME = { timeout: 240_000 };

test("four processes write 3,000 commits to one database, and none is turned away", TIME, async () => {
  const report = await writeTogether(3_000);
  expect(report).toMatchObject({ processes: 4, errors: [], missing: 0, damage: [] });
  expect(report.commits).toBeGreaterThanOrEqual(3_000);
});

test("two processes steal runs from each other 50 times, and no effect is made twice", TIME, async () => {
  const report = await stealLeases(50);
  expect(report.findings).toEqual([]);
  expect(report.steals).toBeGreaterThanOrEqual(50);
});
