import { expect, it } from "vitest";
import { mocha } from "./mocha.ts";

/** In the form of Mocha's JSON reporter, which takes the folder off the paths of a trace. */
const REPORT = {
  stats: { suites: 1, tests: 3, passes: 1, pending: 1, failures: 1, duration: 9 },
  tests: [],
  failures: [
    {
      title: "adds wrongly",
      fullTitle: "sum adds wrongly",
      file: "/project/test/sum.js",
      err: {
        message: "Expected values to be strictly equal:\n\n2 !== 3\n",
        stack: "AssertionError [ERR_ASSERTION]: 2 !== 3\n    at Context.<anonymous> (test/sum.js:9:12)",
      },
    },
  ],
};

it("mocha is read from its JSON report", async () => {
  expect(await mocha.toReport({ report: JSON.stringify(REPORT), output: "" })).toEqual({
    passed: 1,
    failed: 1,
    skipped: 1,
    failures: [{ name: "sum adds wrongly", file: "/project/test/sum.js", line: 9, message: expect.stringContaining("2 !== 3") }],
  });
  expect(await mocha.toReport({ report: "{", output: "" })).toBeUndefined();
});
