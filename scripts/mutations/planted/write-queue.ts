/** Planted in the write queue: what is committed together, what is refused alone, and when whoever asked is answered. */
import type { Mutation } from "../mutation.ts";

const file = "packages/store/src/sqlite/write-queue.ts";
const tests = [
  "packages/store/src/sqlite/write-queue.test.ts",
  "packages/store/src/sqlite/overlapping-appends.test.ts",
  "packages/store/src/sqlite/sqlite-store.test.ts",
  "packages/store/src/sqlite/sqlite-log.test.ts",
];

export const WRITE_QUEUE: readonly Mutation[] = [
  {
    name: "write-queue/answers-before-the-commit",
    file,
    before: "          outcomes.push(() => entry.succeed(value));",
    after: "          entry.succeed(value);",
    tests,
  },
  {
    name: "write-queue/leaves-the-transaction-open",
    file,
    before: '    if (db.isTransaction) db.exec("ROLLBACK");\n',
    after: "",
    tests,
  },
  {
    name: "write-queue/keeps-what-was-rolled-back-in-mind",
    file,
    before: "    rolledBack();\n    if",
    after: "    if",
    tests,
  },
  {
    name: "write-queue/all-fail-with-one",
    file,
    before: "      else commitApart(entries);",
    after: "      else for (const entry of entries) entry.fail(toStoreError(error, path));",
    tests,
  },
  {
    name: "write-queue/goes-on-in-a-broken-line",
    file,
    before: "        if (line !== undefined) broken.set(line, failure);\n",
    after: "",
    tests,
  },
  {
    name: "write-queue/one-broken-line-breaks-all",
    file,
    before: "if (line !== undefined && broken.has(line)) {\n        entry.fail(broken.get(line));",
    after: "if (line !== undefined && broken.size > 0) {\n        entry.fail([...broken.values()][0]);",
    tests,
  },
  {
    name: "write-queue/writes-though-the-check-refuses",
    file,
    before: "        if (refusal) outcomes.push(refusal);\n        else {",
    after: "        if (refusal) outcomes.push(refusal);\n        {",
    tests,
  },
  {
    name: "write-queue/does-not-settle-before-who-reads",
    file,
    before: "        if (!entry.defers) settling();\n",
    after: "",
    tests,
  },
  {
    name: "write-queue/commits-without-what-was-deferred",
    file,
    before: "      settling();\n      commit.run();",
    after: "      commit.run();",
    tests,
  },
  {
    name: "write-queue/gives-up-on-a-busy-database-at-once",
    file,
    before: "if (isBusy(error) && Date.now() < deadline)",
    after: "if (isBusy(error) && Date.now() > deadline)",
    tests,
  },
  {
    name: "write-queue/waits-for-a-busy-database-for-ever",
    file,
    before: "if (isBusy(error) && Date.now() < deadline)",
    after: "if (isBusy(error))",
    tests,
  },
  {
    name: "write-queue/never-schedules-again",
    file,
    before: "    waiting = [];\n    scheduled = false;\n",
    after: "    waiting = [];\n",
    tests,
  },
  {
    name: "write-queue/drain-does-not-wait",
    file,
    before: "if (scheduled) await new Promise<void>((resolve) => drained.push(resolve));",
    after: "if (scheduled) drained.push(() => undefined);",
    tests,
  },
  {
    name: "write-queue/a-durable-commit-stays-in-the-cache",
    file,
    before: 'needsDisk ? "FULL" : "NORMAL"',
    after: 'needsDisk ? "NORMAL" : "NORMAL"',
    tests,
  },
  {
    name: "write-queue/only-the-first-may-be-durable",
    file,
    before: "entries.some(({ durable }) => durable)",
    after: "entries[0]?.durable === true",
    tests,
  },
];
