/**
 * Damages copies of a store's file and asks each of them everything. `node scripts/sweeps/corruption-sweep.ts` takes a sample; with
 * `--full` there are 1,000 kinds of damage. Whatever is read wrong without a word is told, and fails it.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { sweepCorruptions } from "../../packages/store/src/testing/sweep-corruptions.ts";

const { values } = parseArgs({
  options: { full: { type: "boolean", default: false }, seed: { type: "string", default: "1" } },
});
const folder = mkdtempSync(path.join(tmpdir(), "retinue-corruptions-"));
const totals = { detected: 0, harmless: 0, silent: [] as string[], crashed: [] as string[] };
try {
  for (let round = 0; round < (values.full ? 5 : 1); round += 1) {
    const seed = Number(values.seed) + round;
    const place = path.join(folder, String(seed));
    mkdirSync(place);
    const { detected, harmless, silent, crashed } = await sweepCorruptions({ folder: place, mutations: 200, seed });
    totals.detected += detected;
    totals.harmless += harmless;
    totals.silent.push(...silent.map((one) => `seed ${seed}, ${one}`));
    totals.crashed.push(...crashed.map((one) => `seed ${seed}, ${one}`));
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.stdout.write(`corruptions: ${JSON.stringify(totals, null, 2)}\n`);
if (totals.silent.length + totals.crashed.length > 0) process.exitCode = 1;
