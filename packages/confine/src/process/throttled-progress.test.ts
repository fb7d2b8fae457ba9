import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createThrottledProgress } from "./throttled-progress.ts";

const collect = () => {
  const shown: string[] = [];
  return { shown, ...createThrottledProgress((text) => shown.push(text)) };
};

describe("progress that is throttled", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("hands on whole what came in a while, once", () => {
    const { shown, add, flush } = collect();
    for (const text of ["one\n", "two\n", "three\n"]) add(Buffer.from(text));
    expect(shown).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(shown).toEqual(["one\ntwo\nthree\n"]);
    add(Buffer.from("four\n"));
    flush();
    vi.advanceTimersByTime(1000);
    flush();
    expect(shown).toEqual(["one\ntwo\nthree\n", "four\n"]);
  });

  it("has a character wait for the rest of it, wherever it was cut", () => {
    const text = "aä€🙂b";
    const bytes = Buffer.from(text);
    for (let at = 0; at <= bytes.length; at += 1) {
      const { shown, add, flush } = collect();
      add(bytes.subarray(0, at));
      flush();
      add(bytes.subarray(at));
      flush();
      expect(shown.join("")).toBe(text);
    }
  });

  it("gives of a flood the latest, in whole characters, however it came", () => {
    const bytes = Buffer.from("€".repeat(20_000) + "end");
    for (const size of [1, 7, 1000, 15_999, 16_000, 16_001, 65_536]) {
      const { shown, add, flush } = collect();
      for (let at = 0; at < bytes.length; at += size) add(bytes.subarray(at, at + size));
      flush();
      expect(shown).toEqual([`…${"€".repeat(3997)}end`]);
    }
  });

  it("shows bytes that are no text as replacement characters", () => {
    const { shown, add, flush } = collect();
    add(Buffer.from([0x41, 0xff, 0xfe, 0x42]));
    flush();
    expect(shown).toEqual(["A\u{fffd}\u{fffd}B"]);
  });
});
