/** Reads what the tool `overview` says. */
import type { Exchange } from "../conversation.ts";

export type Overview = {
  readonly languages: readonly { readonly name: string; readonly files: number; readonly lines: number }[];
  readonly largest: readonly { readonly path: string; readonly lines: number }[];
  readonly tests: readonly { readonly folder: string; readonly files: number }[];
  /** The line that sums the tests up. */
  readonly testsInAll: string;
  /** Files that begin something by their name. */
  readonly entryFiles: readonly string[];
  readonly files: number;
};

export const parseOverview = (exchanges: readonly Exchange[]): Overview => {
  const text = exchanges.find(({ tool, isError }) => tool === "overview" && !isError)?.text ?? "";
  const sections = new Map(
    text.split("\n\n").map((section) => {
      const [title = "", ...rows] = section.split("\n");
      return [/^(\w[\w ]*):/.exec(title)?.[1] ?? "", { title, rows: rows.map((row) => row.trim()) }] as const;
    }),
  );
  const rowsOf = (title: string): readonly string[] => sections.get(title)?.rows ?? [];
  const parse = <Row>(title: string, pattern: RegExp, toRow: (match: RegExpExecArray) => Row): readonly Row[] =>
    rowsOf(title).flatMap((row) => {
      const match = pattern.exec(row);
      return match ? [toRow(match)] : [];
    });
  return {
    languages: parse("Languages", /^(.+): (\d+) files?, (\d+) lines?$/, ([, name = "", files, lines]) => ({
      name,
      files: Number(files),
      lines: Number(lines),
    })),
    largest: parse("Largest files", /^(.+): (\d+) lines?$/, ([, path = "", lines]) => ({ path, lines: Number(lines) })),
    tests: parse("Tests", /^(.+): (\d+) files?$/, ([, folder = "", files]) => ({ folder, files: Number(files) })),
    testsInAll: sections.get("Tests")?.title.replace(/^Tests: /, "") ?? "",
    entryFiles: rowsOf("Entry points").flatMap((row) =>
      row.startsWith("files: ")
        ? row
            .slice(7)
            .replace(/, and \d+ more$/, "")
            .split(", ")
        : [],
    ),
    files: Number(/^.*: (\d+) files?/.exec(text)?.[1] ?? 0),
  };
};
