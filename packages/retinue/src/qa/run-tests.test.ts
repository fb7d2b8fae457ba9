/** Cases in one call of tests: what goes wrong in one stays in it, and every case has a result. */
import type { CaseResult } from "@retinue/protocol/test-case";
import type { LoadedCase, QaPorts } from "@retinue/qa";
import { describe, expect, test } from "vitest";
import type { TestRun } from "./run-tests.ts";
import { runTests, toBlocked } from "./run-tests.ts";

const loaded = (id: string): LoadedCase => ({
  id,
  file: id,
  suite: {},
  suiteFile: null,
  variables: {},
  testCase: { title: id, steps: [{ action: "Look", expected: "It is there" }] },
});

const passed = (one: LoadedCase): CaseResult => ({ ...toBlocked(one, 1, "All steps passed."), verdict: "pass" });

const run = (more: Partial<TestRun>, signal = new AbortController().signal) =>
  runTests({
    cases: ["a", "b", "c"].map(loaded),
    // Cases are run by `runOnce`; of the ports only the clock is used.
    ports: { now: () => 0 } as unknown as QaPorts,
    workers: 1,
    retries: 0,
    signal,
    model: "local/any",
    environment: null,
    startApp: () => Promise.reject(new Error("there is none")),
    ...more,
  }).then(({ cases }) => cases.map(({ id, verdict, reason }) => [id, verdict, reason]));

describe("a case that throws", () => {
  test("is blocked with the reason, and the others run", async () => {
    const runOnce = async (one: LoadedCase): Promise<CaseResult> => {
      if (one.id === "b") throw new Error("The disk is full.");
      return passed(one);
    };
    expect(await run({ runOnce })).toEqual([
      ["a", "pass", "All steps passed."],
      ["b", "blocked", "The case could not be run to its end: The disk is full."],
      ["c", "pass", "All steps passed."],
    ]);
  });

  test("where its secrets are looked for is blocked, too", async () => {
    const needSecrets = () => Promise.reject(new Error("The file .env cannot be read."));
    expect((await run({ needSecrets }))[0]).toEqual([
      "a",
      "blocked",
      "The case could not be run to its end: The file .env cannot be read.",
    ]);
  });

  test("where its recordings are kept has the verdict that it had", async () => {
    const keepRecordings = () => Promise.reject(new Error("The disk is full."));
    const runOnce = (one: LoadedCase): Promise<CaseResult> => Promise.resolve(passed(one));
    expect((await run({ runOnce, keepRecordings })).map(([, verdict]) => verdict)).toEqual(["pass", "pass", "pass"]);
  });

  test("because everything was cancelled leaves results of all cases, for the reports", async () => {
    const stop = new AbortController();
    const runOnce = async (one: LoadedCase): Promise<CaseResult> => {
      if (one.id === "a") return passed(one);
      stop.abort();
      throw new Error("aborted");
    };
    expect(await run({ runOnce }, stop.signal)).toEqual([
      ["a", "pass", "All steps passed."],
      ["b", "blocked", "The test run was cancelled during this case."],
      ["c", "blocked", "The test run was cancelled before this case began."],
    ]);
  });
});
