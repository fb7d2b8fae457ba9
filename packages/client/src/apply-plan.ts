/** How a plan goes: made, its steps begun and ended, decided upon, settled. */
import type { EventOf } from "@retinue/protocol";
import type { PlanStepView, PlanView } from "./session-view.ts";
import { listOf, mapOf, NO_PLANS, type RunCell, type Writable } from "./run-cell.ts";

type PlanEvent = EventOf<"plan.made" | "plan.step" | "plan.decided" | "plan.settled">;

export const applyPlan = (cell: RunCell, event: PlanEvent): void => {
  if (event.type === "plan.made") return make(cell, event);
  const plan: Writable<PlanView> | undefined = cell.view.plans.get(event.callId);
  if (plan === undefined) return;
  if (event.type === "plan.settled") {
    const { status, summary, totals } = event;
    plan.verdict = { status, summary, totals };
    return;
  }
  const step: Writable<PlanStepView> | undefined = plan.steps.get(event.stepId);
  if (step === undefined) return;
  if (event.type === "plan.decided") {
    const { attempt, decision, reason, recoveryTask } = event;
    listOf(step.decisions).push({ attempt, decision, reason, ...(recoveryTask === undefined ? {} : { recoveryTask }) });
    return;
  }
  step.state = event.state;
  step.attempt = event.attempt;
  step.runId = event.stepRunId ?? step.runId;
  step.summary = event.summary ?? step.summary;
};

const make = ({ view }: RunCell, { callId, plan }: EventOf<"plan.made">): void => {
  if (view.plans.has(callId)) return;
  if (view.plans === NO_PLANS) view.plans = new Map();
  const steps = plan.steps.map((step): [string, PlanStepView] => [
    step.id,
    { step, state: "pending", attempt: 0, runId: null, summary: null, decisions: [] },
  ]);
  mapOf(view.plans).set(callId, { callId, plan, steps: new Map(steps), verdict: null });
};
