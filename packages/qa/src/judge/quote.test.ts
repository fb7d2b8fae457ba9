import { describe, expect, test } from "vitest";
import { cutQuote, findWords } from "./quote.ts";

describe("words in what was recorded", () => {
  test.each([
    ["Total: € 12.50", "total: € 12.50"],
    ["Order\n   was placed", "order was placed"],
    [String.raw`- heading "Say \"hello\""`, 'Say "hello"'],
    ["a.b*c", "a.b*c"],
    ["GRÜSSE", "grüsse"],
  ])("of %j are found by %j", (text, words) => {
    expect(findWords(text, words)).toBeGreaterThanOrEqual(0);
  });

  test.each([
    ["axb", "a.b"],
    ["Order was placed", "order is placed"],
    ["", "x"],
  ])("of %j are not found by %j", (text, words) => {
    expect(findWords(text, words)).toBe(-1);
  });
});

describe("a quote", () => {
  const long = (words: string, at: number): string => `${"a".repeat(at)}${words}${"z".repeat(5_000 - at)}`;

  test.each([0, 10, 300, 2_500, 4_700, 5_000])("of a long text shows the words at %i, in at most 600 characters", (at) => {
    const quote = cutQuote(long("It was saved.", at), "it was saved.");
    expect(quote).toContain("It was saved.");
    expect(quote.length).toBeLessThanOrEqual(600);
    expect(cutQuote(quote)).toBe(quote);
  });

  test("without words shows the beginning and the end; a short text is whole", () => {
    const quote = cutQuote(long("middle", 2_500));
    expect([quote.startsWith("a"), quote.includes("…"), quote.endsWith("z"), quote.length <= 600]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(cutQuote("short", "other")).toBe("short");
  });
});
