/** What the calls of a conversation have brought so far, whichever turn made them. */
import type { Exchange } from "./conversation.ts";
import type { FoundLine, ReadLine } from "./tool-output.ts";
import { parseGlob, parseGrep, parseRead } from "./tool-output.ts";

export type Excerpt = {
  readonly path: string;
  readonly lines: readonly ReadLine[];
  /** There is more below. */ readonly goesOn: boolean;
};

export type Findings = {
  readonly lines: readonly FoundLine[];
  readonly files: readonly { readonly path: string; readonly matches: number }[];
  /** From glob. */
  readonly paths: readonly string[];
  readonly excerpts: readonly Excerpt[];
  readonly listings: readonly string[];
  readonly failures: readonly string[];
  /** A search matched more than it showed. */
  readonly more: boolean;
};

export const toFindings = (exchanges: readonly Exchange[]): Findings => {
  const good = exchanges.filter((exchange) => !exchange.isError);
  const of = (tool: string): readonly Exchange[] => good.filter((exchange) => exchange.tool === tool);
  const greps = of("grep").map(({ text }) => parseGrep(text));
  return {
    lines: greps.flatMap((grep) => grep.lines),
    files: greps.flatMap((grep) => grep.files),
    paths: of("glob").flatMap(({ text }) => parseGlob(text)),
    excerpts: of("read").flatMap(({ input, text }) => {
      const lines = parseRead(text);
      return typeof input["path"] === "string" && lines.length > 0
        ? [{ path: input["path"], lines, goesOn: text.includes("; read on with offset ") }]
        : [];
    }),
    listings: of("ls").map(({ text }) => text),
    failures: exchanges.filter((exchange) => exchange.isError).map(({ tool, text }) => `${tool}: ${text.split("\n")[0] ?? ""}`),
    more: greps.some((grep) => grep.more),
  };
};
