import { hash } from "node:crypto";
import type { Plan, PlanStep, StepState } from "@retinue/protocol";
import { STEP_TYPES } from "@retinue/protocol";
import { expect, test } from "vitest";
import { parsePlanMarkdown, planToMarkdown } from "./plan-markdown.ts";

const pick = (most: number, ...words: readonly (string | number)[]): number =>
  Number.parseInt(hash("sha256", words.join(" "), "hex").slice(0, 8), 16) % most;

const WORDS = [
  "write it",
  "- [x] **a**: no step",
  "# no goal",
  "`code` and *stars*",
  "  - agent: nobody",
  "é ✓ 漢字",
  'a "quote": yes',
];
const STATES: readonly StepState[] = ["pending", "in_progress", "completed", "failed", "skipped", "blocked"];

const randomPlan = (seed: number): Plan => {
  const word = (...of: readonly (string | number)[]): string => (WORDS[pick(WORDS.length, seed, ...of)] ?? "").trim();
  const ids = Array.from({ length: 1 + pick(6, seed, "count") }, (_, at) => `step-${at}`);
  const steps = ids.map((id, at): PlanStep => ({
    id,
    description: word(id, "does"),
    expectedResult: word(id, "shows"),
    type: STEP_TYPES[pick(STEP_TYPES.length, seed, id)] ?? "check",
    agent: ["executor", "reviewer"][pick(2, seed, id, "by")] ?? "executor",
    dependsOn: ids.slice(0, at).filter((other) => pick(2, seed, id, other) === 0),
    requiresApproval: pick(2, seed, id, "asks") === 0,
    ...(pick(2, seed, id, "estimate") === 0 ? {} : { estimatedToolCalls: pick(50, seed, id) }),
  }));
  return { goal: word("goal"), steps };
};

test.each(Array.from({ length: 50 }, (_, seed) => seed))("a plan (seed %i) is read back from its Markdown as it was", (seed) => {
  const plan = randomPlan(seed);
  const states = new Map(plan.steps.map(({ id }) => [id, STATES[pick(STATES.length, seed, id)] ?? "pending"]));
  expect(parsePlanMarkdown(planToMarkdown(plan))).toEqual(plan);
  expect(parsePlanMarkdown(planToMarkdown(plan, states))).toEqual(plan);
});
