/** The test files whose claims depend on the machine: on its sandbox, or on its browser. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

export type LaneTests = "sandbox" | "browser";

/** What a test says that asks for the sandbox (and asserts the refusal where there is none), or that has a browser opened. */
const ASKS: Readonly<Record<LaneTests, RegExp>> = {
  sandbox: /\bprobeSandbox\b/,
  browser: /\b(?:openTestBrowser|openChromium|findTestBrowser|findBrowser|servePages|startShop)\b|\bsigned-in\b/,
};

const TESTS = ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts"];

/** Files of tests that are named after neither, and used by tests. */
const SHARED = ["packages/*/src/**/testing/*.ts"];

/** Long ones are left out: without a sandbox there is nothing that they could attack. */
export const findLaneTests = (root: string, on: LaneTests = "sandbox"): readonly string[] => {
  const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
  const asks = (file: string): boolean => ASKS[on].test(read(file));
  const shared = new Set(
    globSync(SHARED, { cwd: root })
      .filter((file) => path.basename(file) !== "index.ts" && asks(file))
      .map((file) => path.resolve(root, file)),
  );
  const usesShared = (file: string): boolean =>
    [...read(file).matchAll(/from "(\.[^"]*\/testing\/[^"]+)"/g)].some(([, from = ""]) =>
      shared.has(path.resolve(root, path.dirname(file), from)),
    );
  return globSync(TESTS, { cwd: root })
    .filter((file) => !file.endsWith(".long.test.ts") && (asks(file) || usesShared(file)))
    .toSorted();
};
