/**
 * The verdict of a case, from its record alone: whoever judges it again comes to the same. Blocked stands before everything else, since nothing was tested;
 * then a failure, then what could not be verified. Only what remains is a pass.
 */
import type { PlanView, SessionView } from "@retinue/client";
import type { StepResult, TestCase, Verdict } from "@retinue/protocol/test-case";
import { isPreparation, stepNumberOf } from "../plan/to-plan.ts";
import { judgeStep } from "./judge-step.ts";
import { readPart } from "./step-record.ts";

export type JudgedCase = {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly summary: string;
  readonly steps: readonly StepResult[];
};

export const judgeCase = (testCase: TestCase, session: SessionView): JudgedCase => {
  const plan = findPlan(session);
  if (!plan)
    return { verdict: "blocked", reason: "No plan was carried out.", summary: "", steps: testCase.steps.map(toUntouched) };
  const parts = [...plan.steps.values()].map((view) => readPart(view, plan, session));
  const preparation = parts.find(({ view }) => isPreparation(view.step.id) && view.state !== "completed");
  if (preparation)
    return {
      verdict: "blocked",
      reason: `${preparation.view.step.id.startsWith("before-") ? "What comes before the case failed" : "A precondition does not hold"}: ${preparation.view.summary ?? preparation.view.step.description}`,
      summary: plan.verdict?.summary ?? "",
      steps: testCase.steps.map(toUntouched),
    };
  const steps = doubtAfterHeal(
    testCase.steps.map((step, index) =>
      judgeStep(
        { step, number: index + 1, parts: parts.filter(({ view }) => stepNumberOf(view.step.id) === index + 1) },
        session,
      ),
    ),
  );
  return { ...toVerdict(steps, plan), summary: plan.verdict?.summary ?? "", steps };
};

/** Once an element was found in another way than recorded, a failure may be the tester's. */
const doubtAfterHeal = (steps: readonly StepResult[]): readonly StepResult[] => {
  const healed = steps.find((step) => step.healed.length > 0);
  return steps.map((step) =>
    healed && step.number >= healed.number && step.verdict === "fail"
      ? { ...step, verdict: "inconclusive", reason: `After step ${healed.number} was healed: ${step.reason}` }
      : step,
  );
};

/** The plan that was carried out last; one that was only made has no step that began. */
const findPlan = (session: SessionView): PlanView | undefined =>
  session.roots
    .flatMap((run) => [...run.plans.values()])
    .findLast(
      ({ verdict, steps }) =>
        [...steps.keys()].some((id) => stepNumberOf(id) !== null) &&
        (verdict !== null || [...steps.values()].some(({ state }) => state !== "pending")),
    );

const at = ({ number, reason }: StepResult): string => `Step ${number}: ${reason}`;

const toVerdict = (steps: readonly StepResult[], plan: PlanView): Pick<JudgedCase, "verdict" | "reason"> => {
  const of = (verdict: StepResult["verdict"]): StepResult | undefined => steps.find((step) => step.verdict === verdict);
  const [failed, blocked, unclear, skipped] = [of("fail"), of("blocked"), of("inconclusive"), of("skipped")];
  // What seems to fail after something was not there is no finding: it was tested on nothing.
  if (failed && (!blocked || failed.number < blocked.number)) return { verdict: "fail", reason: at(failed) };
  if (blocked) return { verdict: "blocked", reason: at(blocked) };
  if (unclear) return { verdict: "inconclusive", reason: at(unclear) };
  if (skipped) return { verdict: "inconclusive", reason: at(skipped) };
  if (plan.verdict === null) return { verdict: "inconclusive", reason: "The case was not carried out to its end." };
  if (plan.verdict.status !== "pass")
    return { verdict: "inconclusive", reason: `Every step passed, but the orchestrator says: ${plan.verdict.summary}` };
  return { verdict: "pass", reason: `All ${steps.length} steps passed.` };
};

const toUntouched = ({ action }: TestCase["steps"][number], index: number): StepResult => ({
  number: index + 1,
  action,
  expected: "",
  verdict: "skipped",
  reason: "It was not begun.",
  said: null,
  attempts: 0,
  recovered: false,
  checks: [],
  evidence: [],
  screenshots: [],
  healed: [],
  runs: [],
  durationMs: 0,
});
