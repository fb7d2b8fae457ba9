/** Finds the pieces of documents that hold the words of a query, the best first. */
import path from "node:path";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { toExcerpt } from "./excerpt.ts";
import { toFtsQuery } from "./fts-query.ts";

export type DocumentHit = {
  readonly path: string;
  readonly title: string;
  readonly heading: string;
  /** Of the excerpt, where the document has lines. */
  readonly line?: number;
  readonly page?: number;
  readonly excerpt: string;
  /** From 1, the best. */
  readonly rank: number;
};

export type SearchOptions = {
  readonly query: string;
  readonly count: number;
  /** Only documents at or below this absolute path. */
  readonly under?: string;
};

/** Of one document, so that a long one does not take all the places. */
const MAX_HITS_PER_DOCUMENT = 3;

const SEARCH = `
  SELECT chunks.id, chunks.documentId, documents.path, documents.title, chunks.heading, chunks.firstLine, chunks.page, chunks.text
  FROM words JOIN chunks ON chunks.id = words.rowid JOIN documents ON documents.id = chunks.documentId
  WHERE words MATCH :match AND (:under = '' OR documents.path = :under OR substr(documents.path, 1, length(:below)) = :below)
  ORDER BY bm25(words, 4.0, 2.0, 1.0), chunks.id LIMIT :limit
`;

/** Pieces that hold all the words come first, then those that hold some. */
export const searchChunks = (
  database: DatabaseSync,
  { query, count, under = "" }: SearchOptions,
): readonly DocumentHit[] | undefined => {
  const fts = toFtsQuery(query);
  if (fts === undefined) return undefined;
  const statement = database.prepare(SEARCH);
  const seen = new Set<SQLOutputValue>();
  const perDocument = new Map<SQLOutputValue, number>();
  const hits: DocumentHit[] = [];
  for (const match of new Set([fts.all, fts.any])) {
    const below = under.endsWith(path.sep) ? under : under + path.sep;
    for (const row of statement.iterate({ match, under, below, limit: count * 20 })) {
      const ofDocument = perDocument.get(row["documentId"] ?? null) ?? 0;
      if (hits.length >= count) break;
      if (seen.has(row["id"] ?? null) || ofDocument >= MAX_HITS_PER_DOCUMENT) continue;
      seen.add(row["id"] ?? null);
      perDocument.set(row["documentId"] ?? null, ofDocument + 1);
      hits.push(toHit(row, fts.words, hits.length + 1));
    }
  }
  return hits;
};

const toHit = (row: Record<string, SQLOutputValue>, words: readonly string[], rank: number): DocumentHit => {
  const { text, offset } = toExcerpt(String(row["text"]), words);
  const { firstLine, page } = row;
  return {
    path: String(row["path"]),
    title: String(row["title"]),
    heading: String(row["heading"]),
    ...(typeof firstLine === "number" ? { line: firstLine + offset } : {}),
    ...(typeof page === "number" ? { page } : {}),
    excerpt: text,
    rank,
  };
};
