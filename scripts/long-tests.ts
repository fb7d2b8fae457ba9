/**
 * Which tests are long: those with the tag `long`, by themselves or by the `@module-tag` of their file, which every file named `*.long.test.ts` has.
 * Every test is in either `npm test` or `npm run test:long`.
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

export const LONG_TAG = "long";

export const TEST_FILES = ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts"];
export const LONG_TEST_FILES = ["packages/*/src/**/*.long.test.ts", "scripts/**/*.long.test.ts"];

/** At the very beginning of a file: all of its tests are long. */
const WHOLE = "// @module-tag long\n";
const SINGLE = /\btags: \["long"\]/;

const findTests = (root: string, fits: (text: string, file: string) => boolean): string[] =>
  globSync(TEST_FILES, { cwd: root })
    .filter((file) => fits(readFileSync(path.join(root, file), "utf8"), file))
    .toSorted();

const isWhole = (text: string, file: string): boolean => isLongFile(file) || text.startsWith(WHOLE);

/** The files that hold a long test. */
export const findLongTests = (root: string): string[] =>
  findTests(root, (text, file) => isWhole(text, file) || SINGLE.test(text));

/** The files that hold no other, which need not even be loaded for the others. */
export const findWhollyLongTests = (root: string): string[] => findTests(root, isWhole);

/** A test file whose tests are all long. */
export const isLongFile = (file: string): boolean => file.endsWith(".long.test.ts");
