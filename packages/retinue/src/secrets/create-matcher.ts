/**
 * Finds any of many texts in another, in one pass. A table of three characters each tells how far none of them can begin, so that most of a text
 * is stepped over.
 */

export type Match = { readonly start: number; readonly end: number; readonly pattern: string };

export type Matcher = {
  /** The first one that begins at `from` or later, and of those that begin there the longest. */
  readonly find: (text: string, from: number) => Match | undefined;
  /** Where, from `from` on, the tail of the text begins that may become a secret when more comes; its length where none does. */
  readonly openTail: (text: string, from: number) => number;
};

const TABLE_BITS = 17;

/** Of the three characters that end here, a number below the size of the table, spread over all of it. */
const tripleAt = (text: string, end: number): number =>
  Math.imul((text.charCodeAt(end - 2) << 14) ^ (text.charCodeAt(end - 1) << 7) ^ text.charCodeAt(end), 0x9e3779b1) >>>
  (32 - TABLE_BITS);

const pairAt = (text: string, end: number): number => (text.charCodeAt(end - 1) << 16) | text.charCodeAt(end);

export const createMatcher = (given: readonly string[]): Matcher | undefined => {
  const patterns = [...new Set(given)].toSorted((one, other) => other.length - one.length);
  const least = patterns.at(-1)?.length ?? 0;
  const longest = patterns[0]?.length ?? 0;
  if (least < 3) return undefined;
  /** By the three characters that end where the shortest secret would: how far the end may move before a secret can lie there. */
  const shifts = new Uint8Array(1 << TABLE_BITS).fill(Math.min(least - 2, 255));
  const ending = new Map<number, string[]>();
  const beginning = new Map<number, string[]>();
  for (const pattern of patterns) {
    for (let end = 2; end < least; end += 1) {
      const triple = tripleAt(pattern, end);
      shifts[triple] = Math.min(shifts[triple] ?? 0, least - 1 - end);
    }
    put(ending, tripleAt(pattern, least - 1), pattern);
    put(beginning, pairAt(pattern, 1), pattern);
  }
  const firsts = new Set(patterns.map((pattern) => pattern.charCodeAt(0)));
  const isOpen = (text: string, start: number): boolean => {
    const length = text.length - start;
    if (length === 1) return firsts.has(text.charCodeAt(start));
    const candidates = beginning.get(pairAt(text, start + 1));
    if (!candidates) return false;
    const tail = text.slice(start);
    return candidates.some((pattern) => pattern.length > length && pattern.startsWith(tail));
  };
  return {
    find: (text, from) => {
      for (let end = from + least - 1; end < text.length;) {
        const triple = tripleAt(text, end);
        const shift = shifts[triple] ?? 0;
        if (shift > 0) {
          end += shift;
          continue;
        }
        const start = end - least + 1;
        const found = ending.get(triple)?.find((pattern) => text.startsWith(pattern, start));
        if (found !== undefined) return { start, end: start + found.length, pattern: found };
        end += 1;
      }
      return undefined;
    },
    openTail: (text, from) => {
      for (let start = Math.max(from, text.length - longest + 1); start < text.length; start += 1)
        if (isOpen(text, start)) return start;
      return text.length;
    },
  };
};

const put = (map: Map<number, string[]>, key: number, pattern: string): void => {
  const known = map.get(key);
  if (known) known.push(pattern);
  else map.set(key, [pattern]);
};
