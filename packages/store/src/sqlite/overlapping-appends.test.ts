import type { EventDraft } from "@retinue/protocol";
import { expect, test } from "vitest";
import { createRunDrafts } from "../testing/session-drafts.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { openDatabase } from "./open-database.ts";
import { createLogOn } from "./sqlite-log.ts";

const folder = createTestFolder();

const fill = async () => {
  const path = folder.file();
  const db = openDatabase({ path, synchronous: "NORMAL" });
  const log = createLogOn({ db, path, busyMs: 60_000 });
  const [run, other] = [createRunDrafts(), createRunDrafts({ sessionId: "ses_b", runId: "run_b" })];
  await log.append([run.requested()]);
  await log.append([other.requested()]);
  const [lease, otherLease] = [await log.lease("run_a"), await log.lease("run_b")];
  const pages = Number(Object.values(db.prepare("PRAGMA page_count").get() ?? {})[0]);
  // Little is left: a short event finds a place, a long one does not.
  db.exec(`PRAGMA max_page_count = ${pages + 2}`);
  const outcome = async (drafts: readonly EventDraft[], of = lease): Promise<string> =>
    Promise.resolve(log.append(drafts, of)).then(
      () => "recorded",
      (error: { code: string }) => error.code,
    );
  return { log, run, other, otherLease, outcome };
};

test("what was asked for after an append that fails is not recorded without it, in its session", async () => {
  const { log, run, other, otherLease, outcome } = await fill();
  const outcomes = await Promise.all([
    outcome([run.started(1)]),
    outcome([run.asked(1), run.answered(1, "x".repeat(100_000))]),
    outcome([run.asked(2)]),
    outcome([other.started(1)], otherLease),
  ]);
  expect(outcomes).toEqual(["recorded", "store_full", "store_full", "recorded"]);
  expect((await log.read("ses_a")).map(({ type }) => type)).toEqual(["run.requested", "run.started"]);
  expect(await outcome([run.asked(1)])).toBe("recorded");
  expect((await log.readSide.verify()).damage).toEqual([]);
  await log.close();
});
