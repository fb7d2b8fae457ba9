/** The JSON formats of the design, to the letter: what an orchestrator replies when it plans and when it evaluates, and the structures made of it. */
import type { OrchestratorDecision, OrchestratorResult, SubTask, SubTaskResult } from "@retinue/protocol";
import {
  evaluateReplySchema,
  orchestratorDecisionSchema,
  orchestratorResultSchema,
  subTaskResultSchema,
  subTaskSchema,
  subTasksReplySchema,
} from "@retinue/protocol/schemas/plan";
import { describe, expect, test } from "vitest";
import { toPlan } from "./replies.ts";

const PLANNED = {
  sub_tasks: [
    {
      description: "Navigate to https://example.com/login",
      expected_result: "Login page is displayed with email and password fields",
    },
    {
      description: "Enter admin@example.com in the email field and click Login",
      expected_result: "Dashboard page loads showing welcome message",
    },
  ],
};

describe("S0: what the orchestrator replies", () => {
  test("when it plans is a plan of steps for test steps, in order", () => {
    expect(subTasksReplySchema.parse(PLANNED)).toEqual(PLANNED);
    expect(toPlan(PLANNED, "log in").steps).toMatchObject([
      { id: "1", description: "Navigate to https://example.com/login", agent: "qa-step", dependsOn: [] },
      { id: "2", expectedResult: "Dashboard page loads showing welcome message", agent: "qa-step" },
    ]);
  });

  test.each([
    { decision: "continue", reason: "it passed" },
    { decision: "stop", reason: "the application is not deployed" },
    {
      decision: "recover",
      reason: "npm: command not found",
      recovery_task: { description: "Install Node.js 20 LTS using apt", expected_result: "node --version prints 20" },
    },
  ])("when it evaluates is $decision", (reply) => {
    expect(evaluateReplySchema.parse(reply)).toEqual(reply);
  });

  test.each([
    ["no sub-task", subTasksReplySchema, { sub_tasks: [] }],
    ["a sub-task without an expected result", subTasksReplySchema, { sub_tasks: [{ description: "x" }] }],
    ["an array alone", subTasksReplySchema, PLANNED.sub_tasks],
    ["a decision that there is not", evaluateReplySchema, { decision: "retry", reason: "x" }],
    ["a recovery without a task", evaluateReplySchema, { decision: "recover", reason: "x" }],
    ["no reason", evaluateReplySchema, { decision: "stop", reason: "" }],
    ["more than was asked for", evaluateReplySchema, { decision: "stop", reason: "x", verdict: "pass" }],
  ])("with %s is refused", (_, schema, reply) => {
    expect(schema.safeParse(reply).success).toBe(false);
  });
});

test("S0: the four structures have the fields of the design", () => {
  const task: SubTask = { description: "a", expected_result: "b" };
  const result: SubTaskResult = { status: "fail", summary: "c", iterations: 3, error: null };
  const decision: OrchestratorDecision = { action: "recover", reason: "d", recovery_task: task };
  const all: OrchestratorResult = { status: "pass", summary: "e", sub_task_results: [result], total_iterations: 3 };
  expect([
    subTaskSchema.parse(task),
    subTaskResultSchema.parse(result),
    orchestratorDecisionSchema.parse(decision),
    orchestratorResultSchema.parse(all),
  ]).toEqual([task, result, decision, all]);
  expect(subTaskResultSchema.safeParse({ ...result, status: "maybe" }).success).toBe(false);
});
