import { describe, expect, it } from "vitest";
import { createSseReader, EVENT_CHARS } from "./sse-reader.ts";

const read = (text: string | Buffer, size = Number.MAX_SAFE_INTEGER) => {
  const bytes = Buffer.from(text);
  const events: [string, string][] = [];
  const reader = createSseReader<never>((name, data) => void events.push([name, data]));
  for (let at = 0; at < bytes.length; at += size) {
    const stop = reader.push(bytes.subarray(at, at + size));
    if (stop) return { events, stop, rest: reader.rest() };
  }
  return { events, stop: undefined, rest: reader.rest() };
};

const STREAM =
  ': hello\r\n\nevent: a\ndata: {"text":"größe 🎉 日本"}\n\ndata:no space\r\n\r\nid: 7\nretry: 10\ndata: one\ndata: two\n\n\n\nevent: b\n\ndata: last\n\n';

describe("the SSE reader", () => {
  it("reads names, data of many lines, comments, CRLF and LF", () => {
    const { events, stop } = read(STREAM);
    expect(stop).toBeUndefined();
    expect(events).toEqual([
      ["a", '{"text":"größe 🎉 日本"}'],
      ["", "no space"],
      ["", "one\ntwo"],
      ["", "last"],
    ]);
  });

  it("reads the same however the bytes are cut", () => {
    const whole = read(STREAM).events;
    for (let size = 1; size < 40; size++) expect(read(STREAM, size).events).toEqual(whole);
  });

  it("skips a byte order mark at the start only", () => {
    expect(read("\ufeffdata: x\n\n").events).toEqual([["", "x"]]);
    expect(read("data: a\n\n\ufeffdata: x\n\n").stop).toMatchObject({ type: "garbage" });
  });

  it("takes a line that is no field for garbage", () => {
    for (const line of ["<!doctype html>", '{"id":1}', "date: x", "data", "%%%"]) {
      const { stop } = read(`data: fine\n\n${line}\ndata: more\n\n`);
      expect(stop).toEqual({ type: "garbage", quote: line });
    }
  });

  it("keeps an event without its blank line to itself", () => {
    const { events, rest } = read("data: a\n\ndata: b");
    expect(events).toEqual([["", "a"]]);
    expect(rest).toBe("data: b");
    expect(read("data: a\n").events).toEqual([]);
  });

  it("stops at an event that is too large, in one line or in many", () => {
    const piece = Buffer.alloc(1024 * 1024, "x");
    for (const between of ["", "\ndata: "]) {
      const reader = createSseReader<never>(() => undefined);
      reader.push(Buffer.from("data: "));
      let pushed = 0;
      let stop: unknown;
      while (stop === undefined && pushed < 64) {
        stop = reader.push(piece) ?? (between === "" ? undefined : reader.push(Buffer.from(between)));
        pushed++;
      }
      expect(stop).toEqual({ type: "too-large" });
      expect(pushed).toBe(EVENT_CHARS / piece.length);
    }
  });

  it("stops where its consumer says so", () => {
    const seen: string[] = [];
    const reader = createSseReader((_, data) => {
      seen.push(data);
      return data === "b" ? "enough" : undefined;
    });
    expect(reader.push(Buffer.from("data: a\n\ndata: b\n\ndata: c\n\n"))).toBe("enough");
    expect(seen).toEqual(["a", "b"]);
  });
});
