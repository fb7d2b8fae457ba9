import { expect, test } from "vitest";
import { createTemporaryTree } from "../testing/temporary-tree.ts";
import { findLaneTests } from "./find-lane-tests.ts";

test("tests that ask for the sandbox, or whose helpers do, are run in every lane, long ones and all others are not", () => {
  const asks = 'import { probeSandbox } from "@retinue/confine";\n';
  const root = createTemporaryTree({
    "packages/a/src/asks.test.ts": asks,
    "packages/a/src/deep/asks.test.ts": asks,
    "packages/a/src/asks.long.test.ts": asks,
    "packages/a/src/asks.ts": asks,
    "packages/a/src/other.test.ts": "const probeSandboxes = 1;\n",
    "packages/a/src/testing/helper.ts": asks,
    "packages/a/src/deep/helped.test.ts": 'import { help } from "../testing/helper.ts";\n',
    "scripts/asks.test.ts": asks,
  });
  expect(findLaneTests(root)).toEqual([
    "packages/a/src/asks.test.ts",
    "packages/a/src/deep/asks.test.ts",
    "packages/a/src/deep/helped.test.ts",
    "scripts/asks.test.ts",
  ]);
});

test("tests that open a browser are found for the lane of the browser", () => {
  const root = createTemporaryTree({
    "packages/a/src/opens.test.ts": "await openTestBrowser();\n",
    "packages/a/src/other.test.ts": "await open();\n",
  });
  expect(findLaneTests(root, "browser")).toEqual(["packages/a/src/opens.test.ts"]);
});
