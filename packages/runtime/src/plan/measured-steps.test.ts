/** Steps are judged by what was measured before any word: only the runs below are played. */
import type { PlanStep, RunResult } from "@retinue/protocol";
import { NO_USAGE } from "@retinue/protocol";
import { expect, test } from "vitest";
import { toPlanGraph } from "./plan-graph.ts";
import { runPlan } from "./run-plan.ts";

const toResult = (more: Partial<RunResult>): RunResult =>
  ({
    status: "completed",
    summary: "",
    details: "RESULT: PASS\nSUMMARY: All is well.",
    testsRun: 0,
    testsPassed: 0,
    unverified: [],
    iterations: 1,
    toolCalls: 1,
    usage: NO_USAGE,
    costUsd: 0,
    ...more,
  }) as RunResult;

const STOP = toResult({
  details: JSON.stringify({ decision: "stop", reason: "it failed" }),
  output: { decision: "stop", reason: "it failed" },
});
const VERDICT = toResult({
  details: JSON.stringify({ status: "pass", summary: "Fine." }),
  output: { status: "pass", summary: "Fine." },
});

const carryOut = (type: PlanStep["type"], worked: Partial<RunResult>) => {
  const step: PlanStep = {
    id: "a",
    description: "do it",
    expectedResult: "it is done",
    type,
    agent: "executor",
    dependsOn: [],
    requiresApproval: false,
  };
  return runPlan(
    toPlanGraph({ goal: "go", steps: [step] }, { maxSteps: 5, agents: ["executor"] }),
    {
      start: async ({ by }) => ("agent" in by ? toResult(worked) : "reply" in by && by.reply === "evaluate" ? STOP : VERDICT),
      runIdOf: (name) => `run_${name}`,
      ask: async () => null,
      hasBegun: () => false,
      onStep: () => undefined,
      onDecision: () => undefined,
    },
    { maxConcurrent: 1, maxRecoveries: 0, stateChars: 4_000, signal: new AbortController().signal },
  );
};

test("a step that says PASS with a red test in its record has failed, and so has the plan", async () => {
  const { status, steps } = await carryOut("implementation", { testsRun: 2, testsPassed: 1 });
  expect(status).toBe("fail");
  expect(steps[0]).toMatchObject({ state: "failed", result: { status: "fail" } });
  expect(steps[0]?.result.summary).toContain("1 of 2 tests failed in the latest run of tests");
});

test("a step that claims what the record does not hold has failed", async () => {
  const { status, steps } = await carryOut("implementation", { unverified: ["a change of a.ts"] });
  expect(status).toBe("fail");
  expect(steps[0]?.result.summary).toContain("not found in the record: a change of a.ts");
});

test("a step passes whose latest tests are green, and one that looks for faults may find some", async () => {
  const mended = { testsRun: 4, testsPassed: 3, latestTests: { run: 2, passed: 2 } };
  expect(await carryOut("implementation", mended)).toMatchObject({ status: "pass" });
  expect(await carryOut("research", { testsRun: 2, testsPassed: 1 })).toMatchObject({ status: "pass" });
});
