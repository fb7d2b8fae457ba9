import { describe, expect, test } from "vitest";
import { toJsonLine } from "./json-line.ts";
import { createPrintFilter, toPrintable } from "./printable.ts";

/** The 36 sequences of the safety catalogue, section F, by id. `shown` is what stands in their place. */
const SEQUENCES: readonly (readonly [id: string, name: string, sequence: string, shown: string])[] = [
  ["F1", "CSI clear screen", "\x1b[2J", "\\u{1b}[2J"],
  ["F1", "CSI cursor home", "\x1b[H", "\\u{1b}[H"],
  ["F1", "CSI cursor up", "\x1b[9A", "\\u{1b}[9A"],
  ["F1", "CSI erase line", "\x1b[2K", "\\u{1b}[2K"],
  ["F1", "alternate screen", "\x1b[?1049h", "\\u{1b}[?1049h"],
  ["F1", "RIS", "\x1bc", "\\u{1b}c"],
  ["F1", "hidden cursor", "\x1b[?25l", "\\u{1b}[?25l"],
  ["F1", "SGR colour", "\x1b[31m", "\\u{1b}[31m"],
  ["F1", "SGR conceal", "\x1b[8m", "\\u{1b}[8m"],
  ["F2", "OSC 52 clipboard", "\x1b]52;c;cm0gLXJmIC8=\x07", "\\u{1b}]52;c;cm0gLXJmIC8=\\u{7}"],
  ["F2", "OSC 8 hyperlink left open", "\x1b]8;;http://evil.example\x1b\\", "\\u{1b}]8;;http://evil.example\\u{1b}\\"],
  ["F2", "OSC 0 title", "\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}"],
  ["F2", "OSC 1337 file", "\x1b]1337;File=inline=1:AAAA\x07", "\\u{1b}]1337;File=inline=1:AAAA\\u{7}"],
  ["F2", "OSC 9 notification", "\x1b]9;hello\x07", "\\u{1b}]9;hello\\u{7}"],
  ["F2", "OSC 11 colour query", "\x1b]11;?\x1b\\", "\\u{1b}]11;?\\u{1b}\\"],
  ["F2", "unterminated OSC", "\x1b]2;swallows the rest", "\\u{1b}]2;swallows the rest"],
  ["F3", "DCS", "\x1bPq#0\x1b\\", "\\u{1b}Pq#0\\u{1b}\\"],
  ["F3", "APC", "\x1b_Gi=1\x1b\\", "\\u{1b}_Gi=1\\u{1b}\\"],
  ["F3", "PM", "\x1b^x\x1b\\", "\\u{1b}^x\\u{1b}\\"],
  ["F3", "SOS", "\x1bXx\x1b\\", "\\u{1b}Xx\\u{1b}\\"],
  ["F3", "C1 CSI", "\x9b2J", "\\u{9b}2J"],
  ["F3", "C1 OSC", "\x9d0;t\x9c", "\\u{9d}0;t\\u{9c}"],
  ["F3", "C1 DCS", "\x90q\x9c", "\\u{90}q\\u{9c}"],
  ["F3", "C1 next line", "\x85", "\\u{85}"],
  ["F3", "DECRQSS query", "\x1bP$qm\x1b\\", "\\u{1b}P$qm\\u{1b}\\"],
  ["F3", "DA query", "\x1b[c", "\\u{1b}[c"],
  ["F3", "DSR query", "\x1b[6n", "\\u{1b}[6n"],
  ["F3", "ENQ answerback", "\x05", "\\u{5}"],
  ["F4", "carriage return over a shown command", "rm -rf /\rls", "rm -rf /\\u{d}ls"],
  ["F4", "backspaces over a shown command", "rm\b\bls", "rm\\u{8}\\u{8}ls"],
  ["F4", "bracketed paste end", "\x1b[201~", "\\u{1b}[201~"],
  ["F5", "bidi override", "\u202egpj.exe", "\\u{202e}gpj.exe"],
  ["F5", "bidi isolate", "\u2066x\u2069", "\\u{2066}x\\u{2069}"],
  ["F5", "zero-width characters", "r\u200bm\u2060\ufeff", "r\\u{200b}m\\u{2060}\\u{feff}"],
  ["F5", "tag characters", "a\u{e0072}\u{e006d}", "a\\u{e0072}\\u{e006d}"],
  ["F5", "5,000 combining marks", `a${"\u0301".repeat(5000)}`, ""],
];

const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

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
