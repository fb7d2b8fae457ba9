/** The part of a chunk that shows best why it was found, and on which line it stands. */

export type Excerpt = {
  readonly text: string;
  /** Lines before it in the chunk. */
  readonly offset: number;
};

const EXCERPT_CHARS = 400;

export const toExcerpt = (text: string, words: readonly string[]): Excerpt => {
  const lines = text.split("\n");
  const stems = words
    .flatMap((word) => word.split(/\s+/))
    .filter((word) => word !== "")
    .map(toStem);
  const scores = lines.map((line) => {
    const lower = line.toLowerCase();
    return stems.filter((stem) => lower.includes(stem)).length;
  });
  const best = Math.max(0, scores.indexOf(Math.max(...scores)));
  const kept = [cut(lines[best] ?? "", stems)];
  let chars = kept[0]?.length ?? 0;
  for (let at = best + 1; at < lines.length && chars + (lines[at]?.length ?? 0) <= EXCERPT_CHARS; at += 1) {
    kept.push(lines[at] ?? "");
    chars += (lines[at]?.length ?? 0) + 1;
  }
  return { text: kept.join("\n").trim(), offset: best };
};

/** What the endings of English leave; the index finds `tests` by `testing` too. */
const toStem = (word: string): string => (word.length > 4 ? word.replace(/(ing|ed|es|s)$/, "") : word);

/** The part of a long line around the first word that was looked for. */
const cut = (line: string, stems: readonly string[]): string => {
  if (line.length <= EXCERPT_CHARS) return line;
  const lower = line.toLowerCase();
  const found = stems.map((stem) => lower.indexOf(stem)).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...(found.length === 0 ? [0] : found)) - 80);
  return `${from > 0 ? "…" : ""}${line.slice(from, from + EXCERPT_CHARS)}…`.toWellFormed();
};
