/**
 * The plan of a test case: what its orchestrator made of the steps, with what must hold after each. What is expected is always the case's own words and
 * checks: an orchestrator may split how a step is done, and never changes what it has to show.
 */
import type { Plan, PlanStep } from "@retinue/protocol";
import type { Desktop, Expected, Hook, TestCase } from "@retinue/protocol/test-case";
import { assignSubTasks } from "./assign-sub-tasks.ts";
import { describeExpected, toExpectations } from "./expectations.ts";
import type { ReadSubTask } from "./read-sub-tasks.ts";
import { toCheckCall } from "./to-calls.ts";
import { unneededTools } from "./unneeded-tools.ts";

const QA_STEP = "qa-step";

export type CasePlan = {
  readonly plan: Plan;
  /** Why what the orchestrator planned was not used. */
  readonly problem: string | null;
};

/** The ids of steps that come before the first: where one of them fails, the case is blocked. */
export const isPreparation = (stepId: string): boolean => stepId.startsWith("before-") || stepId.startsWith("given-");

/** The number of the case's step that a step of the plan belongs to; null for preparations. */
export const stepNumberOf = (stepId: string): number | null => {
  const [, number] = /^(\d+)(?:-\d+)?$/.exec(stepId) ?? [];
  return number === undefined ? null : Number(number);
};

export type CaseSurroundings = {
  /** What the suite does before every case. */
  readonly reset?: readonly Hook[] | undefined;
  /** The screen that the case works on. */
  readonly desktop?: Desktop | undefined;
};

export const toCasePlan = (
  testCase: TestCase,
  planned: Plan | null,
  { reset = [], desktop }: CaseSurroundings = {},
): CasePlan => {
  const { groups, problem } = groupSteps(testCase, planned);
  const withoutTools = unneededTools(testCase, desktop, reset);
  const steps = testCase.steps.flatMap(({ action, expected, waitMs }, index) => {
    const number = index + 1;
    const parts = groups.get(number) ?? [];
    // A step that is not split is carried out as it is written.
    if (parts.length < 2) return [toStep(String(number), sayWait(action, waitMs), expected)];
    return parts.map((part, at) => {
      const description = sayWait(part.description, waitMs);
      return at === parts.length - 1
        ? toStep(`${number}-${at + 1}`, description, expected)
        : { ...toStep(`${number}-${at + 1}`, description, undefined), expectedResult: part.expectedResult };
    });
  });
  const all = [...toPreparations(testCase, reset), ...steps];
  return { plan: { goal: testCase.title, steps: all.map((step) => ({ ...step, withoutTools })) }, problem };
};

/** For agents; recorded acts are given it. */
const sayWait = (text: string, waitMs: number | undefined): string =>
  waitMs === undefined ? text : `${text}\n(Give waitMs ${waitMs} with every act on an element.)`;

export const toStep = (id: string, description: string, expected: Expected | undefined): PlanStep => {
  const { checks } = toExpectations(expected);
  return {
    id,
    description,
    expectedResult: describeExpected(expected),
    type: "check",
    agent: QA_STEP,
    dependsOn: [],
    requiresApproval: false,
    ...(checks.length === 0 ? {} : { checks: checks.map(toCheckCall) }),
  };
};

/** What agents do before the case. */
export const toBeforeSteps = ({ before = [] }: TestCase, reset: readonly Hook[]): readonly PlanStep[] =>
  toHookSteps("before", [...reset, ...before]);

/** What agents do after the case. */
export const toAfterSteps = ({ after = [] }: TestCase): readonly PlanStep[] => toHookSteps("after", after);

const toHookSteps = (when: "before" | "after", hooks: readonly Hook[]): readonly PlanStep[] =>
  hooks.flatMap((hook, index) => ("action" in hook ? [toStep(`${when}-${index + 1}`, hook.action, hook.expected)] : []));

/** What agents do before the case, and what they look at. Commands and checks are made without them. */
const toPreparations = (testCase: TestCase, reset: readonly Hook[]): readonly PlanStep[] => [
  ...toBeforeSteps(testCase, reset),
  ...(testCase.preconditions ?? []).flatMap((one, index) =>
    typeof one === "string"
      ? [toStep(`given-${index + 1}`, `Find out whether this precondition holds. Look only; change nothing: ${one}`, one)]
      : [],
  ),
];

type Groups = { readonly groups: ReadonlyMap<number, readonly PlanStep[]>; readonly problem: string | null };

const NO_GROUPS: ReadonlyMap<number, readonly PlanStep[]> = new Map();

/** Which sub-tasks belong to which step. A plan that leaves a step out, or changes their order, is not used. */
const groupSteps = (testCase: TestCase, planned: Plan | null): Groups => {
  if (planned === null) return { groups: NO_GROUPS, problem: null };
  const numbers = toNumbers(testCase, planned.steps);
  if (typeof numbers === "string")
    return { groups: NO_GROUPS, problem: `The orchestrator's plan ${numbers}; the steps are carried out as written.` };
  return { groups: Map.groupBy(planned.steps, (_, at) => numbers[at] ?? 0), problem: null };
};

/** The number of the case's step for each sub-task, or what is wrong with them. */
const toNumbers = ({ steps }: TestCase, tasks: readonly PlanStep[]): readonly number[] | string => {
  // A number alone is only its place in the plan.
  const said = tasks.map(({ id }) => (id.includes("-") ? stepNumberOf(id) : null));
  if (tasks.length === steps.length && said.every((number) => number === null)) return steps.map((_, index) => index + 1);
  const missing = steps.findIndex((_, index) => !said.includes(index + 1));
  if (missing >= 0 && said.every((number) => number !== null)) return `leaves out step ${missing + 1}`;
  if (tasks.length < steps.length) return `has ${tasks.length} sub-tasks for ${steps.length} steps`;
  return assignSubTasks({
    steps: steps.map(({ action, expected }) => [action, ...toExpectations(expected).prose].join(" ")),
    tasks: tasks.map(({ description, expectedResult }, at) => ({
      text: `${description} ${expectedResult}`,
      step: said[at] ?? null,
    })),
  });
};

/** The plan that sub-tasks make, each named by its step where it says one, else by its place. */
export const toSubTaskPlan = (goal: string, tasks: readonly ReadSubTask[]): Plan => ({
  goal,
  steps: tasks.map(({ step, description, expectedResult }, at) => {
    const before = tasks.slice(0, at + 1).filter((one) => one.step === step).length;
    return { ...toStep(step === null ? String(at + 1) : `${step}-${before}`, description, undefined), expectedResult };
  }),
});
