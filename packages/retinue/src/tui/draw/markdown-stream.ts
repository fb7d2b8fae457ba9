/**
 * Markdown as rows, while it comes: a line is drawn when it is whole, a table when it has ended, and what was drawn never changes. The line that
 * is still being written is given beside, for the part of the screen that is redrawn.
 */
import { safeText, span } from "../screen/row.ts";
import type { Row } from "../screen/row.ts";
import { wrapRow } from "../screen/fit-row.ts";
import { createDiffRows } from "./draw-diff.ts";
import { createHighlighter } from "./highlight.ts";
import { inlineMarkdown } from "./markdown-inline.ts";
import { renderTable } from "./markdown-table.ts";

export type MarkdownStream = {
  /** The rows that are finished by this. */
  readonly push: (text: string) => readonly Row[];
  /** What is not finished, as it would look if it ended here. */
  readonly tail: () => readonly Row[];
  /** The rest; the stream is as new afterwards. */
  readonly end: () => readonly Row[];
};

type Fence = { readonly mark: string; readonly draw: (line: string) => Row };

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*(\S*)/;
const TABLE_LINE = /^\s*\|.*\|\s*$/;

/** Lines of a fence, in the colours of its language. */
const createCodeRows = (language: string): ((line: string) => Row) => {
  const inset = span("  ");
  if (language === "diff" || language === "patch") {
    const draw = createDiffRows();
    return (line) => [inset, ...draw(line)];
  }
  const highlighter = createHighlighter(language);
  return (line) => [inset, ...(highlighter?.line(safeText(line)) ?? [span(safeText(line), "code")])];
};

const proseRows = (line: string, width: number): readonly Row[] => {
  const text = safeText(line).trimEnd();
  if (text.trim() === "") return [[]];
  const [, , heading] = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/.exec(text) ?? [];
  if (heading !== undefined) return wrapRow([span(heading, "heading")], width);
  if (/^ {0,3}(?:-{3,}|\*{3,}|_{3,})$/.test(text)) return [[span("─".repeat(Math.min(width, 40)), "dim")]];
  const [, quoted] = /^ {0,3}>\s?(.*)$/.exec(text) ?? [];
  if (quoted !== undefined) return wrapRow(inlineMarkdown(quoted), width - 2).map((one) => [span("│ ", "dim"), ...one]);
  const [, indent = "", mark, item = ""] = /^(\s*)([-*+]|\d{1,4}[.)])\s+(.*)$/.exec(text) ?? [];
  if (mark !== undefined) {
    const sign = /\d/.test(mark) ? mark : "•";
    const box = /^\[([ xX])\]\s+(.*)$/.exec(item);
    const label = box ? `${box[1] === " " ? "☐" : "☑"} ` : "";
    const hang = " ".repeat(indent.length + sign.length + 1);
    return wrapRow([span(`${indent}${sign} ${label}`), ...inlineMarkdown(box ? (box[2] ?? "") : item)], width, hang);
  }
  return wrapRow(inlineMarkdown(text), width);
};

export const createMarkdownStream = (width: () => number): MarkdownStream => {
  let held = "";
  let fence: Fence | undefined;
  let table: string[] = [];

  const endTable = (): readonly Row[] => {
    const rows = table.length === 0 ? [] : renderTable(table, width());
    table = [];
    return rows;
  };

  const takeLine = (line: string): readonly Row[] => {
    if (fence) {
      const [, mark = ""] = FENCE.exec(line) ?? [];
      if (mark.startsWith(fence.mark) && line.trim() === mark) {
        fence = undefined;
        return [];
      }
      return [fence.draw(line)];
    }
    const [, mark, language = ""] = FENCE.exec(line) ?? [];
    if (mark !== undefined) {
      fence = { mark, draw: createCodeRows(language.toLowerCase()) };
      return endTable();
    }
    if (TABLE_LINE.test(line)) {
      table.push(line);
      return [];
    }
    return [...endTable(), ...proseRows(line, width())];
  };

  const openRows = (): readonly Row[] => {
    if (held === "") return [];
    // What is not whole yet must not carry anything over into the line that it becomes.
    return fence ? [[span("  "), span(safeText(held), "code")]] : proseRows(held, width());
  };

  return {
    push: (text) => {
      const lines = (held + text).split("\n");
      held = lines.pop() ?? "";
      return lines.flatMap(takeLine);
    },
    tail: () => [...(table.length === 0 ? [] : renderTable(table, width())), ...openRows()],
    end: () => {
      const rest = held === "" ? [] : takeLine(held);
      const rows = [...rest, ...endTable()];
      held = "";
      fence = undefined;
      return rows;
    },
  };
};

export const renderMarkdown = (text: string, width: number): readonly Row[] => {
  const stream = createMarkdownStream(() => width);
  return [...stream.push(text), ...stream.end()];
};
