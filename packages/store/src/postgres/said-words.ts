/**
 * What was said, as words for PostgreSQL's index. The words are made here and not by the server, so that every store finds the
 * same; the server's limits on the size of a word and of a row are kept by cutting.
 */
import type { RecordedEvent } from "@retinue/protocol";
import { toSaid } from "../said.ts";
import { toWords } from "../search-text.ts";

const MAX_WORD = 400;
const MAX_PART = 20_000;

export const toLexeme = (word: string): string => word.slice(0, MAX_WORD).toWellFormed();

/** The different words of an event, in parts small enough for a row each. */
export const toWordParts = (event: RecordedEvent): readonly (readonly string[])[] => {
  const words = [...new Set(toWords(toSaid(event)).map(toLexeme))].toSorted();
  const parts: (readonly string[])[] = [];
  let part: string[] = [];
  let size = 0;
  for (const word of words) {
    if (size + word.length > MAX_PART && part.length > 0) {
      parts.push(part);
      [part, size] = [[], 0];
    }
    part.push(word);
    size += word.length;
  }
  if (part.length > 0) parts.push(part);
  return parts;
};

const quote = (word: string): string => `'${toLexeme(word).replaceAll("'", "''").replaceAll("\\", "\\\\")}'`;

/** One condition a word: all of them must hold, in any of an event's parts. */
export const toWordQueries = (words: readonly string[], isLastOpen: boolean): readonly string[] =>
  words.map((word, at) => (isLastOpen && at === words.length - 1 ? `${quote(word)}:*` : quote(word)));
