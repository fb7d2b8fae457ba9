/** A plan in the conversation: its goal and how far its steps are. The plan view draws it whole. */
import type { PlanView } from "@retinue/client";
import { memo } from "react";
import { Glyph } from "../parts/status.tsx";
import { STEP_STATUS, STEP_WORDS } from "../views/plan-state.ts";

export const PlanCard = memo(
  ({
    plan,
    isOpen,
    onToggle,
  }: {
    readonly plan: PlanView;
    readonly version: number;
    readonly isOpen: boolean;
    readonly onToggle: () => void;
  }) => {
    const steps = [...plan.steps.values()];
    const done = steps.filter(({ state }) => state === "completed").length;
    return (
      <div
        className="card plan-card"
        data-status={plan.verdict === null ? "running" : plan.verdict.status === "pass" ? "completed" : "failed"}
      >
        <button type="button" className="card-head" aria-expanded={isOpen} onClick={onToggle}>
          <span className="tool">plan</span>
          <span className="target clip grow">{plan.plan.goal}</span>
          <span className="pips" aria-hidden="true">
            {steps.slice(0, 24).map(({ step, state }) => (
              <i key={step.id} data-status={STEP_STATUS[state]} />
            ))}
          </span>
          <span className="elapsed">
            {done}/{steps.length}
          </span>
        </button>
        {isOpen ? (
          <ol className="card-body plan-steps">
            {steps.map(({ step, state, summary }) => (
              <li key={step.id}>
                <Glyph status={STEP_STATUS[state]} />
                <span className="grow">
                  {step.description}{" "}
                  <span className="quiet small">
                    {step.agent}, {STEP_WORDS[state]}
                  </span>
                  {summary === null ? null : <span className="quiet small"> · {summary}</span>}
                </span>
              </li>
            ))}
          </ol>
        ) : null}
      </div>
    );
  },
);
