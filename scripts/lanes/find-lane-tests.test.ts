import { expect, test } from "vitest";
import { createTemporaryTree } from "../testing/temporary-tree.ts";
import { findLaneTests } from "./find-lane-tests.ts";

test("tests that ask for the sandbox are run in every lane, long ones and all others are not", () => {
  const asks = 'import { probeSandbox } from "@retinue/confine";\n';
  const root = createTemporaryTree({
    "packages/a/src/asks.test.ts": asks,
    "packages/a/src/deep/asks.test.ts": asks,
    "packages/a/src/asks.long.test.ts": asks,
    "packages/a/src/asks.ts": asks,
    "packages/a/src/other.test.ts": "const probeSandboxes = 1;\n",
    "scripts/asks.test.ts": asks,
  });
  expect(findLaneTests(root)).toEqual([
    "packages/a/src/asks.test.ts",
    "packages/a/src/deep/asks.test.ts",
    "scripts/asks.test.ts",
  ]);
});
