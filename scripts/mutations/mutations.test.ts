/** The planted changes as data: they fit the sources of today, and what is done with one of them tells a noticed fault from one that survives. */
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createTemporaryTree } from "../testing/temporary-tree.ts";
import type { Mutation } from "./mutation.ts";
import { countPlaces, plant } from "./mutation.ts";
import { MUTATIONS } from "./planted/index.ts";
import { tryMutation } from "./try-mutation.ts";

const ROOT = path.dirname(path.dirname(import.meta.dirname));

test("every planted change still applies exactly once, changes something, and names tests that exist", () => {
  const rotten = MUTATIONS.flatMap((mutation) => {
    const { name, file, before, after, tests } = mutation;
    const places = existsSync(path.join(ROOT, file)) ? countPlaces(readFileSync(path.join(ROOT, file), "utf8"), mutation) : 0;
    const missing = tests.filter((one) => !existsSync(path.join(ROOT, one)));
    return places === 1 && before !== after && missing.length === 0 ? [] : [{ name, places, missing }];
  });
  expect(rotten).toEqual([]);
});

test("there are at least 60 planted changes, each with a name of its own, over all ten areas", () => {
  const names = MUTATIONS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect([...new Set(names.map((name) => name.slice(0, name.indexOf("/"))))].toSorted()).toEqual([
    "allowance",
    "fold",
    "gate",
    "loop",
    "pacer",
    "purse",
    "redactor-stream",
    "stopwatch",
    "take-over",
    "write-queue",
  ]);
});

test("a text that is gone, or stands there twice, is not planted", () => {
  const mutation: Mutation = { name: "a/b", file: "a.ts", before: "one", after: "two", tests: [] };
  expect(plant("one", mutation)).toBe("two");
  expect(() => plant("none", { ...mutation, before: "missing" })).toThrow("stands 0 times in a.ts");
  expect(() => plant("one one", mutation)).toThrow("stands 2 times in a.ts");
});

test("a fault that a test fails on is noticed, one that none fails on survives, one that cannot be loaded says nothing; the file is as it was", async () => {
  const root = createTemporaryTree({
    "package.json": { type: "module" },
    "vitest.config.ts": "export default { test: {} };\n",
    "add.ts": "export const add = (a: number, b: number): number => a + b;\n",
    "add.test.ts":
      'import { expect, test } from "vitest";\nimport { add } from "./add.ts";\ntest("adds", () => expect(add(2, 2)).toBe(4));\n',
  });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(root, "node_modules"), "junction");
  const mutation: Mutation = { name: "add/wrong", file: "add.ts", before: "a + b", after: "a - b", tests: ["add.test.ts"] };
  const options = { root, signal: new AbortController().signal };
  expect(await tryMutation(mutation, options)).toEqual({ type: "noticed", by: "adds" });
  expect(await tryMutation({ ...mutation, after: "a * b" }, options)).toEqual({ type: "survived" });
  expect(await tryMutation({ ...mutation, after: "a +" }, options)).toMatchObject({ type: "broken" });
  expect(await tryMutation({ ...mutation, before: "a % b" }, options)).toMatchObject({ type: "broken" });
  expect(readFileSync(path.join(root, "add.ts"), "utf8")).toContain("a + b");
});
