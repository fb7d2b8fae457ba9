/**
 * Kills a tree with everything in it while another process speaks to it: background children, a worktree that is merged, a question at depth 2, a message,
 * a child that is stopped. On SQLite at every point of its counter, and on PostgreSQL in a smaller form.
 */
import { startPostgres } from "@retinue/store/testing/postgres";
import { planCountedKillsOfResume, planExactKills, planParkedKills, planRandomKills } from "../kill-plans.ts";
import type { StageOrder } from "../stage.ts";
import { canTrace } from "../strace.ts";
import type { PlannedSweep } from "../sweep.ts";
import type { Form, FormOptions, Outcome } from "./form.ts";
import { runPlanned } from "./run-planned.ts";

const order = { scenario: "busy-tree" } as const;
const locked = { ...order, gitLocks: true } as const;

export const BUSY: Form = {
  name: "busy",
  about: "a tree with everything in it, spoken to from another process, is killed, also while parked, and taken up by a third",
  run: async function* (options) {
    const { full, seed } = options;
    const exact: readonly (readonly [string, PlannedSweep])[] = canTrace()
      ? [["busy tree", planExactKills({ order, most: full ? 250 : 6, method: "strace" })]]
      : [];
    yield* runPlanned(options, [
      ["busy tree", planParkedKills(order, full ? 5 : 1)],
      ["busy tree", planExactKills({ order, most: full ? Infinity : 8, method: "counter" })],
      ["busy tree", planCountedKillsOfResume({ order, most: full ? 250 : 4, firsts: full ? 8 : 2 })],
      ["busy tree", planRandomKills({ order: { ...order, latencyMs: 2 }, tries: full ? 250 : 6, seed: seed + 2 })],
      ["busy tree with locks of git", planExactKills({ order: locked, most: full ? 60 : 3, method: "counter" })],
      [
        "busy tree with locks of git",
        planRandomKills({ order: { ...locked, latencyMs: 2 }, tries: full ? 60 : 2, seed: seed + 3 }),
      ],
      ...exact,
    ]);
    if (!options.signal.aborted) yield* sweepPostgres(options);
  },
};

const sweepPostgres = async function* (options: FormOptions): AsyncGenerator<Outcome> {
  const server = await startPostgres();
  try {
    const onPostgres: StageOrder = { ...order, postgresUrl: server.url };
    yield* runPlanned(options, [
      ["busy tree on PostgreSQL", planParkedKills(onPostgres)],
      ["busy tree on PostgreSQL", planExactKills({ order: onPostgres, most: options.full ? 40 : 3, method: "counter" })],
    ]);
  } finally {
    await server.stop();
  }
};
