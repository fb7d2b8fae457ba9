/** A plan from code: made for a goal, looked at and edited, then carried out step by step. */
import assert from "node:assert/strict";
import { createRetinue, planToMarkdown } from "retinue";
import { createScriptedModel } from "retinue/testing";

const steps = [
  { id: "look", description: "Find the prices", expectedResult: "a list", type: "research", agent: "researcher", dependsOn: [] },
  { id: "judge", description: "Judge them", expectedResult: "a verdict", type: "review", agent: "reviewer", dependsOn: ["look"] },
];

const model = createScriptedModel(({ system, messages }) => {
  const asked = JSON.stringify(messages);
  if (asked.includes("Make a plan for this goal")) return { text: JSON.stringify({ steps }) };
  if (asked.includes("MODE 3")) return { text: JSON.stringify({ status: "pass", summary: "Prices are fair." }) };
  return { text: `RESULT: PASS\nSUMMARY: Done as ${/\*\*(\w+)\*\*/.exec(system)?.[1] ?? "?"}.` };
});

const retinue = await createRetinue({ model, env: {} });

const planning = await retinue.planForGoal("Find out whether our prices are fair.");
const plan = await planning.plan;
console.log(planToMarkdown(plan));

// A person looks at it, and may change it, before anything is done.
const approved = { ...plan, steps: plan.steps.map((step) => ({ ...step, requiresApproval: false })) };
const execution = await retinue.executePlan(approved);
const verdict = await execution.verdict;

assert.equal(verdict.status, "pass");
assert.deepEqual(
  [...verdict.steps].map(([id, { state }]) => `${id} ${state}`),
  ["look completed", "judge completed"],
);
await retinue.close();
