/** What the agents of a plan are told. An orchestrator reads summaries and nothing else: what tools gave out never gets here. */
import type { CallOutcome, GivenCall, Plan, PlanStep, SubTask } from "@retinue/protocol";
import { ENDING_FORM } from "./step-ending.ts";

/** What is known of a step once it has ended. */
export type StepOutcome = { readonly step: PlanStep; readonly state: string; readonly summary: string };

export const stepTask = (task: SubTask, state: string): string =>
  [
    `CURRENT STATE:\n${state === "" ? "Nothing has been done yet." : state}`,
    `YOUR TASK:\n${task.description}`,
    `EXPECTED RESULT:\n${task.expected_result}`,
    ENDING_FORM,
  ].join("\n\n");

export const toSubTask = ({ description, expectedResult }: PlanStep): SubTask => ({
  description,
  expected_result: expectedResult,
});

/** For whoever goes on where calls that were recorded could not be made any more. */
export const calledState = (calls: readonly GivenCall[], outcomes: readonly CallOutcome[]): string =>
  [
    "The step was recorded before, and what was recorded was done again as far as it went:",
    ...outcomes.map(({ isError, text }, at) => {
      const { tool = "", input = null } = calls[at] ?? {};
      return `- ${isError ? "could not be done" : "done"}: ${tool} ${JSON.stringify(input)}${isError ? `: ${text.split("\n", 1)[0] ?? ""}` : ""}`;
    }),
    ...(calls.length > outcomes.length
      ? [
          `- not tried: ${calls
            .slice(outcomes.length)
            .map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`)
            .join("; ")}`,
        ]
      : []),
    "Do what is left of the step, as it can be done now. What is done is not done again.",
  ].join("\n");

export const planTask = (
  goal: string,
  more: {
    readonly agents: readonly string[];
    readonly maxSteps: number;
    readonly research?: string | undefined;
    readonly fault?: string | undefined;
  },
): string =>
  [
    `Make a plan for this goal:\n\n${goal}`,
    ...(more.research === undefined ? [] : [`What was found out before:\n\n${more.research}`]),
    [
      `The plan is a list of at most ${more.maxSteps} steps. Each is carried out by one agent that sees nothing but the step and what became of the steps it depends on.`,
      `- "agent": one of ${more.agents.join(", ")}`,
      `- "type": research, planning, implementation, testing, review, debugging or check`,
      `- "dependsOn": ids of the steps that must be done before; steps that do not depend on each other are carried out at the same time`,
      `- "expectedResult": something that can be observed`,
      `- "requiresApproval": true where a person should be asked before it begins`,
    ].join("\n"),
    ...(more.fault === undefined ? [] : [`An earlier plan of yours was refused: ${more.fault} Make one that holds.`]),
  ].join("\n\n");

export const caseTask = (testCase: string, maxSteps: number): string =>
  [
    "MODE 1: PLAN.",
    `TEST CASE:\n${testCase}`,
    `At most ${maxSteps} sub-tasks. "step" is the number of the step of the test case that a sub-task belongs to; every step has at least one, in order.`,
    `Answer with JSON and nothing else: {"sub_tasks": [{"step": 1, "description": "…", "expected_result": "…"}]}`,
  ].join("\n\n");

export const evaluateTask = (plan: Plan, failed: StepOutcome, others: readonly StepOutcome[], canRecover: boolean): string =>
  [
    "MODE 2: EVALUATE.",
    `GOAL:\n${plan.goal}`,
    `SO FAR:\n${toLines(others)}`,
    `FAILED STEP ${failed.step.id}: ${failed.step.description}\nEXPECTED RESULT: ${failed.step.expectedResult}\nWHAT HAPPENED: ${failed.summary}`,
    canRecover
      ? "Decide: continue, recover (with a recovery_task; the step is then tried again) or stop."
      : "A recovery was tried already. Decide: continue or stop.",
    `Answer with JSON and nothing else: {"decision": "continue" | "recover" | "stop", "reason": "…", "recovery_task": {"description": "…", "expected_result": "…"}}`,
  ].join("\n\n");

export const verdictTask = (plan: Plan, outcomes: readonly StepOutcome[]): string =>
  [
    "MODE 3: VERDICT.",
    `GOAL:\n${plan.goal}`,
    `STEPS:\n${toLines(outcomes)}`,
    `Answer with JSON and nothing else: {"status": "pass" | "fail", "summary": "…"}`,
  ].join("\n\n");

export const stateTask = (plan: Plan, state: string, mostChars: number): string =>
  [
    "MODE 4: STATE.",
    `GOAL:\n${plan.goal}`,
    `The state has grown too long. Shorten it to at most ${mostChars} characters; keep what later steps need: where things are, who is logged in, what was made.`,
    `STATE:\n${state}`,
    `Answer with JSON and nothing else: {"state": "…"}`,
  ].join("\n\n");

/** A line for each. */
export const toLines = (outcomes: readonly StepOutcome[]): string =>
  outcomes.length === 0
    ? "nothing"
    : outcomes
        .map(({ step, state, summary }) => `- ${step.id} (${state}): ${step.description}${summary === "" ? "" : ` → ${summary}`}`)
        .join("\n");
