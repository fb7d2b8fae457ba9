import { RetinueError } from "@retinue/protocol";
import { expect, test } from "vitest";
import { parseSince } from "./parse-since.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");

test.each([
  ["90m", "2026-11-15T10:30:00.000Z"],
  ["12h", "2026-11-15T00:00:00.000Z"],
  ["7d", "2026-11-08T12:00:00.000Z"],
  ["1.5d", "2026-11-14T00:00:00.000Z"],
  [" 2w ", "2026-11-01T12:00:00.000Z"],
  ["2026-11-01", "2026-11-01T00:00:00.000Z"],
  ["2026-11-01T10:00:00Z", "2026-11-01T10:00:00.000Z"],
])("%s is %s", (text, expected) => {
  expect(parseSince(text, "--since", NOW)).toBe(expected);
});

test.each(["", "7", "7 days", "-1d", "yesterday", "2026-13-01", "99999999999w"])("%j is no time", (text) => {
  expect(() => parseSince(text, "--since", NOW)).toThrow(RetinueError);
});
