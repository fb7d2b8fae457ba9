/** What is being typed, in as many rows as it needs up to a few, and where the cursor stands in them. */
import { graphemesOf, widthOfGrapheme } from "../../terminal/text-width.ts";
import type { EditedText } from "../input/text-editor.ts";
import type { Row } from "../screen/row.ts";
import { row, safeText, span } from "../screen/row.ts";
import { withRight } from "../screen/fit-row.ts";

export type InputBox = { readonly rows: readonly Row[]; readonly cursor: { readonly row: number; readonly column: number } };

export type InputBoxOptions = {
  readonly edited: EditedText;
  readonly prompt: string;
  readonly hint: string;
  readonly width: number;
  readonly mostRows: number;
};

const MARGIN = 3;

/** Broken where the width ends, as a terminal would, so that the cursor is where it seems to be. */
const layOut = (
  text: string,
  cursor: number,
  width: number,
): { readonly lines: string[]; readonly row: number; readonly column: number } => {
  const lines = [""];
  let used = 0;
  let at = 0;
  let place: { row: number; column: number } | undefined;
  const mark = (): void => {
    if (place === undefined && at >= cursor) place = { row: lines.length - 1, column: used };
  };
  for (const grapheme of graphemesOf(text)) {
    if (grapheme !== "\n" && used + widthOfGrapheme(grapheme) > width) {
      lines.push("");
      used = 0;
    }
    mark();
    at += grapheme.length;
    if (grapheme === "\n" || grapheme === "\r\n") {
      lines.push("");
      used = 0;
      continue;
    }
    const safe = safeText(grapheme);
    lines[lines.length - 1] += safe;
    used += safe === grapheme ? widthOfGrapheme(grapheme) : safe.length;
  }
  mark();
  return { lines, row: place?.row ?? 0, column: place?.column ?? 0 };
};

export const drawInput = ({ edited, prompt, hint, width, mostRows }: InputBoxOptions): InputBox => {
  const { lines, row: at, column } = layOut(edited.text, edited.cursor, Math.max(4, width - MARGIN - 1));
  const from = Math.max(0, Math.min(at - Math.floor(mostRows / 2), lines.length - mostRows));
  const shown = lines.slice(from, from + mostRows);
  const isCut = shown.length < lines.length;
  const rows = shown.map((line, index) => {
    const sign = index === 0 && from === 0 ? ` ${prompt} ` : "   ";
    const left = row(span(sign, "bold"), line);
    if (index === 0 && edited.text === "") return withRight(left, [span(hint, "dim")], width);
    return index === shown.length - 1 && isCut
      ? withRight(left, [span(`line ${at + 1} of ${lines.length}`, "dim")], width)
      : left;
  });
  return { rows, cursor: { row: at - from, column: MARGIN + column } };
};
