import type { Plan, RecordedBody, RecordedEvent } from "@retinue/protocol";
import { expect, test } from "vitest";
import { foldSession } from "./fold-session.ts";

const PLAN: Plan = {
  goal: "reach it",
  steps: ["a", "b"].map((id) => ({
    id,
    description: `do ${id}`,
    expectedResult: `${id} is done`,
    type: "implementation",
    agent: "executor",
    dependsOn: [],
    requiresApproval: false,
  })),
};

const toEvents = (bodies: readonly RecordedBody[]): readonly RecordedEvent[] =>
  bodies.map((body, at) => ({
    sessionId: "ses_1",
    runId: "run_1",
    parentRunId: null,
    depth: 0,
    agent: "main",
    seq: at + 1,
    at: "2026-01-01T00:00:00.000Z",
    ...body,
  }));

test("a plan is drawn with the state of each step, its decisions and its verdict", () => {
  const { runs } = foldSession(
    "ses_1",
    toEvents([
      { type: "plan.made", callId: "go", plan: PLAN },
      { type: "plan.step", callId: "go", stepId: "a", state: "in_progress", attempt: 1, stepRunId: "run_2" },
      {
        type: "plan.decided",
        callId: "go",
        stepId: "a",
        attempt: 1,
        decision: "recover",
        reason: "npm is missing",
        recoveryTask: { description: "install", expected_result: "npm runs" },
      },
      { type: "plan.step", callId: "go", stepId: "a", state: "completed", attempt: 2, stepRunId: "run_3", summary: "done" },
      {
        type: "plan.settled",
        callId: "go",
        status: "fail",
        summary: "b was not done",
        totals: { iterations: 3, toolCalls: 1, usage: { input: 1, output: 1, cached: 0, reasoning: 0 }, costUsd: 0 },
      },
    ]),
  );
  const plan = runs.get("run_1")?.plans.get("go");
  expect(
    [...(plan?.steps.values() ?? [])].map(({ step, state, attempt, runId, summary, decisions }) => [
      step.id,
      state,
      attempt,
      runId,
      summary,
      decisions.length,
    ]),
  ).toEqual([
    ["a", "completed", 2, "run_3", "done", 1],
    ["b", "pending", 0, null, null, 0],
  ]);
  expect(plan?.verdict).toMatchObject({ status: "fail", summary: "b was not done" });
});

test("what is told of a plan that nobody made is left out", () => {
  const { runs } = foldSession(
    "ses_1",
    toEvents([{ type: "plan.step", callId: "go", stepId: "a", state: "completed", attempt: 1 }]),
  );
  expect(runs.get("run_1")?.plans.size).toBe(0);
});
