/** Words what a search has brought: the places first, then the lines around them. */
import type { Findings } from "./findings.ts";
import type { RankedFile } from "./ranking.ts";
import { rank } from "./ranking.ts";
import type { Term } from "./terms.ts";
import { clip, count, listTexts, quote, toAnswer } from "./wording.ts";

const MOST_PLACES = 6;
const MOST_OTHERS = 8;
const MOST_OCCURRENCES = 60;
const MOST_FILES = 100;

export type SearchReport = {
  readonly terms: readonly Term[];
  readonly findings: Findings;
  /** Only half of what was asked: somebody has to make sense of it. */
  readonly explain?: boolean;
  /** A second, looser search was made as well. */
  readonly loosened?: readonly Term[];
};

export const answerSearch = ({ terms, findings, explain = false, loosened = [] }: SearchReport): string => {
  const ranked = rank(findings, [...terms, ...loosened]);
  if (ranked.length === 0) return answerNothing({ terms, findings, loosened });
  const places = ranked.slice(0, MOST_PLACES);
  const others = ranked.slice(MOST_PLACES, MOST_PLACES + MOST_OTHERS);
  const left = ranked.length - places.length - others.length;
  // Counted from what is listed, so that the sums agree.
  const holding = ranked.filter((file) => file.lines.length > 0);
  const lines = holding.reduce((sum, file) => sum + file.lines.length, 0);
  const named = ranked.length - holding.length;
  const loosely = loosened.length > 0 ? `, then more loosely for ${searched(loosened)}` : "";
  return toAnswer(
    `Searched for ${searched(terms)}${loosely}: ${findings.more ? "more than " : ""}${count(lines, "matching line")} in ${findings.more ? "at least " : ""}` +
      `${count(holding.length, "file")}${named > 0 ? `, and ${count(named, "more file")} by ${named === 1 ? "its name" : "their names"}` : ""}. The likeliest places:`,
    places.map(toPlace).join("\n"),
    ...findings.excerpts.map(({ path, lines: read }) => quote(path, read)),
    others.length > 0
      ? `Also in: ${others.map(toReference).join(", ")}${left > 0 ? ` and ${count(left, "more file")}` : ""}.`
      : "",
    explain ? "That is where it is. To explain it takes a real model: `retinue doctor` tells how to connect one." : "",
  );
};

const toPlace = (file: RankedFile): string => {
  const [best, ...more] = file.lines;
  if (!best) return `- ${file.path} (by its name)`;
  const also = more.slice(0, 4).map(({ line }) => line);
  return `- ${toReference(file)}: ${clip(best.text)}${also.length > 0 ? ` (also ${also.length === 1 ? "line" : "lines"} ${also.toSorted((a, b) => a - b).join(", ")})` : ""}`;
};

const toReference = ({ path, lines: [best] }: RankedFile): string => (best ? `${path}:${best.line}` : path);

export const answerOccurrences = ({ terms, findings, loosened = [] }: SearchReport): string => {
  const files = sumByFile(findings);
  if (files.length === 0) return answerNothing({ terms, findings, loosened });
  const total = files.reduce((sum, file) => sum + file.matches, 0);
  const used = loosened.length > 0 ? loosened : terms;
  const intro = `Searched for ${searched(used)}: ${findings.more ? "at least " : ""}${count(total, "matching line")} in ${count(files.length, "file")}.`;
  if (findings.lines.length === 0) {
    const shown = files.slice(0, MOST_FILES).map(({ path, matches }) => `- ${path} (${count(matches, "line")})`);
    return toAnswer(intro, shown.join("\n"), leftOver(files.length - shown.length, "file"));
  }
  const lines = [...new Map(findings.lines.map((line) => [`${line.path}:${line.line}`, line])).values()];
  const shown = lines.slice(0, MOST_OCCURRENCES).map(({ path, line, text }) => `- ${path}:${line}: ${clip(text)}`);
  return toAnswer(intro, shown.join("\n"), leftOver(lines.length - shown.length, "line"));
};

const leftOver = (left: number, noun: string): string => (left > 0 ? `And ${count(left, `more ${noun}`)}.` : "");

/** The most telling files first. */
const sumByFile = ({ lines, files }: Findings): readonly { readonly path: string; readonly matches: number }[] => {
  const sums = new Map<string, number>();
  const add = (path: string, matches: number): Map<string, number> => sums.set(path, (sums.get(path) ?? 0) + matches);
  for (const { path, matches } of files) add(path, matches);
  for (const key of new Set(lines.map(({ path, line }) => `${line}:${path}`))) add(key.slice(key.indexOf(":") + 1), 1);
  return [...sums]
    .map(([path, matches]) => ({ path, matches }))
    .toSorted((a, b) => b.matches - a.matches || (a.path < b.path ? -1 : 1));
};

const answerNothing = ({ terms, findings, loosened = [] }: SearchReport): string =>
  toAnswer(
    `Nothing was found. Searched the workspace for ${searched(terms)}${loosened.length > 0 ? `, then more loosely for ${searched(loosened)}` : ""}.`,
    toFailures(findings),
    'Name it as the code does, or quote it: "exact text". Files that .gitignore excludes and hidden files are not searched.',
  );

export const toFailures = ({ failures }: Findings): string =>
  failures.length > 0
    ? ["Not everything could be done:", ...failures.map((failure) => `- ${clip(failure, 300)}`)].join("\n")
    : "";

const searched = (terms: readonly Term[]): string =>
  listTexts([...new Set(terms.filter((term) => term.kind !== "weak").map((term) => term.text))].slice(0, 8));
