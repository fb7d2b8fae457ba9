import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toPostgres4 } from "../testing/earlier-schema.ts";
import { describeHolding } from "../testing/holding-contract.ts";
import { describeEventLog } from "../testing/log-contract.ts";
import { describeReadSide } from "../testing/read-side-contract.ts";
import { recordQuestions } from "../testing/recorded-questions.ts";
import { recordSession } from "../testing/recorded-session.ts";
import { createRunDrafts } from "../testing/session-drafts.ts";
import { describeSpeaking } from "../testing/speaking-contract.ts";
import type { TestPostgres } from "../testing/start-postgres.ts";
import { startPostgres } from "../testing/start-postgres.ts";
import type { PostgresLog } from "./postgres-log.ts";
import { createPostgresLog } from "./postgres-log.ts";
import { POSTGRES_MIGRATIONS } from "./schema.ts";

let postgres: TestPostgres;
let admin: Client;
beforeAll(async () => {
  postgres = await startPostgres();
  admin = new Client({ connectionString: postgres.url });
  admin.on("error", () => {});
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await postgres.stop();
});

let count = 0;
const newSchema = (): string => `test_${(count += 1)}`;

/** A log on tables that are made once and emptied each time. */
const createEmptyLog = async () => {
  const log = await createPostgresLog({ url: postgres.url, schema: "emptied", maxConnections: 2 });
  for (const table of ["said", "names", "artifacts", "approvals", "snapshots", "runs", "events", "messages", "sessions"])
    await admin.query(`DELETE FROM emptied.${table}`);
  return log;
};

describe("as the other stores", { tags: ["long"] }, () => {
  describeEventLog("PostgreSQL", createEmptyLog);
  describeReadSide("PostgreSQL", createEmptyLog);
});
describeHolding("PostgreSQL", () => {
  const schema = newSchema();
  return (options) => createPostgresLog({ ...options, url: postgres.url, schema, maxConnections: 2 });
});
describeSpeaking("PostgreSQL", async () => {
  const schema = newSchema();
  return { log: await createPostgresLog({ url: postgres.url, schema, maxConnections: 2 }), where: [postgres.url, schema] };
});

