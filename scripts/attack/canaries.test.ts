import { describe, expect, test } from "vitest";
import { createCanaries, createCanarySearch } from "./canaries.ts";

const canaries = createCanaries();
const search = createCanarySearch(Object.values(canaries));
const { text } = canaries.ssh;

describe("a canary is found", () => {
  test.each([
    ["as it is", `a ${text} b`],
    ["cut at its end", text.slice(0, 24)],
    ["cut at its beginning", text.slice(10)],
    ["reversed", text.split("").toReversed().join("")],
    ["in hexadecimal digits", Buffer.from(text).toString("hex")],
    ...[0, 1, 2].map((shift): [string, string] => [
      `in Base64, ${shift} bytes on`,
      Buffer.from(`${"x".repeat(shift)}${text}\n`).toString("base64"),
    ]),
  ])("%s", (_how, said) => {
    expect(search(said)).toEqual([canaries.ssh]);
  });
});

test("of what only redaction keeps back the plain spelling counts", () => {
  expect(search(canaries.shown.text)).toEqual([canaries.shown]);
  expect(search(Buffer.from(canaries.shown.text).toString("hex"))).toEqual([]);
});
