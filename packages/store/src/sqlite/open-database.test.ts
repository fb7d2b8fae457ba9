import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { TO_SQLITE_5 } from "../testing/earlier-schema.ts";
import { recordQuestions } from "../testing/recorded-questions.ts";
import { recordSession } from "../testing/recorded-session.ts";
import { createRunDrafts } from "../testing/session-drafts.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { toNetworkFilesystem } from "./network-filesystem.ts";
import { openDatabase } from "./open-database.ts";
import type { Migration } from "./schema.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";
import type { SqliteLog } from "./sqlite-log.ts";
import { createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();
const newFolder = (): string => {
  const path = folder.file();
  mkdirSync(path);
  return path;
};

const codeOf = (act: () => unknown): string | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

/** Everything in a folder: names, bytes and times. */
const stateOf = (path: string): unknown =>
  readdirSync(path, { withFileTypes: true }).map((entry) => {
    const file = join(path, entry.name);
    const { mtimeMs, mode } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0, mode: 0 };
    return [entry.name, mtimeMs, mode, entry.isFile() ? readFileSync(file, "base64") : ""];
  });

const foreignDatabase = (path: string, ...sql: readonly string[]): void => {
  const db = new DatabaseSync(path);
  for (const statement of sql) db.exec(statement);
  db.close();
};

