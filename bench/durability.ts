/**
 * What it costs to bring appends to the disk: `node bench/durability.ts [FOLDER]`. A step is a model's answer, a tool call and two
 * appends. Measured are the default, the default with one durable append a step, and a store that is `FULL` throughout.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Lease } from "../packages/store/src/contract.ts";
import { createSqliteLog } from "../packages/store/src/sqlite/index.ts";
import type { EventLog } from "../packages/store/src/index.ts";
import { measureRecording } from "../packages/store/src/testing/measure-recording.ts";

const STEPS = 400;
const ROUNDS = 5;

/** Every second append is durable, as it is before an effect that leaves the machine. */
const withDurableSteps = (log: EventLog): EventLog => {
  let count = 0;
  return {
    ...log,
    append: (drafts, lease?: Lease) => log.append(drafts, lease, { durable: (count += 1) % 2 === 0 }),
  };
};

const MODES = [
  { name: "NORMAL", synchronous: "NORMAL", wrap: (log: EventLog) => log },
  { name: "NORMAL, one durable append a step", synchronous: "NORMAL", wrap: withDurableSteps },
  { name: "FULL", synchronous: "FULL", wrap: (log: EventLog) => log },
] as const;

const base = process.argv[2] ?? tmpdir();
const best = new Map<string, { cpu: number; wall: number }>();
for (let round = 0; round < ROUNDS; round += 1)
  for (const { name, synchronous, wrap } of MODES) {
    const folder = mkdtempSync(join(base, "retinue-durability-"));
    const log = createSqliteLog({ path: join(folder, "store.db"), synchronous });
    const { cpuUsPerStep, wallUsPerStep } = await measureRecording({ log: wrap(log), steps: STEPS, parallel: 1, name: "a" });
    await log.close();
    rmSync(folder, { recursive: true });
    const before = best.get(name) ?? { cpu: Infinity, wall: Infinity };
    best.set(name, { cpu: Math.min(before.cpu, cpuUsPerStep), wall: Math.min(before.wall, wallUsPerStep) });
  }
for (const [name, { cpu, wall }] of best)
  process.stdout.write(`${name}: ${Math.round(cpu)} µs CPU, ${Math.round(wall)} µs a step\n`);
