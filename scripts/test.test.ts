/** The test command as a whole, in a small checkout with the real test runner. */
import { cpSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { runNode } from "./run-node.ts";
import { createTemporaryTree } from "./testing/temporary-tree.ts";

const ROOT = path.dirname(import.meta.dirname);

const createCheckout = (tests: string): string => {
  const root = createTemporaryTree({
    "package.json": { type: "module" },
    "vitest.config.ts": 'export default { test: { include: ["*.test.ts"] } };\n',
    "a.test.ts": `import { expect, test } from "vitest";\n${tests}`,
  });
  cpSync(path.join(ROOT, "scripts"), path.join(root, "scripts"), { recursive: true });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(root, "node_modules"), "junction");
  return root;
};

const lastLineOf = (text: string): string | undefined => text.trimEnd().split("\n").at(-1);

test("a filtered run leaves the checks out, says so, and ends with the count", async () => {
  const root = createCheckout(
    'test("good", () => expect(1).toBe(1));\ntest("bad", () => expect(1).toBe(2));\ntest.skip("left", () => {});\n',
  );
  const ending = await runNode({ args: ["scripts/test.ts", "a.test.ts"], cwd: root, output: "captured" });
  expect(ending.output).toContain("the checks are left out");
  expect(lastLineOf(ending.output)).toBe("1 passed, 1 failed, 1 skipped");
  expect(ending.exitCode).toBe(1);
});

test("a filter that fits nothing is a failure", { tags: ["long"] }, async () => {
  const root = createCheckout('test("good", () => expect(1).toBe(1));\n');
  const ending = await runNode({ args: ["scripts/test.ts", "elsewhere"], cwd: root, output: "captured" });
  expect(lastLineOf(ending.output)).toBe("0 passed, 1 failed");
  expect(ending.exitCode).toBe(1);
});
