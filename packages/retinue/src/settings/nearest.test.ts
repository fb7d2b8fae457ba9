import { expect, test } from "vitest";
import { editDistance, nearest } from "./nearest.ts";

test.each([
  ["", "", 0],
  ["abc", "", 3],
  ["kitten", "sitting", 3],
  ["modle", "model", 1],
  ["same", "same", 0],
])("from %j to %j it is %i", (one, other, distance) => {
  expect(editDistance(one, other)).toBe(distance);
  expect(editDistance(other, one)).toBe(distance);
});

test("case, dashes and underscores do not count", () => {
  expect(nearest("MAX_DEPTH", ["model", "maxDepth", "maxConcurrent"])).toBe("maxDepth");
});

test("a word longer than any name has no nearest one", () => expect(nearest("x".repeat(10_000), ["model"])).toBeUndefined());
