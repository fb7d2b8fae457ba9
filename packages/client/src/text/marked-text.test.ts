import { expect, test } from "vitest";
import { describeHidden, toMarkedText } from "./marked-text.ts";

test("N11: what moves or hides text becomes an escape of its own, and everything else stays as it is", () => {
  expect(toMarkedText("a\u202eb\n\tc é 汉\u{1f600}")).toEqual([
    { text: "a", isMark: false },
    { text: "\\u{202e}", isMark: true },
    { text: "b\n\tc é 汉\u{1f600}", isMark: false },
  ]);
});

test("an escape that somebody wrote out is no mark", () => {
  expect(toMarkedText("\\u{202e}")).toEqual([{ text: "\\u{202e}", isMark: false }]);
});

test("half of a pair is shown as what it is", () => {
  expect(toMarkedText("a\ud800b")).toEqual([
    { text: "a", isMark: false },
    { text: "\\u{d800}", isMark: true },
    { text: "b", isMark: false },
  ]);
});

test("N11: hidden characters are counted by kind, and visible text has none", () => {
  expect(describeHidden(["plain", "\u202e\u2066", "a\u200bb", "\u0007"])).toBe(
    "4 hidden characters (text direction, zero width, control)",
  );
  expect(describeHidden(["é 汉 مرحبا", "a\tb\n"])).toBeUndefined();
});
