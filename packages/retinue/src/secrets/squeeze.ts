/**
 * A text without its line ends and what stands before the first word of a line, as secrets are looked for in it: a program that breaks long lines
 * breaks a secret, too. Every place in it leads back to the text as it was.
 */

/** Also as JSON writes them. */
const LINE_END = /(?:\r?\n|\\r\\n|\\n)[ \t]{0,64}(?:[>|][ \t]?)?/g;

/** What may become a line end when more comes. */
const HALF_LINE_END = /(?:\\r?\\?|\r)$/;

export type Squeezed = {
  readonly text: string;
  /** Where the character at this place stood. */
  readonly originalStart: (at: number) => number;
  /** Where what ends before this place ended. */
  readonly originalEnd: (at: number) => number;
};

export const squeeze = (original: string): Squeezed => {
  if (!original.includes("\n") && !original.includes("\\n"))
    return { text: original, originalStart: (at) => at, originalEnd: (at) => at };
  const kept: { readonly at: number; readonly from: number }[] = [];
  let text = "";
  let from = 0;
  for (const { 0: end, index } of original.matchAll(LINE_END)) {
    if (index > from) {
      kept.push({ at: text.length, from });
      text += original.slice(from, index);
    }
    from = index + end.length;
  }
  kept.push({ at: text.length, from });
  text += original.slice(from);
  const originalStart = (at: number): number => {
    let low = 0;
    let high = kept.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((kept[middle]?.at ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    const { at: begin, from: place } = kept[low] ?? { at: 0, from: 0 };
    return place + at - begin;
  };
  return {
    text,
    originalStart: (at) => (at >= text.length ? original.length : originalStart(at)),
    originalEnd: (at) => (at === 0 ? 0 : originalStart(at - 1) + 1),
  };
};

/** A text in pieces, without what may be half a line end at its end. */
export const withoutHalfLineEnd = (text: string): string => text.replace(HALF_LINE_END, "");
