/** A plan that does what a passed case did again, without a model, and checks everything that can be checked. What is expected is read from the case as it is now. */
import type { GivenCall, Plan, PlanStep } from "@retinue/protocol";
import type { Hook, TestCase } from "@retinue/protocol/test-case";
import { toAfterSteps, toBeforeSteps, toStep } from "../plan/to-plan.ts";
import { healTools } from "./heal-tools.ts";
import type { RecordedAct, RecordedActs } from "./recorded-acts.ts";
import { isObject } from "./recorded-acts.ts";

export type ReplayOptions = {
  /** What the suite does before every case. */
  readonly reset: readonly Hook[];
  /** Whether an agent may do a step whose recorded acts cannot be done any more. */
  readonly mayAsk: boolean;
};

export type ReplayPlan = {
  readonly plan: Plan;
  /** What is done after the case. */
  readonly after: readonly PlanStep[];
  /** What agents are to do before the case and was not recorded, so that the case cannot begin. */
  readonly missing: readonly string[];
  /** What is not done or not looked at without a model. */
  readonly problems: readonly string[];
};

export const toReplayPlan = (testCase: TestCase, acts: RecordedActs, { reset, mayAsk }: ReplayOptions): ReplayPlan => {
  const before = toBeforeSteps(testCase, reset);
  const after = toAfterSteps(testCase);
  const unrecorded = (step: PlanStep): boolean => !acts.hooks.has(step.id);
  const again = (steps: readonly PlanStep[]): readonly PlanStep[] =>
    steps.flatMap((step) => {
      const calls = acts.hooks.get(step.id);
      return calls ? [{ ...step, calls: calls.map(toCall) }] : [];
    });
  const steps = testCase.steps.flatMap(({ action, expected, waitMs }, index) => {
    const recorded = acts.steps.get(index + 1);
    if (!recorded) return [];
    const heal = mayAsk && recorded.length > 0 ? { heal: { tools: healTools(recorded) } } : {};
    return [{ ...toStep(String(index + 1), action, expected), calls: recorded.map((act) => withWait(act, waitMs)), ...heal }];
  });
  return {
    plan: { goal: testCase.title, steps: [...again(before), ...steps] },
    after: again(after),
    missing: before.filter(unrecorded).map(({ description }) => description),
    problems: [
      ...testCase.steps.flatMap((_, index) =>
        acts.steps.has(index + 1) ? [] : [`Step ${index + 1} was not recorded, so that it is not done again.`],
      ),
      ...after
        .filter(unrecorded)
        .map(({ description }) => `After the case: ${JSON.stringify(description)} was not recorded, and is not done.`),
      ...(testCase.preconditions ?? []).flatMap((one) =>
        typeof one === "string" ? [`The precondition ${JSON.stringify(one)} is prose, and nobody looked whether it holds.`] : [],
      ),
    ],
  };
};

const toCall = ({ tool, input }: RecordedAct): GivenCall => ({ tool, input });

/** An act that waited for its element waits as long as its step says. */
const withWait = (act: RecordedAct, waitMs: number | undefined): GivenCall => {
  const { tool, input } = toCall(act);
  return act.element !== null && isObject(input) && waitMs !== undefined
    ? { tool, input: { ...input, waitMs } }
    : { tool, input };
};
