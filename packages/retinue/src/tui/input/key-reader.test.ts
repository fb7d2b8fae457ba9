import { expect, test, vi } from "vitest";
import { createKeyReader, type Key } from "./key-reader.ts";

const read = (chunks: readonly string[], gapMs = 0): readonly Key[] => {
  vi.useFakeTimers();
  try {
    const keys: Key[] = [];
    const reader = createKeyReader({
      onKey: (key) => void keys.push(key),
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    });
    for (const chunk of chunks) {
      reader.push(chunk);
      vi.advanceTimersByTime(gapMs);
    }
    vi.advanceTimersByTime(1000);
    return keys;
  } finally {
    vi.useRealTimers();
  }
};

const named = (keys: readonly Key[]): readonly string[] =>
  keys.map((key) => (key.type === "key" ? key.name : `${key.type}:${"text" in key ? key.text : key.hasFocus}`));

test("arrows, modifiers, focus and a lone ESC are told apart, also cut in two", () => {
  const sent = "\u001b[A\u001b[1;5C\u001b\r\u001b[I\u001b[O\u001b[13;2u\u001b";
  const expected = ["up", "word-right", "alt-enter", "focus:true", "focus:false", "newline", "esc"];
  expect(named(read([sent]))).toEqual(expected);
  for (let at = 1; at < sent.length; at += 1) expect(named(read([sent.slice(0, at), sent.slice(at)]))).toEqual(expected);
});

test("a paste in brackets is one text wherever it is cut, and keys in it are text", () => {
  const sent = "\u001b[200~one\r\ntwo\u0003\u001b[A\rthree\u001b[201~";
  for (let at = 0; at <= sent.length; at += 1)
    expect(read([sent.slice(0, at), sent.slice(at)])).toEqual([{ type: "paste", text: "one\ntwo\u0003\u001b[A\nthree" }]);
});

test("an Enter at the end of a burst sends; one that is followed by more is a line break", () => {
  expect(named(read(["hello\r"]))).toEqual(["text:hello", "enter"]);
  const pasted = read(["first line\rsecond line\rthird\r"]);
  expect(pasted.map((key) => ("text" in key ? key.text : "")).join("")).toBe("first line\nsecond line\nthird\n");
  expect(named(pasted)).not.toContain("enter");
});

test("keys that fingers type are never taken for a paste", () => {
  expect(named(read("abc\rdef\r".split(""), 30))).toEqual([
    "text:a",
    "text:b",
    "text:c",
    "enter",
    "text:d",
    "text:e",
    "text:f",
    "enter",
  ]);
});

test("sequences that are not known are no text", () => {
  expect(read(["\u001b[?62;4c", "\u001b[99;99u", "x"])).toEqual([{ type: "text", text: "x" }]);
});
