import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readPlainFields } from "./plain-fields.ts";

const valuesOf = (text: string): unknown => {
  const fields = readPlainFields(text);
  return fields && Object.fromEntries([...fields].map(([name, { value }]) => [name, value]));
};

describe("plain front matter", () => {
  test("gives words, constants, lists and maps with their lines", () => {
    const text =
      'name: code-review\ndescription: "Reviews: all of it"\ntools:\n  write: false\n  bash: ask\nskills:\n- a\n- b\nhidden: true';
    expect(valuesOf(text)).toEqual(parse(text));
    expect(readPlainFields(text)?.get("skills")).toMatchObject({
      line: 5,
      below: new Map([
        ["0", 6],
        ["1", 7],
      ]),
    });
    expect(readPlainFields(text)?.get("tools")?.below.get("bash")).toBe(4);
  });

  test.each([
    "description: Use this: now",
    "description: words # a comment",
    "description: |\n  text",
    "tools: [a, b]",
    "count: 3",
    "date: 2020-01-01",
    "empty:",
    "a: b\na: c",
    "a: True",
    "a: &x b",
    "a: *x",
    "a: b\n  c",
    "a:\n  b: c\n    d: e",
    "a:\n  - b: c",
    "a:\n  - b\n - c",
    '"a": b',
    "a: 'it''s'",
    'a: "\\n"',
    "a: b\n\nc: d",
    "# words\na: b",
    "a: b:",
    "a:b",
  ])("leaves %j to the parser", (text) => {
    expect(readPlainFields(text)).toBeUndefined();
  });

  test("gives for 20,000 random texts what the parser gives, or nothing", () => {
    const words = [
      "a",
      "bc",
      "true",
      "False",
      "null",
      "x y",
      "1",
      "- ",
      ": ",
      ":",
      " #",
      "#",
      '"',
      "'",
      "[",
      "]",
      "{",
      "}",
      ",",
      "  ",
      "&",
      "*",
      "!",
      "|",
      ">",
      "%",
      "@",
      "~",
      "é",
      "\t",
      "\\",
      "?",
      "=",
      ".",
      "---",
      "yes",
      "\u00A0",
      "\u2003",
    ];
    let seed = 7;
    const random = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
    const word = (): string => Array.from({ length: 1 + random(3) }, () => words[random(words.length)] ?? "").join("");
    let plain = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const lines = Array.from({ length: 1 + random(4) }, (_, at) => {
        const kind = random(6);
        if (kind === 0 && at > 0) return `  ${word()}: ${word()}`;
        if (kind === 1 && at > 0) return `${" ".repeat(random(3))}- ${word()}`;
        if (kind === 2) return `k${at}:`;
        return `k${at}: ${word()}`;
      });
      const text = lines.join("\n");
      const values = valuesOf(text);
      if (values === undefined) continue;
      plain += 1;
      expect(values, JSON.stringify(text)).toEqual(parse(text, { uniqueKeys: false, logLevel: "silent" }));
    }
    expect(plain).toBeGreaterThan(500);
  });
});
