import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { applyEdits, HOLES } from "./holes.ts";

const ROOT = path.dirname(path.dirname(import.meta.dirname));

describe("the text that a hole takes away still stands in the product", () => {
  test.each(HOLES.map((hole) => [hole.name, hole] as const))("%s", (name, { edits }) => {
    for (const [file, changes] of Map.groupBy(edits, (edit) => edit.file)) {
      const text = readFileSync(path.join(ROOT, file), "utf8");
      expect(applyEdits(text, { name, changes })).not.toBe(text);
    }
  });
});

test("no two holes have the same name", () => {
  expect(new Set(HOLES.map(({ name }) => name)).size).toBe(HOLES.length);
});
