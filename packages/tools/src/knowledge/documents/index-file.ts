/** The file in which the index lives. A file of something else, or of a newer Retinue, is left as it is. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { RetinueError } from "@retinue/protocol";

/** "RtDx", so that the file is known for what it is. */
const APPLICATION_ID = 0x52744478;
const VERSION = 1;

const SCHEMA = `
  CREATE TABLE documents (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, title TEXT NOT NULL, kind TEXT NOT NULL, bytes INTEGER NOT NULL,
    mtimeMs REAL NOT NULL, hash TEXT NOT NULL, chunks INTEGER NOT NULL, addedAt TEXT NOT NULL
  ) STRICT;
  CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, documentId INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE, heading TEXT NOT NULL,
    firstLine INTEGER, lastLine INTEGER, page INTEGER, text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX chunksOfDocument ON chunks (documentId);
  CREATE VIRTUAL TABLE words USING fts5 (
    title, heading, body, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
  CREATE TRIGGER chunkRemoved AFTER DELETE ON chunks BEGIN DELETE FROM words WHERE rowid = old.id; END;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${VERSION};
`;

export const openIndexFile = (file: string, { readOnly }: { readonly readOnly: boolean }): DatabaseSync => {
  if (!readOnly) mkdirSync(path.dirname(file), { recursive: true });
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(file, { readOnly, timeout: 5000, enableForeignKeyConstraints: true });
  } catch (thrown) {
    throw new RetinueError("tool_failed", `The index of documents ${file} cannot be opened.`, { cause: thrown });
  }
  try {
    // Lost power may cost the index, which can be made anew from the documents; waiting for the disk would cost every file ten times as much.
    if (!readOnly) database.exec("PRAGMA synchronous = OFF");
    prepare(database, file, readOnly);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown instanceof RetinueError ? thrown : notAnIndex(file, thrown);
  }
};

const prepare = (database: DatabaseSync, file: string, readOnly: boolean): void => {
  if (!readOnly) database.exec("BEGIN IMMEDIATE");
  const application = pragma(database, "application_id");
  const isEmpty = application === 0 && database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get()?.["tables"] === 0;
  if (isEmpty && !readOnly) database.exec(SCHEMA);
  else if (application !== APPLICATION_ID) throw notAnIndex(file);
  else if (pragma(database, "user_version") !== VERSION)
    throw new RetinueError("tool_failed", `The index of documents ${file} was made by another version of Retinue.`, {
      hint: "Remove it and add the documents again.",
    });
  if (!readOnly) database.exec("COMMIT");
};

const pragma = (database: DatabaseSync, name: string): unknown => database.prepare(`PRAGMA ${name}`).get()?.[name];

const notAnIndex = (file: string, cause?: unknown): RetinueError =>
  new RetinueError("tool_failed", `${file} is no index of documents.`, {
    hint: "It was left as it is; name another file.",
    cause,
  });
