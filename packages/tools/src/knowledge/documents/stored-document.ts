/** Documents in the tables of the index: each is written or removed with its pieces and their words, or not at all. */
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { DocumentKind } from "./document-kind.ts";
import { toIndexed } from "./fts-query.ts";
import type { DocumentText } from "./read-document.ts";

export type StoredDocument = {
  readonly file: string;
  readonly kind: DocumentKind;
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly hash: string;
  readonly text: DocumentText;
};

export const writeDocument = (database: DatabaseSync, { file, kind, bytes, mtimeMs, hash, text }: StoredDocument): void =>
  inTransaction(database, () => {
    const title = toStored(text.title);
    database.prepare("DELETE FROM documents WHERE path = ?").run(file);
    const { lastInsertRowid: documentId } = database
      .prepare("INSERT INTO documents (path, title, kind, bytes, mtimeMs, hash, chunks, addedAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      .run(file, title, kind, bytes, mtimeMs, hash, text.chunks.length, new Date().toISOString());
    const chunk = database.prepare(
      "INSERT INTO chunks (documentId, heading, firstLine, lastLine, page, text) VALUES (?, ?, ?, ?, ?, ?)",
    );
    const words = database.prepare("INSERT INTO words (rowid, title, heading, body) VALUES (?, ?, ?, ?)");
    for (const { heading, lines, page, text: body } of text.chunks) {
      const stored = toStored(body);
      const { lastInsertRowid } = chunk.run(
        documentId,
        toStored(heading),
        lines?.first ?? null,
        lines?.last ?? null,
        page ?? null,
        stored,
      );
      words.run(lastInsertRowid, toIndexed(title), toIndexed(toStored(heading)), toIndexed(stored));
    }
  });

/** Removes what lies at or below a path and is not to stay; compared as text, so that no character of a path is a wildcard. */
export const removeDocuments = (database: DatabaseSync, root: string, isGone: (file: string) => boolean): readonly string[] => {
  const below = root.endsWith(path.sep) ? root : root + path.sep;
  const gone = database
    .prepare("SELECT path FROM documents WHERE path = ? OR substr(path, 1, ?) = ? ORDER BY path")
    .all(root, below.length, below)
    .map((row) => String(row["path"]))
    .filter(isGone);
  inTransaction(database, () => {
    const remove = database.prepare("DELETE FROM documents WHERE path = ?");
    for (const file of gone) remove.run(file);
  });
  return gone;
};

const inTransaction = (database: DatabaseSync, work: () => void): void => {
  database.exec("BEGIN IMMEDIATE");
  try {
    work();
    database.exec("COMMIT");
  } catch (thrown) {
    database.exec("ROLLBACK");
    throw thrown;
  }
};

/** A NUL would end the text for the index, and half of a character is none. */
const toStored = (text: string): string => text.toWellFormed().replaceAll("\0", "\u2400");
