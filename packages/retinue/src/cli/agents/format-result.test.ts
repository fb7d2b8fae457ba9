import type { RunResult } from "@retinue/protocol";
import { expect, test } from "vitest";
import { formatResult } from "./format-result.ts";

const said = (summary: string, details: string): string => {
  const lists = { filesCreated: [], filesModified: [], findings: [], warnings: [], unverified: [], suggestions: [], testsRun: 0 };
  return formatResult({ summary, details, ...lists } as unknown as RunResult, (text) => text);
};

test.each([
  ["below a heading", "found 3 places", "## Summary\nfound 3 places\n"],
  ["with other line breaks, and cut", "found 3 places in …", "# Result\n\nfound 3\nplaces in the cart"],
  ["from its beginning", "found 3", "found 3 places"],
])("an answer that holds its summary %s is printed once", (_, summary, details) => {
  expect(said(summary, details)).toBe(`${details.trim()}\n`);
});

test("a summary that the answer does not hold stands above it", () => {
  expect(said("in short", "at length")).toBe("in short\n\nat length\n");
});
