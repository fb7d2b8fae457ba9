import { rmSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { planExactKills } from "./kill-plans.ts";
import type { FindingKind } from "./finding.ts";
import { canTrace } from "./strace.ts";
import { createSweepPlace, runSweep } from "./sweep.ts";
import type { Plant } from "./victim-order.ts";

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

  /** Each tells a resumed tree something else than the record says. */
  test.each<[Plant, FindingKind, string]>([
    ["renamed-delegations", "child-twice", "children that are started again, where a victim does not find them again"],
    ["forgotten-questions", "wrong-approval", "a question that is asked again, where a victim forgets that it was asked"],
    ["forgotten-work", "asked-again", "models that are asked again, where a victim forgets what its children did"],
    ["forgotten-spending", "wrong-limits", "limits that are not exact, where a victim forgets what was spent"],
  ])("%s: %s: %s", TIME, async (plant, kind) => {
    const order = { scenario: "three-children", plant } as const;
    const { found } = await runSweep({ ...planExactKills({ order, most: 5, method }), place });
    expect(found[kind], JSON.stringify(found)).toBeGreaterThan(0);
  });
});
