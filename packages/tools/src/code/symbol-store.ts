/**
 * The symbols of a workspace in a database file. It is a cache: whatever is wrong with it, it is thrown away and made anew. Other processes
 * may use the same file at the same time.
 */
import { createHash } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CODE_LANGUAGES } from "./code-languages.ts";
import type { Definition } from "./code-symbol.ts";
import type { SourceFile } from "./source-answer.ts";

/** Goes up when symbols are read in another way by the same queries. */
const READER = 1;
const BUSY_MS = 5000;

const SCHEMA = `
create table files (
  id integer primary key, path text not null unique, size integer not null, mtime_ms real not null, hash text not null,
  language text not null, lines integer not null, left_out text
);
create table uses (file_id integer primary key references files(id) on delete cascade, text text not null);
create table definitions (
  id integer primary key, file_id integer not null references files(id) on delete cascade, name text not null, lower text not null,
  kind text not null, line integer not null, end_line integer not null, container text not null, signature text not null,
  exported integer not null, documented integer not null
);
create index definitions_name on definitions(lower, name);
create index definitions_file on definitions(file_id);
create virtual table used_names using fts5(
  names, content='', contentless_delete=1, detail=none, tokenize="unicode61 remove_diacritics 0 tokenchars '_'"
);
`;

/** Another one with every change of what is stored and of what the languages are asked for. */
const VERSION = Number.parseInt(
  createHash("sha256")
    .update(JSON.stringify([READER, SCHEMA, CODE_LANGUAGES]))
    .digest("hex")
    .slice(0, 7),
  16,
);

export type KnownFile = { readonly size: number; readonly mtimeMs: number; readonly hash: string };

export type StoredDefinition = Definition & { readonly file: string; readonly language: string };

export class SymbolStore {
  readonly #database: DatabaseSync;
  #known: Map<string, KnownFile> | undefined;
  #dataVersion = -1;

  constructor(file: string) {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    this.#database = openDatabase(file);
  }

  close(): void {
    this.#database.close();
  }

  /** What is stored, by path. */
  files(): ReadonlyMap<string, KnownFile> {
    const version = Number(this.#one("pragma data_version")["data_version"]);
    if (this.#known && version === this.#dataVersion) return this.#known;
    this.#dataVersion = version;
    this.#known = new Map();
    for (const row of this.all("select path, size, mtime_ms, hash from files"))
      this.#known.set(String(row["path"]), {
        size: Number(row["size"]),
        mtimeMs: Number(row["mtime_ms"]),
        hash: String(row["hash"]),
      });
    return this.#known;
  }

  change(changes: StoreChanges): void {
    this.#database.exec("begin immediate");
    try {
      for (const file of changes.read) this.#put(file);
      const touch = this.#statement("update files set size = ?, mtime_ms = ? where path = ?");
      for (const { path: named, size, mtimeMs } of changes.same) touch.run(size, mtimeMs, named);
      for (const named of changes.gone) this.#remove(named);
      this.#database.exec("commit");
    } catch (thrown) {
      this.#database.exec("rollback");
      throw thrown;
    }
    // What others change is told by the version of the data, our own changes are not.
    for (const { path: named, size, mtimeMs, hash } of changes.read) this.#known?.set(named, { size, mtimeMs, hash });
    for (const { path: named, size, mtimeMs } of changes.same) {
      const before = this.#known?.get(named);
      if (before) this.#known?.set(named, { ...before, size, mtimeMs });
    }
    for (const named of changes.gone) this.#known?.delete(named);
  }

  all(sql: string, ...values: (string | number)[]): Record<string, unknown>[] {
    return this.#database.prepare(sql).all(...values);
  }

  #one(sql: string): Record<string, unknown> {
    return this.#database.prepare(sql).get() ?? {};
  }

  #put(file: SourceFile): void {
    this.#remove(file.path);
    const { lastInsertRowid } = this.#statement(
      "insert into files (path, size, mtime_ms, hash, language, lines, left_out) values (?, ?, ?, ?, ?, ?, ?)",
    ).run(file.path, file.size, file.mtimeMs, file.hash, file.language, file.lines, file.left ?? null);
    const insert = this.#statement(
      "insert into definitions (file_id, name, lower, kind, line, end_line, container, signature, exported, documented) " +
        "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    for (const definition of file.definitions) {
      const { name, kind, line, endLine, container, signature, exported, documented } = definition;
      insert.run(lastInsertRowid, name, name.toLowerCase(), kind, line, endLine, container, signature, +exported, +documented);
    }
    if (file.uses === "") return;
    this.#statement("insert into uses (file_id, text) values (?, ?)").run(lastInsertRowid, file.uses);
    this.#statement("insert into used_names (rowid, names) values (?, ?)").run(lastInsertRowid, toTokens(file.uses));
  }

  #remove(named: string): void {
    this.#statement("delete from used_names where rowid = (select id from files where path = ?)").run(named);
    this.#statement("delete from files where path = ?").run(named);
  }

  readonly #statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();

  #statement(sql: string): ReturnType<DatabaseSync["prepare"]> {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

export type StoreChanges = {
  readonly read: readonly SourceFile[];
  readonly same: readonly { readonly path: string; readonly size: number; readonly mtimeMs: number }[];
  readonly gone: readonly string[];
};

const toTokens = (uses: string): string =>
  uses
    .split("\n")
    .map((entry) => toToken(entry.slice(0, entry.indexOf("\t"))))
    .join(" ");

/** One token, whatever characters a name has; the text of the uses then tells names apart that have the same. */
export const toToken = (name: string): string => name.replaceAll(/[^\p{L}\p{N}_]/gu, "_");

const openDatabase = (file: string): DatabaseSync => {
  try {
    return prepare(new DatabaseSync(file, { timeout: BUSY_MS }));
  } catch (thrown) {
    // Somebody else is writing it, which is no reason to throw it away.
    if (thrown instanceof Error && /locked|busy/.test(thrown.message)) throw thrown;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    return prepare(new DatabaseSync(file, { timeout: BUSY_MS }));
  }
};

const prepare = (database: DatabaseSync): DatabaseSync => {
  try {
    database.exec("pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; pragma cache_size = -32000");
    if (versionOf(database) === 0) create(database);
    if (versionOf(database) !== VERSION) throw new Error("It was made by another version.");
    // Fails where the file is damaged.
    database.prepare("select count(*) from files").get();
    database.prepare("select count(*) from definitions").get();
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
};

const versionOf = (database: DatabaseSync): unknown => database.prepare("pragma user_version").get()?.["user_version"];

const create = (database: DatabaseSync): void => {
  database.exec("begin immediate");
  // Another process may have been first.
  if (versionOf(database) === 0) database.exec(`${SCHEMA} pragma user_version = ${VERSION};`);
  database.exec("commit");
};
