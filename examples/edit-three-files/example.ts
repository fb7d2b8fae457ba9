/** An agent at work with its hands: it edits three files, runs the tests, mends what they show, and the result tells what was measured. */
import assert from "node:assert/strict";
import { play } from "../stage/play.ts";
import { script } from "./script.ts";

await using played = await play({
  example: import.meta.dirname,
  words: ["run", "Let all conversions be told to two digits, so that the tests pass", "--approve", "all"],
  script,
});
const { main, exitCode, run } = played;
assert.equal(exitCode, 0);
assert.equal(main.result.status, "completed");

// The tests failed, failed less, and passed.
const counts = main.calls.flatMap(({ tool, tests }) => (tool === "test" ? [tests] : []));
assert.deepEqual(counts, [
  { run: 3, passed: 0 },
  { run: 3, passed: 2 },
  { run: 3, passed: 3 },
]);

// The agent named two files in its last words. Measured are three, by the result and by git.
assert.deepEqual([...main.result.filesModified].toSorted(), ["src/length.js", "src/temperature.js", "src/weight.js"]);
assert.deepEqual(main.result.filesCreated, []);
assert.deepEqual((await run("git", "diff", "--name-only")).trim().split("\n"), [
  "src/length.js",
  "src/temperature.js",
  "src/weight.js",
]);
assert.match(await run(process.execPath, "--test", "--test-reporter=tap"), /^# pass 3$/m);
