import { expect, it } from "vitest";
import { toGlobMatcher } from "./glob-pattern.ts";

it.each([
  ["**", "a/b/c", true],
  ["**/c", "c", true],
  ["a/**/c", "a/c", true],
  ["a/**/c", "a/x/y/c", true],
  ["a/**/c", "b/a/c", false],
  ["a/*", "a/b/c", false],
  ["*", "a/b/c", true],
  ["./src/*", "src/a", true],
  ["/src/*", "src/a", true],
  ["[a-c]x", "bx", true],
  ["[!a-c]x", "bx", false],
  ["[^a-c]x", "dx", true],
  ["[]", "[]", true],
  ["a{b,c{d,e}}f", "acef", true],
  ["a{b,c{d,e}}f", "acf", false],
  ["a{b", "a{b", true],
  ["!*.md", "a.ts", true],
  ["!*.md", "d/a.md", false],
  ["*.d.ts", "a.b.d.ts", true],
  ["**/test/**", "a/test", true],
  ["?", "é", true],
  ["?", "😀", true],
  ["a.b", "axb", false],
])("%s on %s is %s", (pattern, path, expected) => {
  expect(toGlobMatcher(pattern)(path)).toBe(expected);
});
