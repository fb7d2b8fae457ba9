/**
 * Kills runs and looks whether anything was lost or done twice. `node scripts/sweeps/kill-sweep.ts` takes a sample; with `--full` every
 * point of a run, every point of a run with three children, and 1,000 kills at random of each.
 */
import { parseArgs } from "node:util";
import { planExactKills, planRandomKills } from "./kill-plans.ts";
import { showSweeps } from "./show-sweeps.ts";

const { values } = parseArgs({
  options: { full: { type: "boolean", default: false }, seed: { type: "string", default: "20261115" } },
});
const most = values.full ? Infinity : 40;
const kills = values.full ? 1_000 : 40;
const seed = Number(values.seed);

await showSweeps([
  ["five turns", planExactKills({ order: { scenario: "five-turns" }, most })],
  ["three children", planExactKills({ order: { scenario: "three-children" }, most })],
  ["five turns", planRandomKills({ order: { scenario: "five-turns", latencyMs: 2 }, kills, seed })],
  ["three children", planRandomKills({ order: { scenario: "three-children", latencyMs: 2 }, kills, seed: seed + 1 })],
]);
