import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { MESSAGE_COLUMNS } from "../message-row.ts";
import { openMemoryDatabase } from "./open-database.ts";

/** The statements of the design document, word for word, and the tables that came of them and of ours. */
const ddl = readFileSync(new URL("fixtures/s2-messages.sql", import.meta.url), "utf8");
const designed = new DatabaseSync(":memory:");
designed.exec(ddl);
const ours = openMemoryDatabase();
afterAll(() => {
  designed.close();
  ours.close();
});

const ask = (db: DatabaseSync, sql: string) =>
  db
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }));

const COLUMNS = "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('messages') ORDER BY cid";
const INDEXES = `SELECT l.name, l."unique", l.origin, l.partial, i.seqno, i.name AS column
  FROM pragma_index_list('messages') l, pragma_index_info(l.name) i ORDER BY l.name, i.seqno`;
const KEYS = `SELECT "table", "from", "to", on_update, on_delete, match FROM pragma_foreign_key_list('messages') ORDER BY "from"`;

describe("the messages table", () => {
  it("is designed with 28 columns, six indexes and two foreign keys", () => {
    expect(ask(designed, COLUMNS)).toHaveLength(28);
    expect(ask(designed, INDEXES)).toHaveLength(6);
    expect(ask(designed, KEYS)).toHaveLength(2);
  });

  it("begins with the designed columns: names, order, types, defaults, nullability and key", () => {
    const columns = ask(designed, COLUMNS);
    expect(ask(ours, COLUMNS).slice(0, columns.length)).toEqual(columns);
  });

  it("has the designed indexes and no other", () => {
    expect(ask(ours, INDEXES)).toEqual(ask(designed, INDEXES));
  });

  it("has the designed foreign keys and no other", () => {
    expect(ask(ours, KEYS)).toEqual(ask(designed, KEYS));
  });

  it("never gives an id twice, as designed", () => {
    const isCounted = (db: DatabaseSync) =>
      /id INTEGER PRIMARY KEY AUTOINCREMENT/.test(
        String(ask(db, "SELECT sql FROM sqlite_schema WHERE name = 'messages'")[0]?.["sql"]),
      );
    expect(isCounted(designed)).toBe(true);
    expect(isCounted(ours)).toBe(true);
  });

  it("refers to sessions by a key that is unique", () => {
    const unique = `SELECT i.name FROM pragma_index_list('sessions') l, pragma_index_info(l.name) i WHERE l."unique" = 1`;
    expect(ask(ours, unique)).toEqual([{ name: "session_id" }]);
    expect(ask(ours, "PRAGMA foreign_key_check")).toEqual([]);
  });

  it("adds run, sequence, tool, call, tokens, cost, approval and artifact, and is read whole", () => {
    const names = ask(ours, COLUMNS).map((column) => column["name"]);
    expect(names).toEqual([...MESSAGE_COLUMNS]);
    expect(names).toEqual(
      expect.arrayContaining([
        "run_id",
        "seq",
        "tool_name",
        "call_id",
        "cached_tokens",
        "reasoning_tokens",
        "cost_usd",
        "approval",
        "artifact_id",
      ]),
    );
  });

  it("adds columns that need no value, so that rows written by the design's own statements fit", () => {
    const added = ask(ours, COLUMNS).slice(28);
    expect(added.filter((column) => column["notnull"] !== 0)).toEqual([]);
  });
});
