/** A unified diff as rows in the colours of diffs. */
import { wrapRow } from "../screen/fit-row.ts";
import type { Row } from "../screen/row.ts";
import { safeText, span } from "../screen/row.ts";

export const diffStyle = (line: string): "added" | "removed" | "heading" | undefined => {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@")) return "heading";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : undefined;
};

export const drawDiff = (diff: string, width: number): readonly Row[] =>
  diff.split("\n").flatMap((line) => wrapRow([span(safeText(line), diffStyle(line))], width, "  "));