const codeOf = async (act: () => unknown): Promise<string | undefined> => {
  try {
    await act();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe("a PostgreSQL store", () => {
  it("is refused when it is newer, not ours, not there or not allowed", async () => {
    const schema = newSchema();
    const log = await createPostgresLog({ url: postgres.url, schema });
    await log.close();
    await admin.query(`UPDATE ${schema}.retinue_store SET version = 999`);
    expect(await codeOf(() => createPostgresLog({ url: postgres.url, schema }))).toBe("store_newer");
    const foreign = newSchema();
    await admin.query(`CREATE SCHEMA ${foreign}; CREATE TABLE ${foreign}.messages (id int)`);
    expect(await codeOf(() => createPostgresLog({ url: postgres.url, schema: foreign }))).toBe("store_foreign");
    expect((await admin.query(`SELECT * FROM information_schema.tables WHERE table_schema = '${foreign}'`)).rowCount).toBe(1);
    const wrong = postgres.url.replace(":test@", ":wrong@");
    expect(await codeOf(() => createPostgresLog({ url: wrong, patienceMs: 0 }))).toBe("store_unreadable");
    const nowhere = postgres.url.replace(/\/postgres$/, "/nowhere");
    expect(await codeOf(() => createPostgresLog({ url: nowhere, patienceMs: 0 }))).toBe("store_unreadable");
    expect(await codeOf(() => createPostgresLog({ url: "postgres://127.0.0.1:1/x", patienceMs: 0 }))).toBe("store_failed");
    expect(await codeOf(() => createPostgresLog({ url: postgres.url, schema: "a; DROP SCHEMA public" }))).toBe(
      "store_unreadable",
    );
  });

  it("says no password when it fails", async () => {
    const error: unknown = await createPostgresLog({ url: "postgres://me:canary@127.0.0.1:1/x", patienceMs: 0 }).catch(
      (reason: unknown) => reason,
    );
    expect(JSON.stringify([String(error), error])).not.toContain("canary");
  });

  it("migrates all of the way or not at all", async () => {
    const schema = newSchema();
    const log = await createPostgresLog({ url: postgres.url, schema });
    await recordSession(log);
    await log.close();
    const next = { version: POSTGRES_MIGRATIONS.length + 1, sql: "ALTER TABLE ~sessions ADD COLUMN mood TEXT" };
    const broken = { version: next.version + 1, sql: "CREATE TABLE ~half (a INT);\nINSERT INTO nowhere VALUES (1)" };
    const migrations = [...POSTGRES_MIGRATIONS, next, broken];
    await expect(createPostgresLog({ url: postgres.url, schema, migrations })).rejects.toThrow(/nowhere|missing/);
    const again = await createPostgresLog({ url: postgres.url, schema });
    expect((await again.readSide.verify()).damage).toEqual([]);
    await again.close();
    const upgraded = await createPostgresLog({ url: postgres.url, schema, migrations: [...POSTGRES_MIGRATIONS, next] });
    expect(await upgraded.read("ses_a")).not.toEqual([]);
    await upgraded.close();
  });

  it("is brought up to date: a call's duration is its own, and nothing is damaged", async () => {
    const schema = newSchema();
    const log = await createPostgresLog({ url: postgres.url, schema });
    await recordSession(log);
    const messages = (await log.readSide.messages("ses_a")).items;
    await log.close();
    await admin.query(
      `UPDATE ${schema}.messages SET duration_ms = 77 WHERE request_type IN ('continuation', 'tool_call') AND duration_ms IS NOT NULL`,
    );
    await admin.query(`${toPostgres4(schema)} UPDATE ${schema}.retinue_store SET version = 2`);
    const again = await createPostgresLog({ url: postgres.url, schema });
    expect((await again.readSide.messages("ses_a")).items).toEqual(messages);
    expect((await again.readSide.verify()).damage).toEqual([]);
    await again.close();
  });

  it("of an earlier version finds the questions, the main runs and the inputs of sessions that are there", async () => {
    const schema = newSchema();
    const log = await createPostgresLog({ url: postgres.url, schema });
    await recordSession(log);
    await recordQuestions(log);
    const told = async (of: PostgresLog) => [
      await of.approvals(),
      await of.latestRoot("ses_q"),
      await of.latestRoot("ses_a"),
      await of.inputs("run_q"),
      await of.readRuns("ses_q", ["run_child"]),
    ];
    const before = await told(log);
    expect(await log.approvals()).toHaveLength(1);
    await log.close();
    await admin.query(toPostgres4(schema));
    const again = await createPostgresLog({ url: postgres.url, schema });
    expect(await told(again)).toEqual(before);
    expect((await again.readSide.verify()).damage).toEqual([]);
    await again.close();
  });

  it("of an earlier version with impossible numbers of tokens is mended by opening it", async () => {
    const schema = newSchema();
    const log = await createPostgresLog({ url: postgres.url, schema });
    await recordSession(log);
    const told = async (of: PostgresLog) => [await of.readSide.session("ses_a"), (await of.readSide.messages("ses_a")).items];
    const before = await told(log);
    await log.close();
    await admin.query(`UPDATE ${schema}.messages SET prompt_tokens = 9007199254740993, cost_usd = 1e300 WHERE step = 1;
      UPDATE ${schema}.sessions SET prompt_tokens = 9223372036854775807, cached_tokens = -1;
      UPDATE ${schema}.retinue_store SET version = 10`);
    const again = await createPostgresLog({ url: postgres.url, schema });
    expect(await told(again)).toEqual(before);
    expect((await again.readSide.verify()).damage).toEqual([]);
    await again.close();
  });

  it("has the columns, the indexes and the keys that were designed", async () => {
    const schema = newSchema();
    const log = await createPostgresLog({ url: postgres.url, schema });
    await log.close();
    const indexes = await admin.query<{ indexname: string }>(
      `SELECT indexname FROM pg_indexes WHERE schemaname = '${schema}' AND tablename = 'messages' ORDER BY 1`,
    );
    expect(indexes.rows.map((row) => row.indexname)).toEqual([
      "idx_messages_depth",
      "idx_messages_parent",
      "idx_messages_role",
      "idx_messages_session",
      "idx_messages_started",
      "idx_messages_status",
      "messages_pkey",
    ]);
    const keys = await admin.query(
      `SELECT 1 FROM pg_constraint WHERE conrelid = '${schema}.messages'::regclass AND contype = 'f'`,
    );
    expect(keys.rowCount).toBe(2);
  });

  it("tells of a record edited by hand", async () => {
    const schema = newSchema();
    const log = await createPostgresLog({ url: postgres.url, schema });
    await recordSession(log, { sessionId: "ses_1" });
    await recordSession(log, { sessionId: "ses_2" });
    await admin.query(`UPDATE ${schema}.events SET body = replace(body, 'reviewer', 'approver') WHERE id = 100000004`);
    expect(await codeOf(() => log.read("ses_1"))).toBe("store_corrupt");
    expect((await log.readSide.verify()).damage).toMatchObject([{ sessionId: "ses_1", seq: 4 }]);
    expect((await log.readSide.exportSession("ses_1")).events).toHaveLength(3);
    await admin.query(`UPDATE ${schema}.messages SET status = 'failed' WHERE id = 200000001`);
    expect((await log.readSide.verify("ses_2")).damage).toMatchObject([{ sessionId: "ses_2", seq: 1 }]);
    await log.close();
  });

  it("is shared by two logs: one sequence, one lease, and each wakes the other's watchers", async () => {
    const schema = newSchema();
    const a = await createPostgresLog({ url: postgres.url, schema });
    const b = await createPostgresLog({ url: postgres.url, schema });
    const run = createRunDrafts();
    await a.append([run.requested()]);
    const first = await a.lease("run_a");
    const woken = new Promise<void>((resolve) => b.watch("ses_a", resolve));
    await a.append([run.started(first.epoch)], first);
    await woken;
    const second = await b.lease("run_a");
    expect(await codeOf(() => a.append([run.asked(1)], first))).toBe("lease_lost");
    await b.append([run.asked(1)], second);
    const leases = await Promise.all(Array.from({ length: 20 }, async (_, at) => (at % 2 === 0 ? a : b).lease("run_a")));
    const outcomes = await Promise.all(
      leases.map(async (lease, at) => codeOf(() => (at % 2 === 0 ? a : b).append([run.answered(1, "x")], lease))),
    );
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(1);
    const others = Array.from({ length: 8 }, (_, at) => createRunDrafts({ runId: `run_${at}` }));
    await Promise.all(others.map(async (other, at) => (at % 2 === 0 ? a : b).append([other.requested()])));
    expect((await a.read("ses_a")).map((event) => event.seq)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
    expect((await b.readSide.verify()).damage).toEqual([]);
    await a.close();
    await b.close();
  });

  it("begins one session when two logs begin it at once", async () => {
    const schema = newSchema();
    const logs = await Promise.all([1, 2, 3].map(async () => createPostgresLog({ url: postgres.url, schema })));
    await Promise.all(logs.map(async (log, at) => log.append([createRunDrafts({ runId: `run_${at}` }).requested()])));
    expect(await logs[0]?.readSide.verify()).toEqual({ sessions: 1, events: 3, damage: [] });
    for (const log of logs) await log.close();
  });

  it("does not record what was asked for after an append that fails", async () => {
    const schema = newSchema();
    const log = await createPostgresLog({ url: postgres.url, schema });
    const run = createRunDrafts();
    await log.append([run.requested()]);
    const lease = await log.lease("run_a");
    await admin.query(`ALTER TABLE ${schema}.events ADD CONSTRAINT full_disk CHECK (body NOT LIKE '%too much%')`);
    const asked = [[run.started(1)], [run.asked(1), run.answered(1, "too much")], [run.asked(2)], [run.asked(3)]];
    const outcomes = await Promise.allSettled(asked.map(async (drafts) => log.append(drafts, lease)));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    expect((await log.read("ses_a")).map(({ type }) => type)).toEqual(["run.requested", "run.started"]);
    await log.append([run.asked(1)], lease);
    expect((await log.readSide.verify()).damage).toEqual([]);
    await log.close();
  });

  it("loses and repeats nothing when its connections are cut all the time", { tags: ["long"] }, async () => {
    const schema = newSchema();
    const log = await createPostgresLog({ url: postgres.url, schema, maxConnections: 3 });
    const run = createRunDrafts();
    await log.append([run.requested()]);
    const lease = await log.lease("run_a");
    let cut = 0;
    for (let step = 1; step <= 60; step += 1) {
      const appended = log.append([run.asked(step), run.answered(step, `answer ${step}`)], lease);
      // Each time a little later in the transaction.
      for (let turn = 0; turn < step % 30; turn += 1) await new Promise(setImmediate);
      const result = await admin.query<{ cut: number }>(
        "SELECT count(pg_terminate_backend(pid))::int AS cut FROM pg_stat_activity WHERE application_name = 'retinue' AND query <> 'LISTEN'",
      );
      cut += result.rows[0]?.cut ?? 0;
      await appended;
    }
    expect(cut).toBeGreaterThan(0);
    const events = await log.read("ses_a");
    expect(events.map((event) => event.seq)).toEqual(Array.from({ length: 121 }, (_, at) => at + 1));
    expect(events.flatMap((event) => (event.type === "model.answered" ? [event.step] : []))).toEqual(
      Array.from({ length: 60 }, (_, at) => at + 1),
    );
    expect((await log.readSide.verify()).damage).toEqual([]);
    await log.close();
  });

  it("goes on after the server was restarted, and who watches is woken", { tags: ["long"] }, async () => {
    const schema = newSchema();
    const log = await createPostgresLog({ url: postgres.url, schema });
    const run = createRunDrafts();
    await log.append([run.requested()]);
    const lease = await log.lease("run_a");
    const woken = new Promise<void>((resolve) => log.watch("ses_a", resolve));
    await admin.end();
    await postgres.restart();
    admin = new Client({ connectionString: postgres.url });
    admin.on("error", () => {});
    await admin.connect();
    await woken;
    await log.append([run.started(lease.epoch)], lease);
    expect(await log.read("ses_a")).toHaveLength(2);
    await log.close();
  });
});
