/** The test files whose claims depend on the machine: they ask for its sandbox, and assert the refusal where there is none. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const ASKS = /\bprobeSandbox\b/;

/** Long ones are left out: without a sandbox there is nothing that they could attack. */
export const findLaneTests = (root: string): readonly string[] =>
  globSync(["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts"], { cwd: root })
    .filter((file) => !file.endsWith(".long.test.ts") && ASKS.test(readFileSync(path.join(root, file), "utf8")))
    .toSorted();
