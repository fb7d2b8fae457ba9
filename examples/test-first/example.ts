/** Test-driven development: one agent writes the tests and may write nothing else, another makes them pass, the first runs them again. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { hasSandbox } from "../stage/has-sandbox.ts";
import { play } from "../stage/play.ts";
import { script } from "./script.ts";

await using played = await play({
  example: import.meta.dirname,
  words: ["run", "Implement calculateDiscount(price, discountPercent) with tests", "--approve", "all"],
  script,
});
const { main, exitCode, run, workspace, denied } = played;
const isSandboxed = await hasSandbox();
// Without a sandbox the tester may not run the tests unasked, and the exit code tells so.
assert.deepEqual(denied, isSandboxed ? [] : ["tester test", "tester test"]);
assert.equal(exitCode, isSandboxed ? 0 : 3);
assert.equal(main.result.status, "completed");
assert.deepEqual(
  main.below.map(({ agent, depth }) => [agent, depth]),
  [
    ["tester", 1],
    ["executor", 1],
    ["tester", 1],
  ],
);
const [before, executor, after] = main.below;

// The project is built before its tests run. The tester may not write what is built: it is built in a copy that is thrown away.
// The tester wrote its tests, saw them fail, and was refused everything else. Where there is no sandbox, nothing keeps what it runs to the
// files that it may write, so that it may run nothing.
assert.deepEqual(before?.result.filesCreated, ["test/pricing.test.js"]);
assert.deepEqual(before.tools, ["read", "read", "write", isSandboxed ? "test" : "test: denied", "write: denied"]);
assert.equal(before.result.testsPassed, 0);

// The executor was given the tests, and nothing of what the main agent had said.
assert.match(executor?.task ?? "", /no discount leaves the price as it is/);
assert.deepEqual(executor?.result.filesCreated, ["src/pricing.js"]);
assert.deepEqual([executor.result.testsRun, executor.result.testsPassed], [7, 7]);
assert.deepEqual([after?.result.testsRun, after?.result.testsPassed], isSandboxed ? [7, 7] : [0, 0]);
assert.deepEqual(after?.result.filesModified, []);

// What is claimed is also true of the files.
assert.match(await readFile(path.join(workspace, "src/pricing.js"), "utf8"), /export const calculateDiscount/);
assert.match(await run(process.execPath, "--import", "./build.js", "--test", "--test-reporter=tap"), /^# pass 7$/m);
