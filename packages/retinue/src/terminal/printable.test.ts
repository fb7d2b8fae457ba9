import { describe, expect, test } from "vitest";
import { toJsonLine } from "./json-line.ts";
import { createPrintFilter, toPrintable } from "./printable.ts";
import { FORBIDDEN, SEQUENCES } from "./testing/terminal-attacks.ts";

describe("printing by allow-list", () => {
  test("the catalogue has 36 sequences", () => expect(SEQUENCES).toHaveLength(36));

  test.each(SEQUENCES)("%s %s is shown escaped", (_id, name, sequence, shown) => {
    for (const mode of ["prose", "line"] as const) {
      const printed = toPrintable(`<${sequence}>`, mode);
      expect(printed).not.toMatch(FORBIDDEN);
      if (name === "5,000 combining marks") {
        const most = mode === "prose" ? 8 : 4;
        expect(printed).toBe(`<a${"\u0301".repeat(most)}${"\\u{301}".repeat(5000 - most)}>`);
      } else expect(printed).toBe(`<${shown}>`);
    }
  });

  test.each(SEQUENCES)("F7 %s %s comes out the same wherever it is split", (_id, _name, sequence) => {
    const text = `<${sequence.slice(0, 60)}>`;
    for (const mode of ["prose", "line"] as const) {
      const whole = toPrintable(text, mode);
      for (let at = 0; at <= text.length; at += 1) {
        const filter = createPrintFilter(mode);
        expect(filter.push(text.slice(0, at)) + filter.push(text.slice(at)) + filter.end()).toBe(whole);
      }
      const filter = createPrintFilter(mode);
      const units = text.split("").map((unit) => filter.push(unit));
      expect(units.join("") + filter.end()).toBe(whole);
    }
  });

  test.each(SEQUENCES)("F6 %s %s stands escaped in a JSON line and reads back the same", (_id, _name, sequence) => {
    const line = toJsonLine({ [sequence]: sequence }, (text) => text);
    expect(line).not.toMatch(FORBIDDEN);
    expect(JSON.parse(line)).toEqual({ [sequence]: sequence });
  });

  test.each([
    ["ASCII with breaks and tabs", "a\tb\nc"],
    ["accents, composed and not", "é e\u0301"],
    ["Chinese, Japanese, Korean", "汉字 かな 한글"],
    ["Arabic and Hebrew letters", "مرحبا שלום"],
    ["Persian with its non-joiner", "می\u200cخواهم"],
    ["Devanagari with a joiner", "क्\u200dष"],
    ["emoji with joiner, tone and selector", "👩🏽\u200d💻 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 🇩🇪"],
    ["box drawing, arrows, mathematics", "─│└ → ∑ ≤"],
    ["a no-break space", "10\u00a0%"],
  ])("prose keeps %s, however it is split", (_name, text) => {
    expect(toPrintable(text, "prose")).toBe(text);
    for (let at = 0; at <= text.length; at += 1) {
      const filter = createPrintFilter("prose");
      expect(filter.push(text.slice(0, at)) + filter.push(text.slice(at)) + filter.end()).toBe(text);
    }
  });

  test.each([
    ["a line break", "a\nb", "a\\u{a}b"],
    ["a tab", "a\tb", "a\\u{9}b"],
    ["a no-break space", "rm\u00a0x", "rm\\u{a0}x"],
    ["a Braille blank", "rm\u2800x", "rm\\u{2800}x"],
    ["a Hangul filler", "rm\u3164x", "rm\\u{3164}x"],
    ["a joiner between emoji", "👩\u200d💻", "👩\\u{200d}💻"],
    ["a variation selector", "❤\ufe0f", "❤\\u{fe0f}"],
    ["a lone surrogate", "\ud800x", "\\u{d800}x"],
    ["a private character", "\ue000", "\\u{e000}"],
  ])("line escapes %s", (_name, text, shown) => expect(toPrintable(text, "line")).toBe(shown));

  test.each([
    ["CR LF becomes a line break", "a\r\nb", "a\nb"],
    ["a lone CR at the end is shown", "a\r", "a\\u{d}"],
    ["a joiner between letters is shown", "a\u200db", "a\\u{200d}b"],
    ["a joiner at the end is shown", "👩\u200d", "👩\\u{200d}"],
    ["a mark without a base is shown", "\n\u0301", "\n\\u{301}"],
    ["a second selector is shown", "❤\ufe0f\ufe0f", "❤\ufe0f\\u{fe0f}"],
    ["a line separator is shown", "a\u2028b", "a\\u{2028}b"],
    ["a lone surrogate is shown", "a\ud83d", "a\\u{d83d}"],
  ])("prose: %s", (_name, text, shown) => {
    expect(toPrintable(text, "prose")).toBe(shown);
    for (let at = 0; at <= text.length; at += 1) {
      const filter = createPrintFilter("prose");
      expect(filter.push(text.slice(0, at)) + filter.push(text.slice(at)) + filter.end()).toBe(shown);
    }
  });
});
