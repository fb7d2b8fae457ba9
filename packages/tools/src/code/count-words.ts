/** How often words stand in the files of a folder, in one pass of ripgrep. */
import path from "node:path";
import { runRipgrep, toIgnoreArgs } from "@retinue/confine";

export type WordSearch = {
  readonly folder: string;
  /** In lower case. */
  readonly words: readonly string[];
  readonly signal: AbortSignal;
};

/** By file, then by word. */
export type WordCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

const MAX_LINES_A_FILE = 40;
const MAX_MATCHES = 300_000;
const TIME_LIMIT_MS = 10_000;

export const countWords = async ({ folder, words, signal }: WordSearch): Promise<WordCounts> => {
  const counts = new Map<string, Map<string, number>>();
  if (words.length === 0) return counts;
  const known = new Set(words);
  let matches = 0;
  await runRipgrep({
    args: [
      "--only-matching",
      "--no-line-number",
      "--with-filename",
      "--no-heading",
      "--null",
      "--ignore-case",
      "--hidden",
      "--glob=!.git",
      `--max-count=${MAX_LINES_A_FILE}`,
      "--max-filesize=1M",
      ...(await toIgnoreArgs(folder)),
      // The longest first, since the first that fits is the one that is given.
      ...words.toSorted((a, b) => b.length - a.length).map((word) => `--regexp=${toPattern(word)}`),
      "--",
      "./",
    ],
    cwd: folder,
    separator: "\n",
    timeLimitMs: TIME_LIMIT_MS,
    signal,
    onRecord: (record) => {
      const at = record.indexOf("\0");
      const word = record.slice(at + 1).toLowerCase();
      if (at < 0 || !known.has(word)) return true;
      const file = record
        .slice(0, at)
        .replace(/^\.[\\/]/, "")
        .replaceAll(path.sep, "/");
      let ofFile = counts.get(file);
      if (!ofFile) counts.set(file, (ofFile = new Map()));
      ofFile.set(word, (ofFile.get(word) ?? 0) + 1);
      return (matches += 1) < MAX_MATCHES;
    },
  });
  return counts;
};

/** Short words stand in many others, where they mean nothing. */
const toPattern = (word: string): string => {
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return word.length <= 3 ? `\\b${escaped}\\b` : word.length === 4 ? `\\b${escaped}` : escaped;
};
