/** Ranks files by how much the words of a task have to do with them. A word that few files have says more than one that many have. */
import { count } from "@retinue/confine";
import type { WordCounts } from "./count-words.ts";
import type { TermMatch } from "./index-request.ts";
import { isTestPath } from "./search-symbols.ts";
import { hasTerm } from "./split-name.ts";
import type { TaskTerms } from "./task-terms.ts";

export type FilesToRank = {
  readonly task: string;
  readonly terms: TaskTerms;
  readonly files: readonly string[];
  readonly symbols: readonly TermMatch[];
  readonly contents: WordCounts;
};

export type RankedFile = { readonly file: string; readonly score: number; readonly reasons: readonly string[] };

const NAMED_IN_TASK = 100;
const DEFINES_IDENTIFIER = 14;
const DEFINES_WORD = 4;
const USES_IDENTIFIER = 3;
const IN_FILE_NAME = 6;
const IN_FOLDER_NAME = 2;
const IN_CONTENT = 1;
const MAX_SHOWN_NAMES = 4;

/** Written by programs, or about everything. */
const SELDOM_MEANT =
  /(^|\/)(package-lock\.json|[^/]*\.lock|[^/]*\.min\.\w+|[^/]*\.snap|CHANGELOG[^/]*|LICENSE[^/]*|dist|vendor)(\/|$)/i;

export const rankFiles = (given: FilesToRank): readonly RankedFile[] => {
  const { terms, files, symbols, contents } = given;
  const words = [...new Set([...terms.words, ...terms.identifiers.map((name) => name.toLowerCase())])];
  const weights = toWeights(given, words);
  const byFile = Map.groupBy(symbols, (match) => match.file);
  const aboutTests = /\btests?\b|\bspecs?\b/i.test(given.task);
  const ranked: RankedFile[] = [];
  for (const file of files) {
    const reasons: string[] = [];
    const hit = new Set<string>();
    let score = 0;
    const tally: Tally = {
      add: (points, word) => {
        score += points;
        hit.add(word);
      },
      because: (reason) => void reasons.push(reason),
    };
    for (const named of terms.paths)
      if (file === named || file.endsWith(`/${named}`) || file.startsWith(`${named}/`)) {
        tally.add(NAMED_IN_TASK, named);
        tally.because("named in the task");
      }
    addSymbols(byFile.get(file) ?? [], terms, weights, tally);
    addPath(file, words, weights, tally);
    addContent(contents.get(file), weights, tally);
    if (score <= 0) continue;
    if (words.length > 0) score *= 0.5 + hit.size / (words.length + terms.paths.length);
    if (isTestPath(file) && !aboutTests) score *= 0.6;
    if (SELDOM_MEANT.test(file)) score *= 0.05;
    ranked.push({ file, score, reasons });
  }
  return ranked.toSorted((a, b) => b.score - a.score || (a.file < b.file ? -1 : 1));
};

type Tally = { readonly add: (points: number, word: string) => void; readonly because: (reason: string) => void };
type Weights = ReadonlyMap<string, number>;

/** From 0 for a word of all files to 3 for a word of very few. */
const toWeights = ({ files, symbols, contents }: FilesToRank, words: readonly string[]): Weights => {
  const having = new Map<string, Set<string>>(words.map((word) => [word, new Set()]));
  for (const { file, term } of symbols) having.get(term)?.add(file);
  for (const [file, counts] of contents) for (const word of counts.keys()) having.get(word)?.add(file);
  return new Map(
    words.map((word) => {
      const share = (having.get(word)?.size ?? 0) / Math.max(files.length, 1);
      return [word, share === 0 ? 1 : Math.min(3, Math.max(0.05, -Math.log10(share) * 1.5))];
    }),
  );
};

const addSymbols = (
  matches: readonly TermMatch[],
  { identifiers }: TaskTerms,
  weights: Weights,
  { add, because }: Tally,
): void => {
  const defined = new Set<string>();
  for (const { term, defines, usedOn } of matches) {
    const weight = weights.get(term) ?? 1;
    const exact = identifiers.filter((name) => defines.includes(name));
    const others = [...new Set(defines)].filter((name) => !exact.includes(name));
    if (exact.length > 0) add(DEFINES_IDENTIFIER * exact.length, term);
    if (others.length > 0) add(DEFINES_WORD * weight * Math.min(3, 1 + Math.log2(others.length)), term);
    for (const name of [...exact, ...others]) defined.add(name);
    if (usedOn === 0) continue;
    add(USES_IDENTIFIER * Math.log2(1 + usedOn), term);
    because(`uses ${identifiers.find((name) => name.toLowerCase() === term) ?? term} on ${count(usedOn, "line")}`);
  }
  if (defined.size === 0) return;
  const isExact = (name: string): number => Number(identifiers.includes(name));
  const names = [...defined].toSorted((a, b) => isExact(b) - isExact(a) || a.length - b.length || (a < b ? -1 : 1));
  because(`defines ${names.slice(0, MAX_SHOWN_NAMES).join(", ")}${names.length > MAX_SHOWN_NAMES ? ", …" : ""}`);
};

const addPath = (file: string, words: readonly string[], weights: Weights, { add, because }: Tally): void => {
  const slash = file.lastIndexOf("/");
  const name = file.slice(slash + 1);
  const found = words.filter((word) => hasTerm(file, word));
  for (const word of found) add((hasTerm(name, word) ? IN_FILE_NAME : IN_FOLDER_NAME) * (weights.get(word) ?? 1), word);
  if (found.length > 0) because(`path has ${found.join(", ")}`);
};

const addContent = (counts: ReadonlyMap<string, number> | undefined, weights: Weights, { add, because }: Tally): void => {
  if (!counts) return;
  const found = [...counts].toSorted((a, b) => (weights.get(b[0]) ?? 0) * b[1] - (weights.get(a[0]) ?? 0) * a[1]);
  for (const [word, times] of found) add(IN_CONTENT * (weights.get(word) ?? 1) * Math.log2(1 + times), word);
  because(
    `mentions ${found
      .slice(0, MAX_SHOWN_NAMES)
      .map(([word, times]) => `${word} (${times})`)
      .join(", ")}`,
  );
};
