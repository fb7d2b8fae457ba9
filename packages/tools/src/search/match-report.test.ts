import { describe, expect, it } from "vitest";
import type { FoundLine, MatchReportOptions } from "./match-report.ts";
import { createMatchReport } from "./match-report.ts";

const report = (lines: readonly FoundLine[], options: Partial<MatchReportOptions> = {}): string => {
  const made = createMatchReport({ maxResults: 100, filesOnly: false, gaps: false, ...options });
  for (const line of lines) made.add(line);
  return made.toText((matches, files) => `${matches} in ${files}`);
};

const linesOf = (file: string, matches: number): readonly FoundLine[] =>
  Array.from({ length: matches }, (_, at) => ({ file, number: at + 1, offset: 0, isMatch: true, text: `${file} ${at}` }));

describe("a report of matches", () => {
  it("is the same in whatever order the files came, also where most of them are not shown", () => {
    const names = Array.from({ length: 3000 }, (_, at) => `folder${at % 7}/file${String(at).padStart(4, "0")}`);
    const inOrder = names.toSorted().flatMap((name) => linesOf(name, 3));
    const expected = report(inOrder, { maxResults: 10 });
    expect(expected).toMatch(/^\[9000 in 3000; showing the first 10\]\nfolder0\/file0000:\n/);
    for (const order of [names, names.toReversed(), names.toSorted((a, b) => a.slice(-2).localeCompare(b.slice(-2)))])
      expect(
        report(
          order.flatMap((name) => linesOf(name, 3)),
          { maxResults: 10 },
        ),
      ).toBe(expected);
  });

  it("has a folder come with all that is in it", () => {
    expect(report(["a.ts", "a/b.ts", "a-c.ts"].flatMap((name) => linesOf(name, 1)))).toMatch(
      /\na\/b\.ts:[^]*\na-c\.ts:[^]*\na\.ts:/,
    );
  });

  it("keeps of one file no more lines than are shown, and counts all", () => {
    expect(report([...linesOf("b", 50_000), ...linesOf("a", 1)], { maxResults: 2 })).toBe(
      "[50001 in 2; showing the first 2]\na:\n  1: a 0\n\nb:\n  1: b 0",
    );
  });
});
