import { mkdirSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, test } from "vitest";
import { recordQuestions } from "../testing/recorded-questions.ts";
import { recordSession } from "../testing/recorded-session.ts";
import { sweepCorruptions, sweepTakenWal } from "../testing/sweep-corruptions.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();

describe("a damaged store", { timeout: 120_000 }, () => {
  const expectNoneSilent = async (mutations: number): Promise<void> => {
    const path = folder.file();
    mkdirSync(path);
    const sweep = await sweepCorruptions({ folder: path, mutations, seed: 1 });
    expect(sweep.silent).toEqual([]);
    expect(sweep.crashed).toEqual([]);
    expect(sweep.detected).toBeGreaterThan(mutations / 4);
    expect(sweep.detected + sweep.harmless).toBe(mutations);
  };

  it("is never read wrong without a word, in 20 kinds of damage", () => expectNoneSilent(20));
  it("is never read wrong without a word, in 200 kinds of damage", { tags: ["long"] }, () => expectNoneSilent(200));
});

test("a store whose write-ahead file was taken away half-way is never read wrong without a word", async () => {
  const path = folder.file();
  mkdirSync(path);
  const sweep = await sweepTakenWal({ folder: path });
  expect(sweep).toMatchObject({ silent: [], crashed: [] });
  expect(sweep.detected).toBeGreaterThan(20);
});

