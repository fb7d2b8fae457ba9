/** What the record holds against a result whose run says that it is done. */
import type { RunResult } from "./result.ts";

export type Measured = Pick<RunResult, "testsRun" | "testsPassed" | "latestTests" | "unverified">;

/** One a line; empty where nothing speaks against it. */
export const findDoubts = ({ testsRun, testsPassed, latestTests, unverified }: Measured): readonly string[] => {
  const latest = latestTests ?? { run: testsRun, passed: testsPassed };
  const failed = latest.run - latest.passed;
  return [
    ...(failed > 0 ? [`${failed} of ${latest.run} tests failed in the latest run of tests`] : []),
    ...unverified.map((claim) => `not found in the record: ${claim}`),
  ];
};
