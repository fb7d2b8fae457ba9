/** Turns what the checks and the test runner found into the closing line and the exit code of the test command. */
import type { CheckResult } from "./checks.ts";
import { isLongFile, LONG_TAG } from "./long-tests.ts";

type Assertion = {
  readonly fullName: string;
  readonly status: string;
  readonly tags?: readonly string[];
  readonly failureMessages?: readonly string[];
};

export type VitestReport = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly Assertion[];
  }[];
};

export type VitestEnding = {
  /** `undefined` when there is none, or none that can be read. */
  readonly report: VitestReport | undefined;
  readonly exitCode: number | null;
};

export type TestOutcome = {
  /** Tests that failed first and passed when they were tried again. */
  readonly shaky: readonly string[];
  /** What failed without a failing test or check of its own. */
  readonly problems: readonly string[];
  readonly line: string;
  readonly exitCode: 0 | 1;
};

export type OutcomeOptions = {
  readonly checks: readonly CheckResult[];
  /** `undefined` when no tests were asked for. */
  readonly vitest: VitestEnding | undefined;
  /** Full names of tests that may be skipped; `"all"` when a filter was given, because the runner skips what it leaves out. */
  readonly allowedSkips: readonly string[] | "all";
  /** Which tests were asked for; the others of the same files are left to the other command. All, unless told. */
  readonly tests?: "short" | "long" | "all";
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const isAssertion = (value: unknown): value is Assertion =>
  isRecord(value) && typeof value["fullName"] === "string" && typeof value["status"] === "string";

const isReport = (value: unknown): value is VitestReport =>
  isRecord(value) &&
  Array.isArray(value["testResults"]) &&
  value["testResults"].every(
    (file: unknown) =>
      isRecord(file) &&
      typeof file["name"] === "string" &&
      typeof file["status"] === "string" &&
      Array.isArray(file["assertionResults"]) &&
      file["assertionResults"].every(isAssertion),
  );

/** The report as vitest's JSON reporter wrote it; `undefined` when it is not whole. */
export const toVitestReport = (text: string): VitestReport | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isReport(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

type Asked = Pick<OutcomeOptions, "allowedSkips" | "tests">;

type Tally = { passed: number; failed: number; skipped: number; problems: string[]; shaky: string[] };

/** A test that the other command runs; all of a file with a long name are long. */
const isLeftOut = (file: string, { tags = [] }: Assertion, tests: OutcomeOptions["tests"] = "all"): boolean => {
  if (tests === "all") return false;
  return tests === "short" ? tags.includes(LONG_TAG) : !tags.includes(LONG_TAG) && !isLongFile(file);
};

const countTests = (report: VitestReport, { allowedSkips, tests }: Asked): Tally => {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0, problems: [], shaky: [] };
  for (const file of report.testResults) {
    const failed = file.assertionResults.filter(({ status }) => status === "failed");
    tally.failed += failed.length;
    if (file.status === "failed" && failed.length === 0) tally.problems.push(`${file.name} failed outside of its tests`);
    for (const assertion of file.assertionResults) {
      const { fullName, status, failureMessages = [] } = assertion;
      if (status === "passed") tally.passed += 1;
      if (status === "passed" && failureMessages.length > 0) tally.shaky.push(fullName);
      if (status === "passed" || status === "failed" || isLeftOut(file.name, assertion, tests)) continue;
      tally.skipped += 1;
      if (allowedSkips !== "all" && !allowedSkips.includes(fullName))
        tally.problems.push(`"${fullName}" was not run (${status})`);
    }
  }
  if (tally.passed + tally.failed === 0) tally.problems.push("no test was run");
  return tally;
};

const countVitest = ({ report, exitCode }: VitestEnding, asked: Asked): Tally => {
  if (report === undefined) {
    return {
      passed: 0,
      failed: 0,
      skipped: 0,
      shaky: [],
      problems: [`the test runner ended with ${exitCode} and left no report`],
    };
  }
  const tally = countTests(report, asked);
  if (exitCode !== 0 && tally.failed === 0 && tally.problems.length === 0) {
    tally.problems.push(`the test runner ended with ${exitCode} though no test failed; its output says why`);
  }
  return tally;
};

export const toTestOutcome = ({ checks, vitest, ...asked }: OutcomeOptions): TestOutcome => {
  const tally: Tally =
    vitest === undefined ? { passed: 0, failed: 0, skipped: 0, problems: [], shaky: [] } : countVitest(vitest, asked);
  const passed = checks.filter((check) => check.passed).length + tally.passed;
  const failed = checks.filter((check) => !check.passed).length + tally.failed + tally.problems.length;
  const skipped = tally.skipped === 0 ? "" : `, ${tally.skipped} skipped`;
  const { problems, shaky } = tally;
  return { problems, shaky, line: `${passed} passed, ${failed} failed${skipped}`, exitCode: failed === 0 ? 0 : 1 };
};