describe("a place that is refused and left as it is", () => {
  const places: readonly (readonly [what: string, code: string, make: (path: string) => string])[] = [
    [
      "a store of a newer schema",
      "store_newer",
      (path) => {
        foreignDatabase(
          join(path, "a.db"),
          `PRAGMA application_id = ${APPLICATION_ID}`,
          "PRAGMA user_version = 999",
          "CREATE TABLE t(a)",
        );
        return join(path, "a.db");
      },
    ],
    [
      "a database of another application",
      "store_foreign",
      (path) => {
        foreignDatabase(join(path, "a.db"), "PRAGMA application_id = 252006674", "CREATE TABLE t(a)", "INSERT INTO t VALUES (1)");
        return join(path, "a.db");
      },
    ],
    [
      "a database of nobody in particular",
      "store_foreign",
      (path) => {
        foreignDatabase(join(path, "a.db"), "CREATE TABLE messages(id)", "CREATE TABLE sessions(session_id)");
        return join(path, "a.db");
      },
    ],
    [
      "a database of another application in write-ahead mode",
      "store_foreign",
      (path) => {
        foreignDatabase(join(path, "a.db"), "PRAGMA journal_mode = WAL", "CREATE TABLE t(a)");
        return join(path, "a.db");
      },
    ],
    [
      "a text",
      "store_foreign",
      (path) => {
        writeFileSync(join(path, "a.db"), "This is not a database. ".repeat(100));
        return join(path, "a.db");
      },
    ],
    [
      "a short text",
      "store_foreign",
      (path) => {
        writeFileSync(join(path, "a.db"), "x");
        return join(path, "a.db");
      },
    ],
    [
      "the beginning of a database and no more",
      "store_foreign",
      (path) => {
        writeFileSync(join(path, "a.db"), "SQLite format 3\0");
        return join(path, "a.db");
      },
    ],
    ["a folder", "store_unreadable", (path) => path],
    [
      "a link to a folder",
      "store_unreadable",
      (path) => {
        symlinkSync(path, join(path, "a.db"));
        return join(path, "a.db");
      },
    ],
    ["a folder that is not there", "store_unreadable", (path) => join(path, "missing", "a.db")],
    [
      "a folder that is a file",
      "store_unreadable",
      (path) => {
        writeFileSync(join(path, "file"), "x");
        return join(path, "file", "a.db");
      },
    ],
    [
      "a pipe",
      "store_unreadable",
      (path) => {
        execFileSync("mkfifo", [join(path, "a.db")]);
        return join(path, "a.db");
      },
    ],
  ];

  it.each(places)("%s: %s", (_what, code, make) => {
    const path = newFolder();
    const place = make(path);
    const before = stateOf(path);
    expect(codeOf(() => createSqliteLog({ path: place }))).toBe(code);
    expect(stateOf(path)).toEqual(before);
  });

  it("a newer schema that stands in the write-ahead file alone", () => {
    const path = newFolder();
    const place = join(path, "a.db");
    openDatabase({ path: place, synchronous: "NORMAL" }).close();
    const newer = new DatabaseSync(place);
    newer.exec("PRAGMA user_version = 999");
    const copy = newFolder();
    cpSync(path, copy, { recursive: true });
    newer.close();
    const main = readFileSync(join(copy, "a.db"), "base64");
    const ahead = readFileSync(join(copy, "a.db-wal"), "base64");
    expect(codeOf(() => openDatabase({ path: join(copy, "a.db"), synchronous: "NORMAL" }))).toBe("store_newer");
    expect(readFileSync(join(copy, "a.db"), "base64")).toBe(main);
    expect(readFileSync(join(copy, "a.db-wal"), "base64")).toBe(ahead);
  });

  /** Root may write everywhere, so the test becomes somebody else for a moment. */
  const asNobody = <T>(act: () => T): T => {
    if (process.geteuid?.() !== 0) return act();
    process.seteuid?.(65_534);
    try {
      return act();
    } finally {
      process.seteuid?.(0);
    }
  };

  it.each([
    ["a file that may only be read", 0o755, 0o444],
    ["a file in a folder that may only be read", 0o555, 0o666],
    ["a file that may not be read", 0o755, 0o000],
    ["a folder that may not be entered", 0o000, 0o666],
  ])("%s", async (_what, folderMode, fileMode) => {
    chmodSync(folder.path, 0o755);
    const path = newFolder();
    const place = join(path, "a.db");
    const log = createSqliteLog({ path: place });
    await recordSession(log);
    await log.close();
    if (process.geteuid?.() === 0) {
      chownSync(path, 65_534, 65_534);
      chownSync(place, 65_534, 65_534);
    }
    const before = readFileSync(place, "base64");
    chmodSync(place, fileMode);
    chmodSync(path, folderMode);
    expect(asNobody(() => codeOf(() => createSqliteLog({ path: place })))).toBe("store_unreadable");
    chmodSync(path, 0o755);
    chmodSync(place, 0o644);
    expect(readdirSync(path)).toEqual(["a.db"]);
    expect(readFileSync(place, "base64")).toBe(before);
    const again = createSqliteLog({ path: place });
    expect((await again.readSide.verify()).damage).toEqual([]);
    await again.close();
  });

  it("says what is wrong and what to do", () => {
    const path = join(newFolder(), "missing", "a.db");
    expect(() => createSqliteLog({ path })).toThrow(/missing of the store does not exist/);
    try {
      createSqliteLog({ path });
    } catch (error) {
      expect(error).toMatchObject({ code: "store_unreadable", hint: expect.stringMatching(/local disk/) });
    }
  });

  it.each([
    [0x6969, "NFS"],
    [0xff534d42, "CIFS"],
    [-11_317_950, "CIFS"],
    [0x65735546, "FUSE or virtiofs"],
    [0x00c36400, "Ceph"],
    [0xef53, undefined],
    [0x01021994, undefined],
  ])("a drive of type %i is %s", (type, name) => {
    expect(toNetworkFilesystem(type)).toBe(name);
  });
});

