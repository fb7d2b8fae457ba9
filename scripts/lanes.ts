/**
 * `npm run lanes`: the tests that depend on the machine, as on other machines: where bubblewrap and strace were never installed, and where the user is
 * not root. Only test files that ask for the sandbox are run again, and the examples; all others do the same everywhere. A lane that this machine
 * cannot play is named with the reason. Ends with 1 where a test fails.
 */
import path from "node:path";
import { abortOnSignal, endIfAborted } from "./abort-on-signal.ts";
import { findLaneTests } from "./lanes/find-lane-tests.ts";
import { LANES } from "./lanes/lane.ts";
import { runLane } from "./lanes/run-lane.ts";

const ROOT = path.dirname(import.meta.dirname);

const signal = abortOnSignal();
// What has to be in a sandbox elsewhere need not be here.
delete process.env["SANDBOX_REQUIRED"];
const commands = [
  ["scripts/sandbox-lane.ts"],
  ["node_modules/vitest/vitest.mjs", "run", "--allowOnly=false", ...findLaneTests(ROOT)],
  ["scripts/run-examples.ts"],
];
const failed: string[] = [];
for (const lane of LANES) {
  const missing = lane.missing();
  console.log(missing === undefined ? `\nLane ${lane.name}.` : `\nLane ${lane.name}: not played here, since ${missing}.`);
  if (missing === undefined && !(await runLane({ root: ROOT, lane, commands, signal }))) failed.push(lane.name);
  endIfAborted(signal);
}
for (const name of failed) console.log(`FAILED  lane ${name}`);
process.exitCode = failed.length === 0 ? 0 : 1;
