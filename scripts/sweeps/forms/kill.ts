/** Kills a run of five turns: at its writes and effects, again while it resumes, and at random. */
import { planCountedKillsOfResume, planExactKills, planKillsOfResume, planRandomKills } from "../kill-plans.ts";
import { canTrace } from "../strace.ts";
import type { PlannedSweep } from "../sweep.ts";
import type { Form } from "./form.ts";
import { runPlanned } from "./run-planned.ts";

const order = { scenario: "five-turns" } as const;

export const KILL: Form = {
  name: "kill",
  about: "a run of five turns is killed: nothing is lost, nothing done twice, and it settles",
  run: (options) => {
    const { full, seed } = options;
    const most = full ? Infinity : 8;
    const resumed: PlannedSweep = canTrace()
      ? planKillsOfResume({ order, most: full ? Infinity : 4, killedAt: ({ file }) => file === "act-1.draft" })
      : planCountedKillsOfResume({ order, most: full ? Infinity : 4, firsts: 4 });
    return runPlanned(options, [
      ["five turns", planExactKills({ order, most })],
      ["five turns", planExactKills({ order, most, method: "counter" })],
      ["five turns", resumed],
      ["five turns", planRandomKills({ order: { ...order, latencyMs: 2 }, tries: full ? 1_250 : 16, seed })],
    ]);
  },
};
