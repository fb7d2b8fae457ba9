/** Says why a text was not found: what is there instead, with line numbers, as a small diff. */
import { diffArrays } from "diff";
import { findNearestLines } from "./nearest-lines.ts";

const MAX_SHOWN_LINES = 40;
const MAX_LINE_CHARS = 200;

/** Both with plain line feeds. */
export type Missed = { readonly old: string; readonly new: string };

export const describeMiss = (text: string, missed: Missed): string => {
  const lines = text.split("\n");
  // A line feed at the end means whole lines, and is no line itself.
  const wanted = missed.old.replace(/\n$/, "").split("\n");
  const nearest = findNearestLines(lines, wanted);
  const done = isDone(text, missed) ? " The new text is already in the file." : "";
  if (!nearest) return `old was not found, and nothing like it.${done} Read the file and copy the text from it.`;
  const found = lines.slice(nearest.start, nearest.start + nearest.count);
  const first = nearest.start + 1;
  const last = nearest.start + found.length;
  const where = first === last ? `line ${first}` : `lines ${first}-${last}`;
  const blank = sameButWhiteSpace(wanted, found);
  const why = blank
    ? ` Only the white space differs (→ is a tab, · a space).`
    : sameButCase(wanted, found)
      ? " Only upper and lower case differ."
      : "";
  const shown = toDiffLines({ wanted, found, first, show: blank ? showWhiteSpace : cut });
  return `old was not found.${done} The nearest is at ${where}; - is what old says, + what the file holds.${why}\n${shown}`;
};

/** Shorter texts stand in many files anyway. */
const LEAST_CHARS = 8;

/** A text that is part of the old one says nothing by being there. */
const isDone = (text: string, { old, new: fresh }: Missed): boolean =>
  fresh.trim().length >= LEAST_CHARS && !old.includes(fresh.trim()) && text.includes(fresh);

const withoutSpace = (lines: readonly string[]): string => lines.join("\n").replaceAll(/\s+/g, "");

const sameButWhiteSpace = (a: readonly string[], b: readonly string[]): boolean => withoutSpace(a) === withoutSpace(b);

const sameButCase = (a: readonly string[], b: readonly string[]): boolean =>
  a.join("\n").toLowerCase() === b.join("\n").toLowerCase();

const cut = (line: string): string => (line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}…` : line);

const showWhiteSpace = (line: string): string =>
  cut(line.replaceAll(/^\s+|\s+$/g, (space) => space.replaceAll("\t", "→").replaceAll(" ", "·")));

type Shown = {
  readonly wanted: readonly string[];
  readonly found: readonly string[];
  /** Number of the first line that was found. */
  readonly first: number;
  readonly show: (line: string) => string;
};

const toDiffLines = ({ wanted, found, first, show }: Shown): string => {
  const shown: string[] = [];
  let number = first;
  for (const part of diffArrays([...wanted], [...found]))
    for (const line of part.value) {
      const isOld = part.removed;
      shown.push(`${(isOld ? "" : String(number)).padStart(6)} ${isOld ? "-" : part.added ? "+" : " "} ${show(line)}`);
      if (!isOld) number += 1;
    }
  const left = shown.length - MAX_SHOWN_LINES;
  return [...shown.slice(0, MAX_SHOWN_LINES), ...(left > 0 ? [`[${left} more lines]`] : [])].join("\n");
};
