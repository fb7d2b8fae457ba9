/** No test is lost between the two commands. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findLongTests, findWhollyLongTests, LONG_TEST_FILES } from "./long-tests.ts";
import { createTemporaryTree } from "./testing/temporary-tree.ts";

const ROOT = path.dirname(import.meta.dirname);

/** In pieces: written out they would make these tests long ones. */
const WHOLE = ["//", "@module-tag", "long\n"].join(" ");
const TAGGED = ["tags:", '["long"]'].join(" ");

test("files with a long name and files with a test of that tag hold long tests, others do not", () => {
  const root = createTemporaryTree({
    "packages/a/src/whole.long.test.ts": "",
    "packages/a/src/tagged.test.ts": `test("x", { ${TAGGED} }, () => {});\n`,
    "packages/a/src/short.test.ts": 'test("x", () => {});\n',
    "packages/a/src/tagged.ts": `${TAGGED};\n`,
    "scripts/module.test.ts": WHOLE,
  });
  expect(findLongTests(root)).toEqual([
    "packages/a/src/tagged.test.ts",
    "packages/a/src/whole.long.test.ts",
    "scripts/module.test.ts",
  ]);
  expect(findWhollyLongTests(root)).toEqual(["packages/a/src/whole.long.test.ts", "scripts/module.test.ts"]);
});

test("every file with a long name begins with the tag by which the test runner knows it", () => {
  const untagged = globSync(LONG_TEST_FILES, { cwd: ROOT }).filter(
    (file) => !readFileSync(path.join(ROOT, file), "utf8").startsWith(WHOLE),
  );
  expect(untagged).toEqual([]);
});
