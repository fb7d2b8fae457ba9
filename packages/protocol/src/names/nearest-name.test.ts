import { expect, test } from "vitest";
import { closestWord, editDistance, misspeltName, nearestName, nearestNames } from "./nearest-name.ts";

const NAMES = ["openai", "openrouter", "ollama", "anthropic", "cheap"];

test.each([
  ["opnai", "openai"],
  ["OpenAI", "openai"],
  ["oepnai", "openai"],
  ["olama", "ollama"],
  ["antropic", "anthropic"],
  ["chaep", "cheap"],
])("%s is near to %s", (name, expected) => {
  expect(nearestName(name, NAMES)).toBe(expected);
});

test.each(["", "gpt-4o", "zzzzzz", "mistral"])("%j is near to none", (name) => {
  expect(nearestName(name, NAMES)).toBeUndefined();
});

test("a name of any length is answered at once", () => {
  expect(nearestName("x".repeat(10_000), ["x".repeat(9_999)])).toBeUndefined();
  expect(closestWord("x".repeat(10_000), ["model"])).toBeUndefined();
});

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

test("a word is close to a known one whatever its case, dashes and underscores", () => {
  expect(closestWord("MAX_DEPTH", ["model", "maxDepth", "maxConcurrent"])).toBe("maxDepth");
});

test("a misspelt name is found only where no other is nearly as near", () => {
  expect(misspeltName("excutor", ["executor", "reviewer"])).toBe("executor");
  expect(misspeltName("tester1", ["tester2", "tester3"])).toBeUndefined();
  expect(misspeltName("writer", ["executor", "reviewer"])).toBeUndefined();
});

test("the nearest names come first", () => {
  expect(nearestNames("read_fil", ["grep", "read_file", "read", "write_file"], 2)).toEqual(["read_file", "read"]);
  expect(nearestNames("x".repeat(10_000), ["read"])).toEqual([]);
});