describe("a store's file", () => {
  it("is made where nothing was, for its owner alone, with nothing left beside it", async () => {
    const path = newFolder();
    const log = createSqliteLog({ path: join(path, "a.db") });
    await recordSession(log);
    await log.close();
    expect(readdirSync(path)).toEqual(["a.db"]);
    expect(statSync(join(path, "a.db")).mode & 0o777).toBe(0o600);
  });

  it("is made of an empty file", async () => {
    const path = folder.file();
    writeFileSync(path, "");
    const log = createSqliteLog({ path });
    await recordSession(log);
    await log.close();
    const again = createSqliteLog({ path });
    expect((await again.readSide.verify()).damage).toEqual([]);
    await again.close();
  });

  it("has a name that is a name, whatever it looks like", async () => {
    const path = newFolder();
    const names = ["file:a.db?mode=memory", ":memory:", "a b'c\"d;--.db", "ü😀.db"];
    for (const name of names) {
      const log = createSqliteLog({ path: join(path, name) });
      await recordSession(log);
      await log.close();
    }
    expect(readdirSync(path).toSorted()).toEqual(names.toSorted());
  });

  it("writes ahead, and waits for the disk as it was told", () => {
    const ask = (db: DatabaseSync, name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    for (const [synchronous, level] of [
      ["NORMAL", 1],
      ["FULL", 2],
    ] as const) {
      const db = openDatabase({ path: folder.file(), synchronous });
      expect([ask(db, "journal_mode"), ask(db, "synchronous"), ask(db, "foreign_keys")]).toEqual(["wal", level, 1]);
      db.close();
    }
  });
});

describe("migrations", () => {
  const next: Migration = {
    version: MIGRATIONS.length + 1,
    sql: "ALTER TABLE sessions ADD COLUMN mood TEXT; CREATE TABLE more(a);",
  };
  const version = (db: DatabaseSync) => Object.values(db.prepare("PRAGMA user_version").get() ?? {})[0];

  it("are numbered from 1 without gaps", () => {
    expect(MIGRATIONS.map((migration) => migration.version)).toEqual(MIGRATIONS.map((_, at) => at + 1));
  });

  it.each(MIGRATIONS.map((migration) => migration.version))("take a store of schema %i to the latest", async (from) => {
    const path = folder.file();
    openDatabase({ path, synchronous: "NORMAL", migrations: MIGRATIONS.slice(0, from) }).close();
    const log = createSqliteLog({ path });
    await recordSession(log);
    expect((await log.readSide.verify()).damage).toEqual([]);
    await log.close();
  });

  it("from schema 4 take away the rows of model calls that were under way, as if they had never been opened", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    const run = createRunDrafts();
    await log.append([run.requested()]);
    const lease = await log.lease("run_a");
    await log.append([run.started(lease.epoch), run.asked(1)], lease);
    await log.close();
    // As schema 4 had it.
    const db = new DatabaseSync(path);
    db.exec(`${TO_SQLITE_5}
      INSERT INTO messages (id, session_id, parent_message_id, started_at, request_type, status, run_id, seq)
        SELECT id + 2, session_id, id, started_at, 'continuation', 'running', run_id, seq + 2 FROM messages;
      UPDATE sessions SET message_count = message_count + 1;
      PRAGMA user_version = 4`);
    db.close();
    const again = createSqliteLog({ path });
    expect((await again.readSide.verify()).damage).toEqual([]);
    expect((await again.readSide.messages("ses_a")).items.map((row) => row.request_type)).toEqual(["prompt"]);
    await again.close();
  });

  it("from schema 5 find the questions, the main runs and the inputs of sessions that are there", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    await recordSession(log);
    await recordQuestions(log);
    const told = async (of: SqliteLog) => [
      await of.approvals(),
      await of.latestRoot("ses_q"),
      await of.latestRoot("ses_a"),
      await of.inputs("run_q"),
      await of.readRuns("ses_q", ["run_child"]),
    ];
    const before = await told(log);
    expect(await log.approvals()).toHaveLength(1);
    await log.close();
    const db = new DatabaseSync(path);
    db.exec(TO_SQLITE_5);
    db.close();
    const again = createSqliteLog({ path });
    expect(await told(again)).toEqual(before);
    expect((await again.readSide.verify()).damage).toEqual([]);
    await again.close();
  });

  it("keep what was recorded", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    await recordSession(log);
    const before = await log.read("ses_a");
    await log.close();
    const db = openDatabase({ path, synchronous: "NORMAL", migrations: [...MIGRATIONS, next] });
    expect(version(db)).toBe(next.version);
    expect(db.prepare("SELECT count(*) AS n FROM events").get()?.["n"]).toBe(before.length);
    expect(db.prepare("SELECT mood FROM sessions").get()?.["mood"]).toBeNull();
    db.close();
    expect(codeOf(() => createSqliteLog({ path }))).toBe("store_newer");
  });

  it("leave the store as it was when one of them fails", async () => {
    const path = folder.file();
    const log = createSqliteLog({ path });
    await recordSession(log);
    await log.close();
    const broken: Migration = { version: next.version + 1, sql: "CREATE TABLE half(a); INSERT INTO nowhere VALUES (1)" };
    expect(() => openDatabase({ path, synchronous: "NORMAL", migrations: [...MIGRATIONS, next, broken] })).toThrow(/nowhere/);
    const again = createSqliteLog({ path });
    expect((await again.readSide.verify()).damage).toEqual([]);
    await again.close();
  });
});
