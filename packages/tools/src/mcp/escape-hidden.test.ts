import { describe, expect, it } from "vitest";
import { escapeHidden, hasHidden } from "./escape-hidden.ts";

const HIDDEN = [
  "\0",
  "\u0007",
  "\b",
  "\r",
  "\u001b",
  "\u007f",
  "\u0085",
  "\u009b",
  "\u00ad",
  "\u034f",
  "\u061c",
  "\u115f",
  "\u180e",
  "\u200b",
  "\u200d",
  "\u200f",
  "\u2028",
  "\u2029",
  "\u202e",
  "\u2060",
  "\u2066",
  "\u3164",
  "\ufeff",
  "\ufe0f",
  "\ufff9",
  "\ue000",
  "\ud800",
  "\u{e0001}",
  "\u{e0041}",
  "\u{e0100}",
  "\u{f0000}",
];

describe("hidden characters", () => {
  it.each(HIDDEN.map((character) => [(character.codePointAt(0) ?? 0).toString(16), character]))(
    "H3: U+%s is shown by its number",
    (code, character) => {
      expect(escapeHidden(`a${character}b`)).toBe(`a\\u{${code}}b`);
    },
  );

  it("what a reader sees stays as it is", () => {
    const text = "Line one\n\ttab, naïve, 日本語, Здравствуй, مرحبا, ⚠️ and 🎉 e\u0301";
    expect(escapeHidden(text)).toBe(text);
    expect(hasHidden(text)).toBe(false);
    expect(escapeHidden("a\r\nb")).toBe("a\nb");
  });
});
