/**
 * The tables of the five design documents, item by item, against real requests and rows. Each item quotes its line; where the documents lie beside the
 * repository, the quotes are compared with them.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { S0 } from "./testing/s0.ts";
import { S1 } from "./testing/s1.ts";
import { S2 } from "./testing/s2.ts";
import { S3 } from "./testing/s3.ts";
import { S4 } from "./testing/s4.ts";
import type { SeedBench } from "./testing/seed-bench.ts";
import { openSeedBench } from "./testing/seed-bench.ts";
import type { Seed } from "./testing/seed-item.ts";

const SEEDS: readonly Seed[] = [S0, S1, S2, S3, S4];

let bench: SeedBench;
beforeAll(async () => void (bench = await openSeedBench()));
afterAll(() => bench.close());

const ROOT = path.resolve(import.meta.dirname, "../../../..");
const DOCUMENTS = ["../shared", "../../shared"]
  .map((folder) => path.resolve(ROOT, folder))
  .find((folder) => existsSync(path.join(folder, "seeds")));

for (const { id, items } of SEEDS)
  describe(id, () => {
    for (const [index, { line, words, asserts, check, decided }] of items.entries()) {
      const title = `${id}.${index + 1} line ${line} "${words}": ${asserts}${decided === undefined ? "" : ` (decided: ${decided})`}`;
      test(title, async () => check(bench));
    }
  });

test("there are at least 200 items, none twice", () => {
  const all = SEEDS.flatMap(({ id, items }) => items.map(({ line, words, asserts }) => `${id} ${line} ${words} ${asserts}`));
  expect(all.length).toBeGreaterThanOrEqual(200);
  expect(all.filter((one, index) => all.indexOf(one) !== index)).toEqual([]);
});

describe(DOCUMENTS === undefined ? "without the documents beside the repository, quotes are not compared" : "quotes", () => {
  for (const { id, items } of SEEDS)
    test(`of ${id} stand in the document at their lines`, () => {
      if (DOCUMENTS === undefined) return expect(items.length).toBeGreaterThan(0);
      const [file = ""] = globSync(`00${id.slice(1)}_*.txt`, { cwd: path.join(DOCUMENTS, "seeds") });
      const lines = readFileSync(path.join(DOCUMENTS, "seeds", file), "utf8").split(/\r?\n/);
      const specification = readFileSync(path.join(DOCUMENTS, "SPEC.md"), "utf8");
      expect(
        items
          .filter(({ line, words }) => !lines[line - 1]?.includes(words))
          .map(({ line, words }) => ({ line, words, stands: lines[line - 1] })),
      ).toEqual([]);
      expect(items.flatMap(({ decided }) => (decided === undefined || specification.includes(decided) ? [] : [decided]))).toEqual(
        [],
      );
    });
});
