/**
 * A row of the terminal as spans of text with a meaning, and the one gate through which rows become bytes: every text is made safe there, whoever wrote it,
 * and only the codes of styles that stand in this file are ever sent.
 */
import { toPrintable } from "../../terminal/printable.ts";
import { widthOf } from "../../terminal/text-width.ts";

const CODES = {
  dim: "2",
  bold: "1",
  emphasis: "3",
  heading: "1;36",
  code: "36",
  link: "4",
  user: "1;35",
  running: "94",
  waiting: "33",
  completed: "32",
  partial: "38;5;100",
  failed: "31",
  timeout: "38;5;208",
  cancelled: "90",
  added: "32",
  removed: "31",
  "added-strong": "1;32",
  "removed-strong": "1;31",
  "added-faint": "2;32",
  "removed-faint": "2;31",
  keyword: "35",
  string: "32",
  number: "36",
  comment: "2;3",
  inverse: "7",
} as const;

export type Style = keyof typeof CODES;
export type Span = { readonly text: string; readonly style?: Style };
export type Row = readonly Span[];

export type Colours = "none" | "16" | "256";

/** What the terminal can show; `NO_COLOR` asks for none. */
export const coloursOf = (env: NodeJS.ProcessEnv): Colours => {
  const { NO_COLOR, TERM = "", COLORTERM = "", WT_SESSION = "" } = env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return "none";
  return /256|kitty|ghostty|direct/.test(TERM) || COLORTERM !== "" || WT_SESSION !== "" ? "256" : "16";
};

const IN_16: Partial<Record<Style, string>> = { partial: "33;2", timeout: "91" };

export const span = (text: string, style?: Style): Span => (style === undefined ? { text } : { text, style });

export const row = (...parts: readonly (Span | string)[]): Row =>
  parts.map((part) => (typeof part === "string" ? { text: part } : part)).filter(({ text }) => text !== "");

/** What a span shows: on one line, nothing but what may be printed. */
export const safeText = (text: string): string => toPrintable(text, "prose").replaceAll("\t", "  ").replaceAll("\n", " ");

/** Names, paths and commands: nothing invisible may stand in them either. */
export const safeName = (text: string): string => toPrintable(text.replace(/[\t\n]/g, " "), "line");

export const rowWidth = (spans: Row): number => spans.reduce((sum, { text }) => sum + widthOf(text), 0);

export const rowText = (spans: Row): string => spans.map(({ text }) => text).join("");

export const encodeRow = (spans: Row, colours: Colours): string =>
  spans
    .map(({ text, style }) => {
      const safe = safeText(text);
      if (style === undefined || colours === "none") return safe;
      const code = (colours === "16" ? IN_16[style] : undefined) ?? CODES[style];
      return `\u001b[${code}m${safe}\u001b[0m`;
    })
    .join("");
