/** A unified diff as rows: what is added and removed in the colours of diffs, what stands around it in those of its language. */
import { wrapRow } from "../screen/fit-row.ts";
import type { Row, Span, Style } from "../screen/row.ts";
import { safeText, span } from "../screen/row.ts";
import { createHighlighter, type Highlighter } from "./highlight.ts";

/** Tokens of changed lines keep the colour of the change. */
const CHANGED: Readonly<Record<"added" | "removed", Partial<Record<Style, Style>>>> = {
  added: { keyword: "added-strong", comment: "added-faint" },
  removed: { keyword: "removed-strong", comment: "removed-faint" },
};

const extensionOf = (line: string): string => /\.(\w+)$/.exec(line.trim())?.[1] ?? "";

/** Draws the lines of a diff, one after the other: which file a line belongs to is known from those before it. */
export const createDiffRows = (): ((line: string) => Row) => {
  let language = "";
  const highlight = (text: string): Row => {
    // A diff shows pieces: what one line leaves open says nothing of the next.
    const highlighter: Highlighter | undefined = createHighlighter(language);
    return highlighter?.line(text) ?? [span(text)];
  };
  return (line) => {
    const text = safeText(line);
    if (line.startsWith("+++ ") || line.startsWith("--- ")) {
      language = extensionOf(text) === "" ? language : extensionOf(text);
      return [span(text, "heading")];
    }
    if (line.startsWith("@@")) return [span(text, "heading")];
    const change = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : undefined;
    if (change === undefined) return highlight(text);
    const body = highlight(text.slice(1)).map((one): Span => span(one.text, (one.style && CHANGED[change][one.style]) ?? change));
    return [span(text.slice(0, 1), change), ...body];
  };
};

export const drawDiff = (diff: string, width: number): readonly Row[] => {
  const draw = createDiffRows();
  return diff.split("\n").flatMap((line) => wrapRow(draw(line), width, "  "));
};
