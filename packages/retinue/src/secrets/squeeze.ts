/**
 * A text without its line ends and what stands before the first word of a line, as secrets are looked for in it: a program that breaks long lines
 * breaks a secret, too. Every place in it leads back to the text as it was.
 */

/** What may become a line end when more comes. */
const HALF_LINE_END = /(?:\\r?\\?|\r)$/;

export type Squeezed = {
  readonly text: string;
  /** Where the character at this place stood. */
  readonly originalStart: (at: number) => number;
  /** Where what ends before this place ended. */
  readonly originalEnd: (at: number) => number;
};

/** Line ends as they are, and as JSON writes them. */
export const squeeze = (original: string): Squeezed => {
  let end = nextLineEnd(original, 0);
  if (end < 0) return { text: original, originalStart: (at) => at, originalEnd: (at) => at };
  /** Where each piece that is kept begins, here and there. */
  const starts: number[] = [];
  const froms: number[] = [];
  let text = "";
  let from = 0;
  const keep = (to: number): void => {
    starts.push(text.length);
    froms.push(from);
    text += original.slice(from, to);
  };
  for (; end >= 0; end = nextLineEnd(original, from)) {
    const begin = lineEndStart(original, end);
    if (begin > from) keep(begin);
    from = lineStart(original, end + (original[end] === "\n" ? 1 : 2));
  }
  keep(original.length);
  const originalStart = (at: number): number => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return (froms[low] ?? 0) + at - (starts[low] ?? 0);
  };
  return {
    text,
    originalStart: (at) => (at >= text.length ? original.length : originalStart(at)),
    originalEnd: (at) => (at === 0 ? 0 : originalStart(at - 1) + 1),
  };
};

const nextLineEnd = (text: string, from: number): number => {
  const real = text.indexOf("\n", from);
  // Only up to the next real one: the rest is looked at when its turn comes.
  const escaped = (real < 0 ? text.slice(from) : text.slice(from, real)).indexOf("\\n");
  return escaped < 0 ? real : from + escaped;
};

/** With the carriage return before it. */
const lineEndStart = (text: string, end: number): number => {
  if (text[end] === "\n") return text[end - 1] === "\r" ? end - 1 : end;
  return text[end - 1] === "r" && text[end - 2] === "\\" ? end - 2 : end;
};

const MOST_INDENT = 64;

/** After an indent and the sign of a quotation. */
const lineStart = (text: string, from: number): number => {
  let at = from;
  while (at - from < MOST_INDENT && isBlank(text.charCodeAt(at))) at += 1;
  const sign = text.charCodeAt(at);
  if (sign !== QUOTE && sign !== BAR) return at;
  return isBlank(text.charCodeAt(at + 1)) ? at + 2 : at + 1;
};

const isBlank = (code: number): boolean => code === 32 || code === 9;
const QUOTE = 62;
const BAR = 124;

/** A text in pieces, without what may be half a line end at its end. */
export const withoutHalfLineEnd = (text: string): string => text.replace(HALF_LINE_END, "");
