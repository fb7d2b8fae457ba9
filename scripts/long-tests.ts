/**
 * Which tests are long: those with the tag `long`, by themselves or by the `@module-tag` of their file, which every file named `*.long.test.ts` has.
 * Every test is in either `npm test` or `npm run test:long`.
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

export const LONG_TAG = "long";

export const TEST_FILES = ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts"];
export const LONG_TEST_FILES = ["packages/*/src/**/*.long.test.ts", "scripts/**/*.long.test.ts"];

const HAS_TAG = /@module-tag long\b|\btags: \["long"\]/;

/** The files that hold a long test. */
export const findLongTests = (root: string): string[] =>
  globSync(TEST_FILES, { cwd: root })
    .filter((file) => isLongFile(file) || HAS_TAG.test(readFileSync(path.join(root, file), "utf8")))
    .toSorted();

/** A test file whose tests are all long. */
export const isLongFile = (file: string): boolean => file.endsWith(".long.test.ts");
