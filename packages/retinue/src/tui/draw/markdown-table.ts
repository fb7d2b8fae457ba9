/** A Markdown table as rows whose columns stand below each other. Where the terminal is too narrow, the widest columns are cut. */
import { padToWidth, widthOf } from "../../terminal/text-width.ts";
import type { Row } from "../screen/row.ts";
import { rowText, safeText, span } from "../screen/row.ts";
import { cutRow } from "../screen/fit-row.ts";
import { inlineMarkdown } from "./markdown-inline.ts";

const toCells = (line: string): readonly string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

const isRule = (cells: readonly string[]): boolean => cells.length > 0 && cells.every((cell) => /^:?-{1,}:?$/.test(cell));

const FEWEST = 4;

/** The widest gives way first. */
const shrink = (widths: number[], room: number): void => {
  while (widths.reduce((sum, one) => sum + one, 0) > room) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= FEWEST) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
};

export const renderTable = (lines: readonly string[], width: number): readonly Row[] => {
  const cells = lines.map(toCells);
  const hasHead = isRule(cells[1] ?? []);
  const body = cells.filter((one) => !isRule(one)).map((one) => one.map((cell) => inlineMarkdown(safeText(cell))));
  const columns = Math.max(0, ...body.map((one) => one.length));
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(1, ...body.map((one) => widthOf(rowText(one[index] ?? [])))),
  );
  shrink(widths, width - 3 * (columns - 1));
  const toRow = (one: readonly Row[], isHead: boolean): Row =>
    widths.flatMap((own, index) => {
      const cut = cutRow(one[index] ?? [], own);
      const text = rowText(cut);
      const padding = padToWidth(text, own).slice(text.length);
      const spans = isHead ? [span(text, "bold")] : cut;
      return [...(index > 0 ? [span(" │ ", "dim")] : []), ...spans, span(padding)];
    });
  return body.flatMap((one, index) => {
    const isHead = hasHead && index === 0;
    const rule = widths.map((own) => "─".repeat(own)).join("─┼─");
    return isHead ? [toRow(one, true), [span(rule, "dim")]] : [toRow(one, false)];
  });
};
