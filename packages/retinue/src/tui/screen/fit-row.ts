/** Rows made to fit a width: cut with an ellipsis, wrapped at blanks, or with a part at the right edge. Widths are columns of the terminal. */
import { cutToWidth, graphemesOf, widthOf, widthOfGrapheme } from "../../terminal/text-width.ts";
import type { Row, Span } from "./row.ts";
import { row, rowWidth, span } from "./row.ts";

export const cutRow = (spans: Row, width: number): Row => {
  if (rowWidth(spans) <= width) return spans;
  const taken: Span[] = [];
  let left = width;
  for (const one of spans) {
    const own = widthOf(one.text);
    if (own < left) {
      taken.push(one);
      left -= own;
      continue;
    }
    taken.push({ ...one, text: cutToWidth(own === left ? `${one.text}  ` : one.text, left) });
    break;
  }
  return taken;
};

/** `left` is cut so that `right` stands whole at the edge; where there is no room for both, `right` is left out. */
export const withRight = (left: Row, right: Row, width: number): Row => {
  const needed = rowWidth(right);
  if (needed === 0 || needed + 8 > width) return cutRow(left, width);
  const cut = cutRow(left, width - needed - 1);
  return row(...cut, " ".repeat(width - needed - rowWidth(cut)), ...right);
};

type Piece = { readonly text: string; readonly style: Span["style"]; readonly isBlank: boolean };

const toPieces = (spans: Row): readonly Piece[] =>
  spans.flatMap(({ text, style }) =>
    (text.match(/[ \t]+|[^ \t]+/g) ?? []).map((piece) => ({
      text: piece.replaceAll("\t", "  "),
      style,
      isBlank: /^[ \t]/.test(piece),
    })),
  );

/** As many graphemes as fit; at least one, so that something is always taken. */
const takeWidth = (text: string, width: number): string => {
  let taken = "";
  let used = 0;
  for (const grapheme of graphemesOf(text)) {
    used += widthOfGrapheme(grapheme);
    if (used > width && taken !== "") break;
    taken += grapheme;
  }
  return taken;
};

/** Rows no wider than `width`, broken at blanks where there are any. Rows after the first begin with `indent`. */
export const wrapRow = (spans: Row, width: number, indent = ""): readonly Row[] => {
  if (rowWidth(spans) <= width) return [spans];
  const room = Math.max(4, width);
  const rows: Span[][] = [[]];
  let used = 0;
  const begin = (): void => {
    rows.push(indent === "" ? [] : [{ text: indent }]);
    used = widthOf(indent);
  };
  const put = (text: string, style: Span["style"]): void => {
    rows.at(-1)?.push(style === undefined ? { text } : span(text, style));
    used += widthOf(text);
  };
  for (const { text, style, isBlank } of toPieces(spans)) {
    if (used + widthOf(text) <= room) {
      put(text, style);
      continue;
    }
    if (isBlank) {
      if (used > widthOf(indent)) begin();
      continue;
    }
    if (used > widthOf(indent)) begin();
    let rest = text;
    while (used + widthOf(rest) > room) {
      const head = takeWidth(rest, room - used);
      put(head, style);
      rest = rest.slice(head.length);
      if (rest !== "") begin();
    }
    if (rest !== "") put(rest, style);
  }
  return rows;
};
