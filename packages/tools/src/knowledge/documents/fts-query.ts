/** From the words of a user to a query of FTS5: every word stands in quotes, so that nothing of it is syntax. */

export type FtsQuery = {
  /** Lower case, as they are looked for in a text. */
  readonly words: readonly string[];
  /** Each word as it stands: `foo-bar` is found where bar follows foo. */
  readonly all: string;
  /** Any part of any word. */
  readonly any: string;
};

const MAX_WORDS = 32;
const MAX_PARTS = 64;
const MAX_WORD_CHARS = 100;

/** Undefined where the text holds no word. Text between quotes stays together. */
export const toFtsQuery = (text: string): FtsQuery | undefined => {
  const given = (text.toWellFormed().match(/"[^"]*"|[^\s"]+/g) ?? []).slice(0, MAX_WORDS);
  const words = given.flatMap((word) => toWords([word]));
  if (words.length === 0) return undefined;
  const parts = given.flatMap((word) => toWords(word.startsWith('"') ? [word] : word.split(/[^\p{L}\p{N}\p{M}]+/u)));
  return {
    words: words.map((word) => word.toLowerCase()),
    all: quoteEach(words).join(" AND "),
    any: quoteEach(parts.slice(0, MAX_PARTS)).join(" OR "),
  };
};

const toWords = (given: readonly string[]): readonly string[] =>
  given
    .map((word) =>
      toIndexed(
        word
          .slice(0, MAX_WORD_CHARS)
          .toWellFormed()
          .replaceAll(/["\p{C}]/gu, " "),
      ).trim(),
    )
    .filter((word) => /[\p{L}\p{N}]/u.test(word));

const quoteEach = (words: readonly string[]): readonly string[] => [...new Set(words)].map((word) => `"${word}"`);

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/** Writing without spaces would be one word a sentence; each of its characters is made a word, and several in a row a phrase. */
export const toIndexed = (text: string): string => text.replaceAll(UNSPACED, " $& ");
