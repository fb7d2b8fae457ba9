/**
 * `npm run lanes`: the tests that depend on the machine, as on other machines: where nothing is installed, where the user is not root, and where there is more
 * than here. `npm run lanes -- bare more` plays these alone. A lane that this machine cannot play is named with the reason. Ends with 1 where a test fails.
 */
import path from "node:path";
import { abortOnSignal, endIfAborted } from "./abort-on-signal.ts";
import { LANES } from "./lanes/lane.ts";
import { runLane } from "./lanes/run-lane.ts";

const ROOT = path.dirname(import.meta.dirname);

const signal = abortOnSignal();
// What has to be in a sandbox elsewhere need not be here.
delete process.env["SANDBOX_REQUIRED"];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !LANES.some((lane) => lane.name === name));
if (unknown.length > 0) {
  console.error(`Unknown lane ${unknown.join(", ")}; there are ${LANES.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
const failed: string[] = [];
for (const lane of LANES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const missing = lane.missing();
  const title = `Lane ${lane.name} (${lane.what})`;
  console.log(missing === undefined ? `\n${title}.` : `\n${title}: not played here, since ${missing}.`);
  if (missing === undefined && !(await runLane({ root: ROOT, lane, signal }))) failed.push(lane.name);
  endIfAborted(signal);
}
for (const name of failed) console.log(`FAILED  lane ${name}`);
process.exitCode = failed.length === 0 ? 0 : 1;
