/** What the closing line and the exit code say about every way a test run can end. */
import { expect, test } from "vitest";
import { toTestOutcome, toVitestReport, type VitestReport } from "./test-outcome.ts";

const reportOf = (statuses: readonly string[], fileStatus = statuses.includes("failed") ? "failed" : "passed"): VitestReport => ({
  testResults: [
    {
      name: "a.test.ts",
      status: fileStatus,
      assertionResults: statuses.map((status, index) => ({ fullName: `test ${index}`, status })),
    },
  ],
});

test("checks and tests are counted together", () => {
  const outcome = toTestOutcome({
    checks: [{ name: "types", passed: true }],
    vitest: { report: reportOf(["passed", "passed"]), exitCode: 0 },
    allowedSkips: [],
  });
  expect(outcome).toEqual({ shaky: [], problems: [], line: "3 passed, 0 failed", exitCode: 0 });
});

test("a failed check fails the run though every test passed", () => {
  const outcome = toTestOutcome({
    checks: [{ name: "types", passed: false }],
    vitest: { report: reportOf(["passed"]), exitCode: 0 },
    allowedSkips: [],
  });
  expect(outcome).toEqual({ shaky: [], problems: [], line: "1 passed, 1 failed", exitCode: 1 });
});

test("a failed test fails the run once", () => {
  const outcome = toTestOutcome({
    checks: [],
    vitest: { report: reportOf(["passed", "failed"]), exitCode: 1 },
    allowedSkips: [],
  });
  expect(outcome).toEqual({ shaky: [], problems: [], line: "1 passed, 1 failed", exitCode: 1 });
});

test.each(["skipped", "todo", "pending"])("a test that is %s is a failure unless it is listed", (status) => {
  const vitest = { report: reportOf(["passed", status]), exitCode: 0 };
  expect(toTestOutcome({ checks: [], vitest, allowedSkips: [] })).toEqual({
    shaky: [],
    problems: [`"test 1" was not run (${status})`],
    line: "1 passed, 1 failed, 1 skipped",
    exitCode: 1,
  });
  expect(toTestOutcome({ checks: [], vitest, allowedSkips: ["test 1"] })).toEqual({
    shaky: [],
    problems: [],
    line: "1 passed, 0 failed, 1 skipped",
    exitCode: 0,
  });
});

test("what a filter leaves out is no failure", () => {
  const vitest = { report: reportOf(["passed", "skipped"]), exitCode: 0 };
  expect(toTestOutcome({ checks: [], vitest, allowedSkips: "all" }).exitCode).toBe(0);
});

test("a file that fails outside of its tests is a failure", () => {
  const outcome = toTestOutcome({
    checks: [],
    vitest: { report: reportOf(["passed"], "failed"), exitCode: 1 },
    allowedSkips: [],
  });
  expect(outcome).toEqual({
    shaky: [],
    problems: ["a.test.ts failed outside of its tests"],
    line: "1 passed, 1 failed",
    exitCode: 1,
  });
});

test("a runner that finds no test is a failure", () => {
  const outcome = toTestOutcome({ checks: [], vitest: { report: { testResults: [] }, exitCode: 1 }, allowedSkips: "all" });
  expect(outcome).toEqual({ shaky: [], problems: ["no test was run"], line: "0 passed, 1 failed", exitCode: 1 });
});

test("a runner that crashes without a report is a failure", () => {
  const outcome = toTestOutcome({ checks: [], vitest: { report: undefined, exitCode: null }, allowedSkips: [] });
  expect(outcome).toEqual({
    shaky: [],
    problems: ["the test runner ended with null and left no report"],
    line: "0 passed, 1 failed",
    exitCode: 1,
  });
});

test("a runner that fails after all tests passed, as by an unhandled rejection, is a failure", () => {
  const outcome = toTestOutcome({ checks: [], vitest: { report: reportOf(["passed"]), exitCode: 1 }, allowedSkips: [] });
  expect(outcome.line).toBe("1 passed, 1 failed");
  expect(outcome.exitCode).toBe(1);
});

test("a report that is cut off or of another shape is none", () => {
  const whole = JSON.stringify(reportOf(["passed"]));
  expect(toVitestReport(whole)).toEqual(reportOf(["passed"]));
  expect(toVitestReport(whole.slice(0, -3))).toBeUndefined();
  expect(toVitestReport(JSON.stringify({ testResults: [{ name: "a.test.ts", status: "passed" }] }))).toBeUndefined();
});

test("a test that passed when it was tried again is counted once, and named", () => {
  const outcome = toTestOutcome({
    checks: [],
    vitest: {
      exitCode: 0,
      report: {
        testResults: [
          {
            name: "a.test.ts",
            status: "passed",
            assertionResults: [
              { fullName: "steady", status: "passed", failureMessages: [] },
              { fullName: "shaky", status: "passed", failureMessages: ["timed out"] },
            ],
          },
        ],
      },
    },
    allowedSkips: [],
  });
  expect(outcome).toEqual({ shaky: ["shaky"], problems: [], line: "2 passed, 0 failed", exitCode: 0 });
});

test("a test that the other command runs is neither counted nor a failure, and any other that was not run is", () => {
  const report = (name: string, tags: readonly string[]): VitestReport => ({
    testResults: [
      {
        name,
        status: "passed",
        assertionResults: [
          { fullName: "run", status: "passed" },
          { fullName: "not run", status: "skipped", tags },
        ],
      },
    ],
  });
  const lineOf = (tests: "short" | "long" | "all", name: string, tags: readonly string[]): string =>
    toTestOutcome({ checks: [], vitest: { report: report(name, tags), exitCode: 0 }, allowedSkips: [], tests }).line;
  const [left, lost] = ["1 passed, 0 failed", "1 passed, 1 failed, 1 skipped"];
  expect(lineOf("short", "a.test.ts", ["long"])).toBe(left);
  expect(lineOf("short", "a.test.ts", [])).toBe(lost);
  expect(lineOf("long", "a.test.ts", [])).toBe(left);
  expect(lineOf("long", "a.test.ts", ["long"])).toBe(lost);
  expect(lineOf("long", "a.long.test.ts", [])).toBe(lost);
  expect(lineOf("all", "a.test.ts", ["long"])).toBe(lost);
});
