/** The words of a search: taken as they are, never as the syntax of a query language. */

/** What the full-text index takes for a word: letters, digits and private-use characters. */
const WORD = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;

/** As it goes into the index and into a query for it: without NUL and lone surrogates, which it cannot hold. */
export const toIndexable = (text: string): string => text.toWellFormed().replaceAll("\0", " ");

/** The parts of what was typed that hold at least one word; each is looked for as one phrase. */
export const toTerms = (text: string): readonly string[] =>
  toIndexable(text)
    .split(/\s+/u)
    .filter((term) => hasWord(term));

const hasWord = (term: string): boolean => term.search(WORD) !== -1;

const quote = (term: string): string => `"${term.replaceAll('"', '""')}"`;

/** For FTS5: every term quoted, all of them wanted. */
export const toMatchExpression = (terms: readonly string[]): string => terms.map(quote).join(" AND ");

/** The same with the last term open at its end. A single letter begins too many words to be looked for. */
export const toBeginningExpression = (terms: readonly string[]): string | undefined =>
  (terms.at(-1)?.match(WORD)?.at(-1)?.length ?? 0) < 2 ? undefined : `${toMatchExpression(terms)} *`;

/** The words of a text as the index compares them: small letters without marks. */
export const toWords = (text: string): readonly string[] =>
  (toIndexable(text).normalize("NFD").toLowerCase().match(WORD) ?? [])
    .map((word) => word.replace(/\p{M}/gu, ""))
    .filter((word) => word !== "");

const SNIPPET = 160;

/** The words around the first place where one of the terms stands. */
export const toSnippet = (said: string, terms: readonly string[]): string => {
  const lower = said.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term.toLowerCase())).filter((at) => at !== -1);
  const at = places.length === 0 ? 0 : Math.min(...places);
  const from = Math.max(0, at - SNIPPET / 2);
  const cut = said
    .slice(from, from + SNIPPET)
    .toWellFormed()
    .replace(/\s+/gu, " ")
    .trim();
  return `${from > 0 ? "…" : ""}${cut}${from + SNIPPET < said.length ? "…" : ""}`;
};
