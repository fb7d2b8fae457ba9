/** Planted in the take-over: who may drive a run, and what the next driver knows of it. */
import type { Mutation } from "../mutation.ts";

const drive = "packages/engine/src/embedded/drive.ts";
const start = "packages/engine/src/embedded/start-run.ts";
const parking = "packages/engine/src/embedded/parking.ts";
const admit = "packages/store/src/admit.ts";
const holder = "packages/store/src/holder.ts";
const holders = "packages/store/src/sqlite/holder-table.ts";
const ENGINE_TESTS = [
  "packages/engine/src/take-over.test.ts",
  "packages/engine/src/embedded-engine-contract.test.ts",
  "packages/engine/src/ways-in.test.ts",
  "packages/engine/src/parked-handle.test.ts",
];
const STORE_TESTS = [
  "packages/store/src/sqlite/holder-table.test.ts",
  "packages/store/src/sqlite/holding.test.ts",
  "packages/store/src/sqlite/sqlite-log.test.ts",
  "packages/store/src/sqlite/processes.test.ts",
];

export const TAKE_OVER: readonly Mutation[] = [
  {
    name: "take-over/writes-under-an-old-lease",
    file: admit,
    before: "if (run.epoch !== lease.epoch)",
    after: "if (run.epoch < lease.epoch)",
    tests: STORE_TESTS,
  },
  {
    name: "take-over/takes-a-run-from-a-living-process",
    file: drive,
    before: "log.lease(runId, { onlyIfFree })",
    after: "log.lease(runId)",
    tests: ENGINE_TESTS,
  },
  {
    name: "take-over/goes-on-without-what-was-added",
    file: drive,
    before: "  run.state = states.get(runId) ?? run.state;\n",
    after: "",
    tests: ENGINE_TESTS,
  },
  {
    name: "take-over/spends-what-was-spent-meanwhile-again",
    file: drive,
    before: "run.purse = createRunPurse(run.state.spec, run.parent?.purse ?? null, spentBelow(run.state, states));",
    after: "void spentBelow;",
    tests: ENGINE_TESTS,
  },
  {
    name: "take-over/never-reads-what-was-added",
    file: drive,
    before: "if (!resumed && lease.epoch === 1) return lease;",
    after: "return lease;",
    tests: ENGINE_TESTS,
  },
  {
    name: "take-over/drives-a-run-that-settled-meanwhile",
    file: drive,
    before:
      '  const lease = await takeOver(ground, run, how);\n  if (run.state.result) return putAway(ground, run, { type: "settled", result: run.state.result });',
    after: "  const lease = await takeOver(ground, run, how);",
    tests: ENGINE_TESTS,
  },
  {
    name: "take-over/a-cancel-that-was-asked-for-is-forgotten",
    file: drive,
    before: "  if (run.state.cancelRequested)\n",
    after: "  if (run.state.cancelRequested && !how.resumed)\n",
    tests: [...ENGINE_TESTS, "packages/engine/src/embedded-engine.test.ts"],
  },
  {
    name: "take-over/resume-takes-what-another-drives",
    file: start,
    before: "if (!takeOver) await refuseHeld(ground, toHeld(state), () => ground.floor.isAtWork(runId));",
    after: "",
    tests: ENGINE_TESTS,
  },
  {
    name: "take-over/a-second-drive-in-this-process",
    file: start,
    before: "if (holder && (!holder.isSelf || isHere()))",
    after: "if (holder && !holder.isSelf)",
    tests: ENGINE_TESTS,
  },
  {
    name: "take-over/gives-up-where-another-was-faster",
    file: start,
    before: "if (mayPass(thrown)) main.parking.waitBeside(root);",
    after: "if (mayPass(thrown)) main.parking.close();",
    tests: ENGINE_TESTS,
  },
  {
    name: "take-over/news-between-the-last-look-and-the-watch-are-missed",
    file: parking,
    before: "      // What came between the last look of the drive and this watch.\n      lookUntilSeen(root);\n",
    after: "",
    tests: ENGINE_TESTS,
  },
  {
    name: "take-over/those-below-spend-from-an-old-purse",
    file: drive,
    before: "earlier?.purse ??",
    after: "",
    tests: ["packages/engine/src/driven-on-above.test.ts"],
  },
  {
    name: "take-over/those-below-stay-under-an-old-drive",
    file: drive,
    before: "if (earlier) takePlaceOf(earlier, run);",
    after: "void takePlaceOf;",
    tests: ["packages/engine/src/driven-on-above.test.ts"],
  },
  {
    name: "take-over/a-parked-run-is-forgotten-while-the-store-is-away",
    file: parking,
    before: "look(root).catch(() => lookLater(root));",
    after: "look(root).catch(() => undefined);",
    tests: ["packages/engine/src/woken-late.test.ts"],
  },
  {
    name: "take-over/believes-a-dead-process",
    file: holder,
    before: "isAlive(holder) ?? silentMs < silenceMs",
    after: "silentMs < silenceMs",
    tests: STORE_TESTS,
  },
  {
    name: "take-over/believes-a-silent-machine",
    file: holder,
    before: "isAlive(holder) ?? silentMs < silenceMs",
    after: "isAlive(holder) ?? true",
    tests: STORE_TESTS,
  },
  {
    name: "take-over/anybody-holds",
    file: holders,
    before: 'isSelf: row["holder"] === id',
    after: "isSelf: true",
    tests: STORE_TESTS,
  },
  {
    name: "take-over/a-settled-run-is-held",
    file: holders,
    before: "WHERE r.run_id = ? AND m.status IN ('pending', 'running')",
    after: "WHERE r.run_id = ?",
    tests: STORE_TESTS,
  },
  {
    name: "take-over/the-heart-stops-with-the-first-beat",
    file: holders,
    before: "ON CONFLICT (holder) DO UPDATE SET beat_at = excluded.beat_at",
    after: "ON CONFLICT (holder) DO NOTHING",
    tests: STORE_TESTS,
  },
];
