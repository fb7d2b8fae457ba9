/** The JSON report of Jest, which Vitest writes too. */
import { z } from "zod";
import { parseJson } from "./parse-json.ts";
import { findStackPlace } from "./stack-place.ts";
import type { TestFailure, TestReport } from "./test-runner.ts";

const REPORT = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number().default(0),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().nullish(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()).default([]),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
          location: z.object({ line: z.number() }).nullish(),
        }),
      ),
    }),
  ),
});

export const readJestReport = (text: string): TestReport | undefined => {
  const read = REPORT.safeParse(parseJson(text));
  if (!read.success) return undefined;
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = read.data;
  const failures: TestFailure[] = [];
  for (const { name: file, status, message, assertionResults } of testResults) {
    const failed = assertionResults.filter((test) => test.status === "failed");
    for (const test of failed) {
      const trace = (test.failureMessages ?? []).join("\n");
      const place = findStackPlace(trace);
      const line = place?.file === file ? place.line : test.location?.line;
      const name = [...test.ancestorTitles, test.title].filter((title) => title !== "").join(" > ");
      failures.push({ name, file, ...(line === undefined ? {} : { line }), message: trace });
    }
    // A file that could not be loaded has no tests to fail.
    if (status === "failed" && failed.length === 0) failures.push({ name: "(the file itself)", file, message: message ?? "" });
  }
  return {
    passed: numPassedTests,
    failed: numFailedTests,
    skipped: numPendingTests + numTodoTests,
    failures,
  };
};
