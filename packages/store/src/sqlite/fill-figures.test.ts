import type { EventDraft, Usage } from "@retinue/protocol";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createRunDrafts } from "../testing/session-drafts.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import type { SqliteLog } from "./sqlite-log.ts";
import { createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();

const ABSURD = [2 ** 53, 1e18, 2 ** 63, 1e300, -5, Number.NaN];

const toUsage = (tokens: number): Usage => ({ input: tokens, output: tokens, cached: tokens, reasoning: tokens });

/** The events of a session whose only model call reports `tokens` four times, as an older version recorded them. */
const absurdSession = (name: string, tokens: number): readonly EventDraft[] => {
  const run = createRunDrafts({ sessionId: `ses_${name}`, runId: `run_${name}` });
  const usage = toUsage(tokens);
  const answered = { ...run.answered(1, "done"), usage, costUsd: tokens / 1000 } as EventDraft;
  return [run.requested(), run.started(1), run.asked(1), answered, run.settled({ usage, costUsd: tokens / 1000 })];
};

const plainSession = (name: string): readonly EventDraft[] => {
  const run = createRunDrafts({ sessionId: `ses_${name}`, runId: `run_${name}` });
  return [run.requested(), run.started(1), run.asked(1), run.answered(1, "done"), run.settled()];
};

const record = async (log: SqliteLog, drafts: readonly EventDraft[]): Promise<void> => {
  const [requested, ...rest] = drafts;
  if (requested === undefined) throw new Error("no drafts");
  await log.append([requested]);
  const lease = await log.lease(requested.runId);
  await log.append(rest, lease);
};

/** Writes into the rows what an older version wrote there, and takes the file back to that version. */
const makeOlder = (file: string, tokens: number): void => {
  const db = new DatabaseSync(file);
  db.prepare(
    `UPDATE messages SET prompt_tokens = :n, completion_tokens = :n, total_tokens = :n, cached_tokens = :n, reasoning_tokens = :n
       WHERE session_id = 'ses_bad' AND prompt_tokens IS NOT NULL`,
  ).run({ n: tokens });
  db.prepare("UPDATE sessions SET prompt_tokens = :n, completion_tokens = :n, cost_usd = 1e12 WHERE session_id = 'ses_bad'").run({
    n: tokens,
  });
  db.exec("PRAGMA user_version = 11");
  db.close();
};

const readAll = async (log: SqliteLog) => ({
  sessions: (await log.readSide.listSessions({})).items.map(({ sessionId, promptTokens, costUsd }) => [
    sessionId,
    promptTokens,
    costUsd,
  ]),
  messages: (await log.readSide.messages("ses_bad")).items.length,
  stats: (await log.readSide.stats({ by: "agent" })).map(({ runs, promptTokens, costUsd }) => [runs, promptTokens, costUsd]),
  damage: (await log.readSide.verify()).damage,
});

describe("figures that no model call can have", () => {
  it.each(ABSURD)("are recorded as unknown (%s)", async (tokens) => {
    const file = folder.file();
    const log = createSqliteLog({ path: file });
    await record(log, absurdSession("bad", tokens));
    await record(log, plainSession("good"));
    expect(await readAll(log)).toEqual({
      sessions: [
        ["ses_good", 100, 0.001],
        ["ses_bad", 0, 0],
      ],
      messages: 2,
      stats: [[2, 100, 0.001]],
      damage: [],
    });
    await log.close();
  });

  it.each([2 ** 53, 1e18])("of an older record are mended by opening it (%s)", async (tokens) => {
    const file = folder.file();
    const before = createSqliteLog({ path: file });
    await record(before, absurdSession("bad", tokens));
    await record(before, plainSession("good"));
    await before.close();
    makeOlder(file, tokens);
    const log = createSqliteLog({ path: file });
    expect(await readAll(log)).toEqual({
      sessions: [
        ["ses_good", 100, 0.001],
        ["ses_bad", 0, 0],
      ],
      messages: 2,
      stats: [[2, 100, 0.001]],
      damage: [],
    });
    expect(await log.readSide.deleteSession("ses_bad")).toBe(true);
    await log.close();
  });

  it("in a row that somebody changed are read, and `verify` names the session", async () => {
    const file = folder.file();
    const before = createSqliteLog({ path: file });
    await record(before, plainSession("bad"));
    await record(before, plainSession("good"));
    await before.close();
    const db = new DatabaseSync(file);
    db.exec(`UPDATE sessions SET prompt_tokens = 9007199254740993 WHERE session_id = 'ses_bad';
      UPDATE messages SET prompt_tokens = 9007199254740993 WHERE session_id = 'ses_bad' AND step = 1`);
    db.close();
    const log = createSqliteLog({ path: file });
    const { sessions, messages, damage } = await readAll(log);
    expect(sessions.map(([id]) => id)).toEqual(["ses_good", "ses_bad"]);
    expect(messages).toBe(2);
    expect(damage).toEqual([{ sessionId: "ses_bad", seq: null, what: "the session's promptTokens is not what its events say" }]);
    expect(await log.readSide.deleteSession("ses_bad")).toBe(true);
    expect((await log.readSide.verify()).damage).toEqual([]);
    await log.close();
  });
});
