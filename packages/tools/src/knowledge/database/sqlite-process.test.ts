import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createTestWorkspace } from "@retinue/confine/testing";
import type { SqliteReply, SqliteRequest } from "./sqlite-request.ts";

/** Asks the process as the tool does, but with no judge before it. */
const ask = (request: SqliteRequest): { reply: SqliteReply | undefined; signal: NodeJS.Signals | null } => {
  const script = path.join(import.meta.dirname, "sqlite-process.ts");
  const { stdout, signal } = spawnSync(process.execPath, ["--no-warnings", script], {
    input: JSON.stringify(request),
    encoding: "utf8",
    env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
  });
  return { reply: stdout === "" ? undefined : (JSON.parse(stdout) as SqliteReply), signal };
};

const toRequest = (file: string, sql: string): SqliteRequest => ({
  file,
  sql,
  params: [],
  maxRows: 10,
  maxBytes: 10_000,
  timeLimitMs: 20_000,
  maxMemoryMb: 512,
});

describe("the process that reads SQLite files", () => {
  it("refuses by itself what the judge would have refused, and changes nothing", async () => {
    await using test = await createTestWorkspace();
    const file = test.at("a.sqlite");
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE items (id INTEGER); INSERT INTO items VALUES (1)");
    database.close();
    const before = readFileSync(file);
    for (const sql of [
      "INSERT INTO items VALUES (2)",
      "DELETE FROM items",
      "CREATE TEMP TABLE t (a)",
      "ATTACH ':memory:' AS x",
      "PRAGMA query_only = OFF",
      "PRAGMA user_version = 7",
      "SELECT * FROM pragma_user_version",
      "SELECT load_extension('x')",
      "SELECT fts3_tokenizer('simple')",
      "BEGIN",
      "EXPLAIN DELETE FROM items",
    ])
      expect(ask(toRequest(file, sql)).reply, sql).toMatchObject({ type: "failed", denied: true });
    expect(ask(toRequest(file, "VACUUM")).reply).toMatchObject({ type: "failed" });
    // Of several statements only the first is ever run.
    expect(ask(toRequest(file, "SELECT id FROM items; DELETE FROM items")).reply).toMatchObject({ type: "done" });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("ends itself when its time is up, whoever started it", async () => {
    await using test = await createTestWorkspace();
    const file = test.at("a.sqlite");
    new DatabaseSync(file).close();
    const sql = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
    expect(ask({ ...toRequest(file, sql), timeLimitMs: -1500 })).toEqual({ reply: undefined, signal: "SIGKILL" });
  });
});
