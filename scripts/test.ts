/**
 * `npm test`: every check, then every test; the last line is `N passed, N failed`. With arguments they go to the test runner
 * as a filter, and the checks are left out.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { abortOnSignal, endIfAborted } from "./abort-on-signal.ts";
import { runNode } from "./run-node.ts";
import { ALL_CHECKS, type CheckResult, runChecks } from "./checks.ts";
import { toTestOutcome, toVitestReport, type VitestEnding } from "./test-outcome.ts";

/** Full names of tests that may be skipped on some machines, each with its reason beside it. */
const ALLOWED_SKIPS: readonly string[] = [];

const ROOT = path.dirname(import.meta.dirname);

const readReport = (file: string): VitestEnding["report"] => {
  try {
    return toVitestReport(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
};

const runVitest = async (args: readonly string[], signal: AbortSignal): Promise<VitestEnding> => {
  const folder = mkdtempSync(path.join(tmpdir(), "retinue-report-"));
  const file = path.join(folder, "vitest.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const { exitCode } = await runNode({
      args: ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...args],
      cwd: ROOT,
      output: "shown",
      signal,
    });
    return { exitCode, report: readReport(file) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Tells which lane the tests of the sandbox take, and whether that is as good as what is required. */
const checkLane = async (signal: AbortSignal): Promise<CheckResult> => {
  const { exitCode } = await runNode({ args: ["scripts/sandbox-lane.ts"], cwd: ROOT, output: "shown", signal });
  return { name: "sandbox lane", passed: exitCode === 0 };
};

const filter = process.argv.slice(2);
const filtered = filter.length > 0;
const signal = abortOnSignal();
let checks: CheckResult[] = [];
if (filtered) {
  console.log("Only the tests that fit the filter are run; the checks are left out.");
} else {
  checks = await runChecks({ root: ROOT, checks: ALL_CHECKS, report: (text) => console.log(text), signal });
  endIfAborted(signal);
}
const lane = await checkLane(signal);
if (!filtered || !lane.passed) checks.push(lane);
endIfAborted(signal);
const vitest = await runVitest(filtered ? filter : ["--allowOnly=false"], signal);
endIfAborted(signal);
const { problems, shaky, line, exitCode } = toTestOutcome({ checks, vitest, allowedSkips: filtered ? "all" : ALLOWED_SKIPS });
for (const problem of problems) console.log(`FAILED  ${problem}`);
for (const name of shaky) console.log(`SHAKY   "${name}" failed first and passed when it was tried again`);
console.log(line);
process.exitCode = exitCode;
