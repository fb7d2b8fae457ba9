/** How many columns of a terminal a text takes, and texts made to take just so many. For texts that are printable already. */

/** Made when it is first needed: it takes longer than most texts do. */
let segmenter: Intl.Segmenter | undefined;

const ASCII = /^[\x20-\x7e]*$/;
const ZERO = /^(?:\p{M}|\p{Default_Ignorable_Code_Point})+$/v;
/** Emoji that show as pictures, and the scripts that are written in squares. */
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/v;

export const widthOfGrapheme = (grapheme: string): number => {
  if (ZERO.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
};

export const graphemesOf = (text: string): readonly string[] => {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
};

export const widthOf = (text: string): number =>
  ASCII.test(text) ? text.length : graphemesOf(text).reduce((sum, grapheme) => sum + widthOfGrapheme(grapheme), 0);

/** No wider than `width`; what was cut is shown as an ellipsis. */
export const cutToWidth = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text;
  let cut = "";
  let taken = 1;
  for (const grapheme of graphemesOf(text)) {
    taken += widthOfGrapheme(grapheme);
    if (taken > width) break;
    cut += grapheme;
  }
  return width < 1 ? "" : `${cut}…`;
};

export const padToWidth = (text: string, width: number, align: "left" | "right" = "left"): string => {
  const padding = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "left" ? text + padding : padding + text;
};
