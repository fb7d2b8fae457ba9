/** Research, then a plan, then the work, then a review, then what the review found: five runs below one, each with a context of its own. */
import assert from "node:assert/strict";
import { hasSandbox } from "../stage/has-sandbox.ts";
import { play } from "../stage/play.ts";
import { PLAN, script } from "./script.ts";

await using played = await play({
  example: import.meta.dirname,
  words: ["run", "Add JWT authentication to the API", "--approve", "all"],
  script,
});
const { main, events, requests, exitCode, run, denied } = played;
// Without a sandbox the reviewer may neither run git nor the tests unasked, and the exit code tells so.
assert.deepEqual(denied, (await hasSandbox()) ? [] : ["security-reviewer git_diff", "security-reviewer test"]);
assert.equal(exitCode, denied.length === 0 ? 0 : 3);
assert.deepEqual(
  main.below.map(({ agent, depth, result }) => [agent, depth, result.status]),
  [
    ["researcher", 1, "completed"],
    ["planner", 1, "completed"],
    ["executor", 1, "completed"],
    ["security-reviewer", 1, "completed"],
    ["executor", 1, "completed"],
  ],
);
const [researcher, planner, executor, reviewer, mender] = main.below;

// Who only looks has changed nothing; who works has changed what it says. Both are measured.
for (const reader of [researcher, planner, reviewer])
  assert.deepEqual([reader?.result.filesCreated, reader?.result.filesModified], [[], []]);
assert.deepEqual(executor?.result.filesCreated.toSorted(), ["src/jwt.js", "test/jwt.test.js"]);
assert.deepEqual(executor.result.filesModified, ["src/auth.js"]);
assert.deepEqual([executor.result.testsRun, executor.result.testsPassed], [5, 5]);
assert.deepEqual(mender?.result.filesModified.toSorted(), ["src/jwt.js", "test/jwt.test.js"]);
assert.deepEqual([mender.result.testsRun, mender.result.testsPassed], [6, 6]);
assert.deepEqual(main.result.unverified, []);

// The main agent never saw a line of what the others read: its conversation holds their summaries alone.
const asked = requests.filter(({ text }) => !text.includes("sub-agent (depth"));
assert.equal(asked.length, 6);
for (const { text } of asked) assert.ok(!text.includes("timingSafeEqual"), "code has come into the main agent's context");
const whole = events.filter(({ type, depth }) => type === "tool.settled" && depth === 1);
assert.ok(JSON.stringify(whole).includes("timingSafeEqual"), "the record has it all the same");

// The plan of 6,000 characters reached the main agent whole, to the letter, in the request that followed it.
assert.ok(PLAN.length >= 6_000, `${PLAN.length}`);
assert.equal(planner?.result.details, PLAN);
const reports = events.flatMap((event) =>
  event.type === "tool.settled" && event.depth === 0 ? event.content.map((part) => (part.type === "text" ? part.text : "")) : [],
);
const report = reports.map((text) => JSON.parse(text) as { agent?: string }).find(({ agent }) => agent === "planner");
assert.ok(JSON.stringify(report).includes(JSON.stringify(PLAN).slice(1, -1)), "the report holds another plan");
assert.ok(asked[2]?.text.includes("Step 12 of 12"), "the plan was cut");

// The project is in working order, and committed.
assert.match(await run(process.execPath, "--test", "--test-reporter=tap"), /^# pass 6$/m);
assert.deepEqual((await run("git", "log", "--format=%s")).trim().split("\n"), [
  "Tokens let users in, and expire",
  "the project as it was",
]);
assert.equal(await run("git", "status", "--short"), "");
