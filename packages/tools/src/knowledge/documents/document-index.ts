/** The index of documents: which files were added, and a full-text search over their pieces. */
import { realpathSync } from "node:fs";
import path from "node:path";
import type { AddOptions, AddReport } from "./add-documents.ts";
import { addDocuments } from "./add-documents.ts";
import type { DocumentKind } from "./document-kind.ts";
import { openIndexFile } from "./index-file.ts";
import type { DocumentHit, SearchOptions } from "./search-chunks.ts";
import { searchChunks } from "./search-chunks.ts";
import { removeDocuments } from "./stored-document.ts";

export type DocumentEntry = {
  /** Absolute, links followed. */
  readonly path: string;
  readonly title: string;
  readonly kind: DocumentKind;
  readonly bytes: number;
  readonly chunks: number;
  readonly addedAt: string;
};

export type DocumentIndex = {
  /** Files, and folders with what is below them. */
  readonly add: (paths: readonly string[], options?: AddOptions) => Promise<AddReport>;
  readonly list: () => readonly DocumentEntry[];
  /** Files, and folders with what is below them; gives the paths that were removed. */
  readonly remove: (paths: readonly string[]) => readonly string[];
  /** Undefined where the query holds no word. */
  readonly search: (options: SearchOptions) => readonly DocumentHit[] | undefined;
  readonly close: () => void;
  readonly [Symbol.dispose]: () => void;
};

export const openDocumentIndex = (file: string, { readOnly = false } = {}): DocumentIndex => {
  const database = openIndexFile(file, { readOnly });
  const close = (): void => {
    if (database.isOpen) database.close();
  };
  return {
    add: (paths, options) => addDocuments(database, paths, options),
    list: () =>
      database
        .prepare("SELECT path, title, kind, bytes, chunks, addedAt FROM documents ORDER BY path")
        .all()
        .map((row) => ({ ...row }) as unknown as DocumentEntry),
    remove: (paths) =>
      [...new Set(paths.flatMap(toStoredPaths))].flatMap((stored) => removeDocuments(database, stored, () => true)),
    search: (options) => searchChunks(database, options),
    close,
    [Symbol.dispose]: close,
  };
};

/** A path as it is stored, links followed; what is gone from the disk can no longer be followed. */
const toStoredPaths = (named: string): readonly string[] => {
  const absolute = path.resolve(named);
  try {
    return [absolute, realpathSync(absolute)];
  } catch {
    return [absolute];
  }
};
