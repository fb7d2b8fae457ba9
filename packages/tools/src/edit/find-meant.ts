/**
 * What an edit means whose text is not in the file to the letter: the same lines with other white space, or with the line numbers that `read` shows. Only
 * where they stand in the file exactly once.
 */
import type { Missed } from "./describe-miss.ts";

export type Meant = { readonly edit: Missed; readonly note: string };

export const findMeant = (text: string, missed: Missed): Meant | undefined => {
  const bare = withoutNumbers(missed);
  if (bare && countOf(text, bare.old) === 1) return { edit: bare, note: "The line numbers in old were left out." };
  return findBySpace(text, bare ?? missed);
};

const NUMBERED = /^\s*\d+(?:→|\t|: ?\| ?)/;

/** Undefined where not every line has a number. */
const strip = (given: string): string | undefined => {
  const lines = given.split("\n");
  const isNumbered = lines.every((line) => line === "" || NUMBERED.test(line));
  return isNumbered ? lines.map((line) => line.replace(NUMBERED, "")).join("\n") : undefined;
};

const withoutNumbers = ({ old, new: fresh }: Missed): Missed | undefined => {
  const bare = strip(old);
  return bare === undefined || bare.trim() === "" ? undefined : { old: bare, new: strip(fresh) ?? fresh };
};

const countOf = (text: string, piece: string): number => text.split(piece).length - 1;

/** Shorter pieces are too much like others. */
const LEAST_CHARS = 8;

const squeezed = (line: string): string => line.trim().replaceAll(/\s+/g, " ");

const indentOf = (line: string): string => /^\s*/.exec(line)?.[0] ?? "";

const findBySpace = (text: string, { old, new: fresh }: Missed): Meant | undefined => {
  const endsLine = old.endsWith("\n");
  const wanted = (endsLine ? old.slice(0, -1) : old).split("\n");
  const compared = wanted.map(squeezed);
  if (compared.join("").length < LEAST_CHARS) return undefined;
  const lines = text.split("\n");
  const squeezedLines = lines.map(squeezed);
  const starts = squeezedLines.flatMap((_, at) =>
    compared.every((line, below) => squeezedLines[at + below] === line) ? [at] : [],
  );
  const [start, second] = starts;
  if (start === undefined || second !== undefined) return undefined;
  const found = lines.slice(start, start + wanted.length);
  const whole = found.join("\n");
  if (countOf(text, whole) !== 1) return undefined;
  return {
    edit: { old: endsLine ? `${whole}\n` : whole, new: reindent(fresh, wanted, found) },
    note: "The white space of old differed from the file; the lines that are the same but for it were replaced.",
  };
};

/** New lines with the white space that the file has where old has another one. */
const reindent = (fresh: string, wanted: readonly string[], found: readonly string[]): string => {
  const indents = new Map(wanted.map((line, at) => [indentOf(line), indentOf(found[at] ?? "")]));
  const [from, to] = [indentOf(wanted[0] ?? ""), indentOf(found[0] ?? "")] as const;
  return fresh
    .split("\n")
    .map((line) => {
      const own = indentOf(line);
      const known = indents.get(own);
      if (line.trim() === "") return line;
      if (known !== undefined) return known + line.slice(own.length);
      return own.startsWith(from) ? to + line.slice(from.length) : line;
    })
    .join("\n");
};
