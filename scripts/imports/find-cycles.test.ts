/** Every knot of imports is reported once, as a path that can be followed. */
import { expect, test } from "vitest";
import { findCycles } from "./find-cycles.ts";

const graphOf = (edges: Readonly<Record<string, readonly string[]>>): Map<string, Set<string>> =>
  new Map(Object.entries(edges).map(([file, targets]) => [file, new Set(targets)]));

test("a tree and a diamond have no cycle", () => {
  expect(findCycles(graphOf({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] }))).toEqual([]);
});

test("a file that imports itself is a cycle", () => {
  expect(findCycles(graphOf({ a: ["a"] }))).toEqual([["a", "a"]]);
});

test("a cycle is found behind files that are not part of it", () => {
  expect(findCycles(graphOf({ a: ["b"], b: ["c"], c: ["d"], d: ["b"] }))).toEqual([["b", "c", "d", "b"]]);
});

test("separate cycles are reported separately, each once", () => {
  expect(findCycles(graphOf({ a: ["b"], b: ["a", "c"], c: ["d"], d: ["c"] }))).toEqual([
    ["a", "b", "a"],
    ["c", "d", "c"],
  ]);
});
