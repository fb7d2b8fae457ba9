import { expect, test } from "vitest";
import { cutToWidth, padToWidth, widthOf } from "./text-width.ts";

test.each([
  ["plain", 5],
  ["", 0],
  ["é", 1],
  ["e\u0301", 1],
  ["🤖", 2],
  ["🛠️", 2],
  ["👩‍💻", 2],
  ["漢字", 4],
  ["한글", 4],
  ["→ ├─", 4],
])("%j takes %i columns", (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test("a text that is too wide is cut between characters and says so", () => {
  expect(cutToWidth("abcdef", 6)).toBe("abcdef");
  expect(cutToWidth("abcdefg", 6)).toBe("abcde…");
  expect(cutToWidth("🤖🤖🤖", 4)).toBe("🤖…");
  expect(cutToWidth("👩‍💻👩‍💻", 3)).toBe("👩‍💻…");
  expect(cutToWidth("abc", 0)).toBe("");
});

test("padding counts columns, not characters", () => {
  expect(padToWidth("🤖", 4)).toBe("🤖  ");
  expect(padToWidth("7", 3, "right")).toBe("  7");
  expect(padToWidth("longer", 3)).toBe("longer");
});
