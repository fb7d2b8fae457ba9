import { describe, expect, it } from "vitest";
import { OutputSpool } from "./output-spool.ts";

const spooled = (text: string, chunkBytes: number): ReturnType<OutputSpool["read"]> => {
  const spool = new OutputSpool({ memoryBytes: 16, headBytes: 40, tailBytes: 30 });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) spool.write(bytes.subarray(at, at + chunkBytes));
  try {
    return spool.read();
  } finally {
    spool.close();
  }
};

describe("an output spool", () => {
  it("gives back whole what fits, whatever the length and the chunks", () => {
    for (let length = 0; length <= 70; length += 1)
      for (const chunk of [1, 7, 100]) {
        const text = Array.from({ length }, (_, index) => index % 10).join("");
        expect(spooled(text, chunk)).toEqual({ head: text, tail: "", totalBytes: length, omittedBytes: 0 });
      }
  });

  it("keeps the first and the last bytes of what does not fit", () => {
    for (let length = 71; length <= 200; length += 1)
      for (const chunk of [1, 7, 100, 300]) {
        const text = Array.from({ length }, (_, index) => String.fromCodePoint(33 + (index % 90))).join("");
        expect(spooled(text, chunk)).toEqual({
          head: text.slice(0, 40),
          tail: text.slice(-30),
          totalBytes: length,
          omittedBytes: length - 70,
        });
      }
  });

  it("cuts between characters", () => {
    const { head, tail } = spooled("€".repeat(100), 11);
    expect(head).toBe("€".repeat(13));
    expect(tail).toBe("€".repeat(10));
    expect(spooled(`x${"€".repeat(99)}`, 11).tail).not.toContain("\uFFFD");
  });
});
