import { describe, expect, it } from "vitest";
import { jest } from "./jest.ts";

/** In the form that Jest documents, shortened. */
const REPORT = {
  numFailedTestSuites: 2,
  numFailedTests: 1,
  numPassedTests: 1,
  numPendingTests: 1,
  numTodoTests: 1,
  numTotalTests: 4,
  success: false,
  testResults: [
    {
      name: "/project/sum.test.js",
      status: "failed",
      message: "  ● sum › adds wrongly\n",
      assertionResults: [
        { ancestorTitles: ["sum"], title: "adds", status: "passed", failureMessages: [], location: { column: 3, line: 4 } },
        {
          ancestorTitles: ["sum"],
          fullName: "sum adds wrongly",
          title: "adds wrongly",
          status: "failed",
          failureMessages: [
            "Error: expect(received).toBe(expected)\n\nExpected: 3\nReceived: 2\n" +
              "    at Object.toBe (/project/sum.test.js:9:17)\n    at x (/project/node_modules/jest-circus/build/run.js:1:1)",
          ],
          location: { column: 3, line: 8 },
        },
        { ancestorTitles: [], title: "later", status: "todo", failureMessages: [], location: null },
      ],
    },
    { name: "/project/broken.test.js", status: "failed", message: "Cannot find module './none'", assertionResults: [] },
  ],
};

describe("jest", () => {
  it("is read from its JSON report", async () => {
    expect(await jest.toReport({ report: JSON.stringify(REPORT), output: "" })).toEqual({
      passed: 1,
      failed: 1,
      skipped: 2,
      failures: [
        {
          name: "sum > adds wrongly",
          file: "/project/sum.test.js",
          line: 9,
          message: expect.stringContaining("Expected: 3"),
        },
        { name: "(the file itself)", file: "/project/broken.test.js", message: "Cannot find module './none'" },
      ],
    });
  });

  it("says nothing where there is no report, or something else in its place", async () => {
    for (const report of [undefined, "", "{}", "not json", "[1]"])
      expect(await jest.toReport({ report, output: "" })).toBeUndefined();
  });
});
