/** The orchestrator of test cases by rules: keeps the steps as they are, stops at a failure, and passes what passed. */
import type { JsonObject } from "@retinue/protocol";

/** Undefined for any other task. */
export const decideOrchestrator = (task: string): JsonObject | undefined => {
  if (task.startsWith("MODE 1: PLAN.")) return plan(task);
  if (task.startsWith("MODE 2: EVALUATE."))
    return { decision: "stop", reason: "Rules in place of a model recover nothing; the step failed." };
  if (task.startsWith("MODE 3: VERDICT.")) return verdict(task);
  if (task.startsWith("MODE 4: STATE."))
    return { state: /STATE:\n([\s\S]*?)\n\nAnswer with/.exec(task)?.[1]?.slice(-2_000) ?? "unknown" };
  return undefined;
};

const STEP = /^Step (\d+): ([\s\S]*?)\nExpected: ([\s\S]*?)(?=\n\nStep \d+: |\n\nAt most \d+ sub-tasks)/gm;

const plan = (task: string): JsonObject => ({
  sub_tasks: [...task.matchAll(STEP)].map(([, number = "1", action = "", expected = ""]) => ({
    step: Number(number),
    description: action.trim(),
    expected_result: expected.trim(),
  })),
});

const OUTCOME = /^- (\S+) \((\w+)\): /gm;

const verdict = (task: string): JsonObject => {
  const outcomes = [...task.matchAll(OUTCOME)].map(([, id = "", state = ""]) => ({ id, state }));
  const bad = outcomes.filter(({ state }) => state !== "completed");
  return bad.length === 0 && outcomes.length > 0
    ? { status: "pass", summary: `All ${outcomes.length} steps are completed, as their reports say.` }
    : { status: "fail", summary: `Not completed: ${bad.map(({ id, state }) => `step ${id} (${state})`).join(", ")}.` };
};