describe("a record edited by hand", () => {
  const edits: readonly (readonly [what: string, sql: string, seq: number | null, damage: RegExp])[] = [
    [
      "an event's text",
      `UPDATE events SET body = replace(body, 'reviewer', 'approver') WHERE id % 100000000 = 4`,
      4,
      /does not fit its hash/,
    ],
    ["an event's hash", `UPDATE events SET hash = 'x' WHERE id % 100000000 = 5`, 5, /does not fit its hash/],
    ["an event in the middle is gone", `DELETE FROM events WHERE id % 100000000 = 6`, 6, /missing/],
    ["the last event is gone", `DELETE FROM events WHERE id = (SELECT max(id) FROM events)`, 28, /missing/],
    ["all events are gone", `DELETE FROM events`, 1, /missing/],
    [
      "the last event is gone and the count goes along",
      `DELETE FROM events WHERE id % 100000000 = 28; UPDATE sessions SET head_seq = 27`,
      27,
      /ends with/,
    ],
    [
      "an event is added at the end",
      `INSERT INTO events SELECT id + 1, run_id, type, at, body, hash FROM events WHERE id % 100000000 = 28`,
      29,
      /does not fit/,
    ],
    [
      "two events change places",
      `UPDATE events SET id = -1 WHERE id % 100000000 = 3; UPDATE events SET id = id - 1 WHERE id % 100000000 = 4; UPDATE events SET id = 100000004 WHERE id = -1`,
      3,
      /does not fit/,
    ],
    ["an event's time in its column", `UPDATE events SET at = '2020' WHERE id % 100000000 = 7`, 7, /columns/],
    ["an event's run in its column", `UPDATE events SET run_id = 'run_x' WHERE id % 100000000 = 7`, 7, /columns/],
    ["a message's status", `UPDATE messages SET status = 'completed' WHERE status = 'failed'`, null, /status of message/],
    ["a message's cost", `UPDATE messages SET cost_usd = 0 WHERE cost_usd > 0`, null, /cost_usd of message/],
    ["a message's approval", `UPDATE messages SET approval = 'denied' WHERE approval = 'allowed'`, null, /approval of message/],
    ["a message is gone", `PRAGMA foreign_keys = OFF; DELETE FROM messages WHERE tool_name = 'fly'`, null, /missing|not what/],
    [
      "a message is added",
      `INSERT INTO messages (id, session_id, started_at) SELECT 100000028, session_id, '' FROM sessions`,
      null,
      /opened by no event/,
    ],
    ["a session's title", `UPDATE sessions SET title = 'Other'`, null, /title/],
    ["a session's cost", `UPDATE sessions SET cost_usd = cost_usd + 1`, null, /costUsd/],
    ["a run's lease is turned back", `UPDATE runs SET epoch = 0`, null, /lease/],
    ["a run's lease is gone", `DELETE FROM runs WHERE run_id LIKE '%child'`, null, /lease/],
    ["an artifact's text", `UPDATE artifacts SET text = text || 'x'`, null, /artifact/],
    ["an artifact is gone", `DELETE FROM artifacts`, null, /artifact/],
    ["a figure", `UPDATE figures SET prompt = prompt + 1 WHERE prompt > 0`, null, /figures are not what/],
    ["a figure is gone", `DELETE FROM figures WHERE agent = 'reviewer'`, null, /figures are not what/],
    ["figures of no session", `INSERT INTO counted VALUES (77, 1)`, null, /figures of no session/],
    ["a word of the search index", `INSERT INTO said (rowid, text) VALUES (100000002, 'planted')`, 2, /search index/],
    ["the search index forgets", `INSERT INTO said (said) VALUES ('delete-all')`, null, /search index/],
    [
      "an index is another",
      `DROP INDEX idx_messages_role; CREATE INDEX idx_messages_role ON messages(agent_depth)`,
      null,
      /schema/,
    ],
    [
      "a default is another",
      `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '''pending''', '''running''') WHERE name = 'messages'`,
      null,
      /schema/,
    ],
  ];

  it.each(edits)("is told by %s", async (_what, sql, seq, damage) => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    await recordSession(log);
    await log.readSide.search("bug");
    await log.readSide.stats({ by: "agent" });
    await log.close();
    const db = new DatabaseSync(path, { defensive: false });
    db.exec(sql);
    db.close();
    const again = createSqliteLog({ path });
    const found = (await again.readSide.verify()).damage;
    expect(found.map(({ what }) => what).join("\n")).toMatch(damage);
    if (seq !== null) expect(found.map((one) => one.seq)).toContain(seq);
    await again.close();
  });

  const edited: readonly (readonly [what: string, sql: string, damage: RegExp])[] = [
    ["a question is closed", `UPDATE approvals SET closed = 'answered' WHERE closed IS NULL`, /question apr_open/],
    ["a question is opened again", `UPDATE approvals SET closed = NULL`, /question apr_/],
    ["a question is gone", `DELETE FROM approvals`, /question/],
    ["a main run is none", `UPDATE runs SET is_root = 0`, /lease/],
    ["an input is gone", `DELETE FROM inputs`, /inputs/],
    ["an input is another's", `UPDATE inputs SET run_id = 'run_x'`, /inputs/],
  ];

  it.each(edited)("is told by %s", async (_what, sql, damage) => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    await recordQuestions(log);
    await log.close();
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
    const again = createSqliteLog({ path });
    expect((await again.readSide.verify()).damage.map(({ what }) => what).join("\n")).toMatch(damage);
    await again.close();
  });

  it("is refused when it is read, and what verifies is exported", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    await recordSession(log, { sessionId: "ses_1" });
    await recordSession(log, { sessionId: "ses_2" });
    const intact = await log.read("ses_1");
    await log.close();
    const db = new DatabaseSync(path);
    db.exec("UPDATE events SET body = replace(body, 'a', 'b') WHERE id = 100000010");
    db.close();
    const again = createSqliteLog({ path });
    expect(() => again.read("ses_1")).toThrow(/Event 10 of ses_1 is damaged/);
    expect(() => again.read("ses_1", 9)).toThrow(/Event 10 of ses_1 is damaged/);
    expect(await again.read("ses_1", 12)).toHaveLength(intact.length - 12);
    expect(await again.read("ses_2")).toHaveLength(intact.length);
    const exported = await again.readSide.exportSession("ses_1");
    expect(exported.events).toEqual(intact.slice(0, 9));
    expect(exported.damage).toMatchObject({ sessionId: "ses_1", seq: 10 });
    expect((await again.readSide.exportSession("ses_2")).damage).toBeNull();
    expect((await again.readSide.verify("ses_2")).damage).toEqual([]);
    await again.close();
  });

  it("can be deleted all the same, and leaves the others whole", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    await recordSession(log, { sessionId: "ses_1", output: "needle" });
    await recordSession(log, { sessionId: "ses_2", output: "needle" });
    await log.readSide.search("needle");
    await log.close();
    const db = new DatabaseSync(path);
    db.exec("UPDATE events SET body = replace(body, 'needle', 'noodle') WHERE id < 200000000");
    db.close();
    const again = createSqliteLog({ path });
    expect(await again.readSide.deleteSession("ses_1")).toBe(true);
    expect((await again.readSide.verify()).damage).toEqual([]);
    expect((await again.readSide.search("needle")).items.map((hit) => hit.sessionId)).toEqual(["ses_2"]);
    await again.close();
  });
});
