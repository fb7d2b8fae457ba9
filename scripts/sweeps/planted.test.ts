import { rmSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { planExactKills } from "./kill-plans.ts";
import { canTrace } from "./strace.ts";
import { createSweepPlace, runSweep } from "./sweep.ts";

const TIME = { timeout: 240_000 };
const method = canTrace() ? "strace" : "counter";
const place = createSweepPlace();

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe(`a sweep by ${method} sees`, () => {
  test("writes that are made again, where a victim declares them repeatable", TIME, async () => {
    const order = { scenario: "five-turns", plant: "repeated-writes" } as const;
    /** Between an effect and its record. The points of the counter have no names, so that more of them are taken. */
    const where = ({ call, file }: { readonly call: string; readonly file: string }): boolean =>
      call === "fsync" && file === "effects.log";
    const { found } = await runSweep({ ...planExactKills({ order, most: method === "strace" ? 3 : 16, where, method }), place });
    expect(found.twice).toBeGreaterThan(0);
  });

  test("events that are lost, where a victim acknowledges them before they are written", TIME, async () => {
    const order = { scenario: "five-turns", plant: "early-acknowledgement" } as const;
    /** Inside a commit. */
    const where = ({ file }: { readonly file: string }): boolean => file === "retinue.db-wal";
    const { found } = await runSweep({ ...planExactKills({ order, most: method === "strace" ? 4 : 16, where, method }), place });
    expect(found.lost).toBeGreaterThan(0);
  });
});
