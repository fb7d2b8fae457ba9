/**
 * Fills the disk and breaks it under runs, and looks whether they stop clearly, lose nothing and go on when it is well again.
 * `node scripts/sweeps/fault-sweep.ts` takes a sample, `--most 100` a larger one; with `--full` every write and every sync. Needs strace.
 */
import { parseArgs } from "node:util";
import { DISK_BROKEN, DISK_FULL, DISK_FULL_ONCE, planFaults } from "./fault-plans.ts";
import { showSweeps } from "./show-sweeps.ts";

const { values } = parseArgs({ options: { full: { type: "boolean", default: false }, most: { type: "string", default: "8" } } });
const most = values.full ? Infinity : Number(values.most);

await showSweeps([
  ["five turns, disk full", planFaults({ order: { scenario: "five-turns" }, faults: DISK_FULL, most })],
  ["five turns, disk broken", planFaults({ order: { scenario: "five-turns", synchronous: "FULL" }, faults: DISK_BROKEN, most })],
  ["three children, disk full", planFaults({ order: { scenario: "three-children" }, faults: [DISK_FULL_ONCE], most })],
]);
