/**
 * Kills runs and looks whether anything was lost or done twice. `node scripts/sweeps/kill-sweep.ts` takes a sample; with `--full` every
 * point of a run, every point of what resumes it, every point of a run with three children, and 1,000 kills at random and more. With
 * `--scenario three-children` or another one, only the sweeps of that one.
 */
import { parseArgs } from "node:util";
import { planExactKills, planKillsOfResume, planRandomKills } from "./kill-plans.ts";
import { showSweeps } from "./show-sweeps.ts";

const { values } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    seed: { type: "string", default: "20261115" },
    scenario: { type: "string" },
  },
});
const most = values.full ? Infinity : 20;
const tries = values.full ? 1_250 : 20;
const seed = Number(values.seed);

const sweeps: Parameters<typeof showSweeps>[0] = [
  ["five turns", planExactKills({ order: { scenario: "five-turns" }, most })],
  ["three children", planExactKills({ order: { scenario: "three-children" }, most })],
  [
    "five turns, resumed",
    planKillsOfResume({ order: { scenario: "five-turns" }, most, killedAt: ({ file }) => file === "act-1.draft" }),
  ],
  ["five turns", planRandomKills({ order: { scenario: "five-turns", latencyMs: 2 }, tries, seed })],
  ["three children", planRandomKills({ order: { scenario: "three-children", latencyMs: 2 }, tries, seed: seed + 1 })],
];

await showSweeps(sweeps.filter(([, { order }]) => values.scenario === undefined || order.scenario === values.scenario));
