/** A text with plain line feeds, and the way from there back to the text as it was. */
export type NormalizedText = {
  readonly text: string;
  /** From a place in the normalised text to the same place in the original. */
  readonly toOriginal: (at: number) => number;
  /** A new piece with the line endings of the piece it stands for, or else of most of the file. */
  readonly toOriginalEndings: (piece: string, replaced: string) => string;
};

export const toNormalized = (original: string): NormalizedText => {
  /** Where, in the normalised text, line feeds stand that had a carriage return before them. */
  const dropped: number[] = [];
  for (let at = original.indexOf("\r\n"); at >= 0; at = original.indexOf("\r\n", at + 2)) dropped.push(at - dropped.length);
  if (dropped.length === 0) return { text: original, toOriginal: (at) => at, toOriginalEndings: (piece) => piece };
  const text = original.replaceAll("\r\n", "\n");
  const mostly = dropped.length * 2 >= text.split("\n").length - 1;
  return {
    text,
    toOriginal: (at) => at + countBelow(dropped, at),
    toOriginalEndings: (piece, replaced) =>
      replaced.includes("\r\n") || (mostly && !replaced.includes("\n")) ? piece.replaceAll("\n", "\r\n") : piece,
  };
};

/** How many of the sorted numbers are below. */
const countBelow = (numbers: readonly number[], limit: number): number => {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
};
