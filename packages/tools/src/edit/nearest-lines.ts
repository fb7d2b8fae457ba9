/** Finds the lines of a file that are most like the ones that were looked for. */

export type NearestLines = {
  /** Index of the first line. */
  readonly start: number;
  readonly count: number;
  /** 1 where all lines are the same. */
  readonly likeness: number;
};

const MAX_LINES = 50_000;
const MAX_COMPARED_CHARS = 300;
const ANCHORS = 3;
const CANDIDATES = 20;
const LEAST_LIKENESS = 0.45;

/**
 * The longest of the wanted lines are looked for by themselves; round the places where something like them stands, all lines are compared.
 */
export const findNearestLines = (lines: readonly string[], wanted: readonly string[]): NearestLines | undefined => {
  const anchors = wanted
    .map((line, at) => ({ line, at }))
    .filter(({ line }) => line.trim() !== "")
    .toSorted((a, b) => b.line.length - a.line.length)
    .slice(0, ANCHORS);
  const starts = new Map<number, number>();
  for (const { line, at } of anchors) {
    const compare = createComparison(line);
    for (const [index, candidate] of lines.slice(0, MAX_LINES).entries()) {
      const start = Math.max(0, index - at);
      const likeness = compare(candidate);
      if (likeness > Math.max(0.3, starts.get(start) ?? 0)) starts.set(start, likeness);
    }
  }
  const candidates = [...starts].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, CANDIDATES);
  const comparisons = wanted.map(createComparison);
  let best: NearestLines | undefined;
  for (const [start] of candidates) {
    const count = Math.min(wanted.length, lines.length - start);
    const sum = comparisons.reduce((total, compare, offset) => total + compare(lines[start + offset] ?? ""), 0);
    const likeness = sum / wanted.length;
    if (likeness > (best?.likeness ?? LEAST_LIKENESS)) best = { start, count, likeness };
  }
  return best;
};

/** How like another line is to this one, by the pairs of characters they share. */
const createComparison = (line: string): ((other: string) => number) => {
  const trimmed = line.trim().slice(0, MAX_COMPARED_CHARS);
  const pairs = countPairs(trimmed);
  return (other) => {
    if (other === line) return 1;
    const second = other.trim().slice(0, MAX_COMPARED_CHARS);
    if (second === trimmed) return trimmed === "" ? 1 : 0.98;
    const lengths = trimmed.length + second.length - 2;
    const longest = Math.max(trimmed.length, second.length);
    if (trimmed.length < 2 || second.length < 2 || longest > 3 * Math.min(trimmed.length, second.length)) return 0;
    let shared = 0;
    for (const [pair, times] of countPairs(second)) shared += Math.min(times, pairs.get(pair) ?? 0);
    return (2 * shared) / lengths;
  };
};

const countPairs = (text: string): ReadonlyMap<string, number> => {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at += 1) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
};
