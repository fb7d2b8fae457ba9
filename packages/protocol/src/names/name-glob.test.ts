import { expect, test } from "vitest";
import { matchesAny, matchesGlob } from "./name-glob.ts";

test.each([
  ["*", "", true],
  ["*", "abc", true],
  ["a*c", "abbbc", true],
  ["a*c", "abbb", false],
  ["*b*", "abc", true],
  ["a*b*c", "aXbYbZc", true],
  ["a*b", "ab!", false],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["?", "", false],
  ["abc", "abcd", false],
  ["a.c", "abc", false],
  ["git.*", "git.log", true],
  ["git.*", "github", false],
  ["**a", "bba", true],
  ["", "", true],
  ["", "a", false],
])("%j of %j: %s", (pattern, name, isMatch) => {
  expect(matchesGlob(pattern, name)).toBe(isMatch);
  expect(matchesAny(["nothing", pattern], name)).toBe(isMatch);
});

test("J4 ends where a regular expression would not", () => {
  expect(matchesGlob(`${"*a".repeat(5_000)}b`, "a".repeat(5_000))).toBe(false);
  expect(matchesGlob(`${"*a".repeat(1_000)}!`, "a".repeat(10_000))).toBe(false);
});
