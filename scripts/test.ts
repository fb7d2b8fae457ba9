/**
 * `npm test`: every check, and every test that is not one of the long ones; the last line is `N passed, N failed`. With arguments they go to the
 * test runner as a filter, which the long ones may fit too, and the checks are left out.
 */
import path from "node:path";
import { abortOnSignal, endIfAborted } from "./abort-on-signal.ts";
import { runNode } from "./run-node.ts";
import { ALL_CHECKS, type CheckResult, runChecks } from "./checks.ts";
import { runVitest } from "./run-vitest.ts";
import { toTestOutcome } from "./test-outcome.ts";

/** Full names of tests that may be skipped on some machines, each with its reason beside it. */
const ALLOWED_SKIPS: readonly string[] = [];

const ROOT = path.dirname(import.meta.dirname);

/** Tells which lane the tests of the sandbox take, whether that is as good as what is required, and which browser the tests find. */
const checkLane = async (signal: AbortSignal): Promise<CheckResult> => {
  const { exitCode } = await runNode({ args: ["scripts/sandbox-lane.ts"], cwd: ROOT, output: "shown", signal });
  await runNode({ args: ["scripts/browser-lane.ts"], cwd: ROOT, output: "shown", signal });
  return { name: "sandbox lane", passed: exitCode === 0 };
};

const filter = process.argv.slice(2);
const filtered = filter.length > 0;
const signal = abortOnSignal();
if (filtered) console.log("Only the tests that fit the filter are run; the checks are left out.");
const lane = await checkLane(signal);
endIfAborted(signal);
// One check after the other beside the tests: many of these wait for what they started.
const [made, vitest] = await Promise.all([
  filtered ? [] : runChecks({ root: ROOT, checks: ALL_CHECKS, atOnce: 1, report: (text) => console.log(text), signal }),
  runVitest({
    root: ROOT,
    tests: filtered ? "all" : "short",
    args: filtered ? filter : ["--allowOnly=false"],
    temporary: "memory",
    signal,
  }),
]);
endIfAborted(signal);
const checks = filtered && lane.passed ? made : [...made, lane];
const { problems, shaky, line, exitCode } = toTestOutcome({
  checks,
  vitest,
  ...(filtered ? { allowedSkips: "all" } : { allowedSkips: ALLOWED_SKIPS, tests: "short" }),
});
for (const problem of problems) console.log(`FAILED  ${problem}`);
for (const name of shaky) console.log(`SHAKY   "${name}" failed first and passed when it was tried again`);
console.log(line);
process.exitCode = exitCode;
