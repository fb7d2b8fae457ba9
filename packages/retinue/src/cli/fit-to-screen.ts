/**
 * The beginning and the end of a text in no more rows than a screen has for it, with how much is left out between them. Rows and not lines are
 * counted: a long line takes several.
 */
import { widthOf } from "../terminal/text-width.ts";

export type Screen = { readonly rows: number; readonly columns: number };

export type Fitted = {
  readonly head: string;
  readonly tail: string;
  /** Of lines that are not shown, or not whole. */
  readonly linesLeft: number;
  readonly charsLeft: number;
};

/** Undefined where all of it fits. The text is printable already. */
export const fitToScreen = (text: string, { rows, columns }: Screen): Fitted | undefined => {
  const lines = text.split("\n");
  if (lines.length <= rows && countRows(lines, columns) <= rows) return undefined;
  const head = take(lines, { rows: Math.ceil(rows / 2), columns });
  const tail = take(lines.toReversed().map(reverse), { rows: Math.floor(rows / 2), columns });
  const shown = { head: head.lines.join("\n"), tail: tail.lines.map(reverse).toReversed().join("\n") };
  return {
    ...shown,
    linesLeft: Math.max(1, lines.length - head.whole - tail.whole),
    charsLeft: text.length - shown.head.length - shown.tail.length,
  };
};

export const countRows = (lines: readonly string[], columns: number): number =>
  lines.reduce((sum, line) => sum + rowsOf(line, columns), 0);

/** Lines that are far too long are not measured to their end. */
const rowsOf = (line: string, columns: number): number =>
  Math.max(1, Math.ceil((line.length > LONG ? line.length : widthOf(line)) / columns));

const LONG = 10_000;

const reverse = (line: string): string => Array.from(line).toReversed().join("");

/** From the beginning; of the line that no longer fits, as much as does. */
const take = (
  lines: readonly string[],
  { rows, columns }: Screen,
): { readonly lines: readonly string[]; readonly whole: number } => {
  const taken: string[] = [];
  let left = rows;
  for (const line of lines) {
    const needed = rowsOf(line, columns);
    if (needed > left)
      return { lines: left > 0 && needed > 1 ? [...taken, cut(line, left * columns)] : taken, whole: taken.length };
    taken.push(line);
    left -= needed;
  }
  return { lines: taken, whole: taken.length };
};

/** No wider than so; characters that take two columns leave room rather than take too much. */
const cut = (line: string, width: number): string => {
  const characters = Array.from(line.slice(0, 2 * width)).slice(0, width);
  while (characters.length > 0 && widthOf(characters.join("")) > width) characters.length = Math.floor(characters.length * 0.9);
  return characters.join("");
};
