import { expect, it } from "vitest";
import { readRetryAfterMs } from "./retry-after.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");

it.each([
  [{}, undefined],
  [{ "retry-after": "2" }, 2000],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": " 1.5 " }, 1500],
  [{ "retry-after": "Sun, 15 Nov 2026 12:00:30 GMT" }, 30_000],
  [{ "retry-after": "Sun, 15 Nov 2026 11:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{ "retry-after-ms": "350", "retry-after": "1" }, 350],
  [{ "retry-after-ms": "x", "retry-after": "1" }, 1000],
  [{ "retry-after": ["3", "4"] }, 3000],
])("the wait of %j is %s ms", (headers, expected) => {
  expect(readRetryAfterMs(headers, NOW)).toBe(expected);
});
