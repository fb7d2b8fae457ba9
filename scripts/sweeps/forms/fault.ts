/** Fills the disk and breaks it under runs. */
import { DISK_BROKEN, DISK_FULL, DISK_FULL_ONCE, planFaults } from "../fault-plans.ts";
import type { Form } from "./form.ts";
import { runPlanned } from "./run-planned.ts";

/** A run that stops says that its store failed, and nothing else. */
const STORE_CODES = ["store_full", "store_failed", "store_unreadable"];

export const FAULT: Form = {
  name: "fault",
  about:
    "the disk fills up or breaks under a run: it stops with the store's own error, loses nothing, and goes on when it is well again",
  run: (options) => {
    const { full } = options;
    const all = full ? 250 : 3;
    const sweeps: Parameters<typeof runPlanned>[1] = [
      ["five turns, disk full", planFaults({ order: { scenario: "five-turns" }, faults: DISK_FULL, most: all })],
      [
        "five turns, disk broken",
        planFaults({ order: { scenario: "five-turns", synchronous: "FULL" }, faults: DISK_BROKEN, most: full ? 250 : 2 }),
      ],
      ["three children, disk full", planFaults({ order: { scenario: "three-children" }, faults: [DISK_FULL_ONCE], most: all })],
      ["busy tree, disk full", planFaults({ order: { scenario: "busy-tree" }, faults: [DISK_FULL_ONCE], most: full ? 120 : 2 })],
      [
        "five turns, writes refused",
        planFaults({ order: { scenario: "five-turns" }, faults: DISK_FULL, most: all, method: "counter" }),
      ],
    ];
    return runPlanned(options, sweeps, STORE_CODES);
  },
};
