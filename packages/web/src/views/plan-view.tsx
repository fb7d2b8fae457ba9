/** The plans of a session: up to 60 steps as a graph of what depends on what, more as a list; each step with what it is at and what was decided. */
import type { PlanStepView, PlanView, RunView, SessionView } from "@retinue/client";
import { money } from "../parts/amounts.ts";
import { Glyph } from "../parts/status.tsx";
import { useScene, useSessionVersion } from "../session/session-context.ts";
import { isCallWithin, isRunWithin, type TimeRange } from "../session/time-range.ts";
import { CarryOutPlan } from "./carry-out-plan.tsx";
import { layOutPlan, type PlacedStep } from "./plan-layout.ts";
import { STEP_STATUS, STEP_WORDS } from "./plan-state.ts";

const MOST_IN_GRAPH = 60;
const BOX = { width: 210, height: 76, gapX: 44, gapY: 16 } as const;

const place = ({ column, row }: PlacedStep): { readonly x: number; readonly y: number } => ({
  x: column * (BOX.width + BOX.gapX),
  y: row * (BOX.height + BOX.gapY),
});

const StepBox = ({ step }: { readonly step: PlanStepView }) => {
  const { select } = useScene();
  const { runId, state, attempt } = step;
  return (
    <button
      type="button"
      className="plan-step"
      data-status={STEP_STATUS[state]}
      disabled={runId === null}
      onClick={() => runId !== null && select(runId)}
      title={step.step.expectedResult}
    >
      <span className="line">
        <Glyph status={STEP_STATUS[state]} />
        <span className="small tone grow">
          {STEP_WORDS[state]}
          {attempt > 1 ? `, attempt ${attempt}` : ""}
        </span>
        <span className="quiet small clip">{step.step.agent}</span>
      </span>
      <span className="plan-what">{step.step.description}</span>
    </button>
  );
};

const Graph = ({ steps }: { readonly steps: readonly PlanStepView[] }) => {
  const layout = layOutPlan(steps);
  const width = layout.columns * (BOX.width + BOX.gapX) - BOX.gapX;
  const height = layout.rows * (BOX.height + BOX.gapY) - BOX.gapY;
  return (
    <div className="plan-graph" tabIndex={0} role="group" aria-label="Steps and what they depend on">
      <div className="plan-space" style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true">
          {layout.edges.map(({ from, to }) => {
            const [a, b] = [place(from), place(to)];
            const [x1, y1, x2, y2] = [a.x + BOX.width, a.y + BOX.height / 2, b.x, b.y + BOX.height / 2];
            const half = (x2 - x1) / 2;
            return (
              <path
                key={`${from.step.step.id}/${to.step.step.id}`}
                className="plan-edge"
                d={`M${x1} ${y1}C${x1 + half} ${y1} ${x2 - half} ${y2} ${x2} ${y2}`}
              />
            );
          })}
        </svg>
        <ol>
          {layout.steps.map((placed) => (
            <li
              key={placed.step.step.id}
              style={{ left: place(placed).x, top: place(placed).y, width: BOX.width, height: BOX.height }}
            >
              <StepBox step={placed.step} />
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
};

const Decisions = ({ steps }: { readonly steps: readonly PlanStepView[] }) => {
  const decided = steps.flatMap(({ step, decisions }) => decisions.map((decision) => ({ step, decision })));
  return decided.length === 0 ? null : (
    <ul className="plain-list">
      {decided.map(({ step, decision }, at) => (
        <li key={at} className="small">
          <strong>{decision.decision}</strong> after {step.id}, attempt {decision.attempt}: {decision.reason}
        </li>
      ))}
    </ul>
  );
};

const isStepAtWork = ({ runId }: PlanStepView, { runs }: SessionView, range: TimeRange): boolean => {
  const run = runId === null ? undefined : runs.get(runId);
  return run !== undefined && isRunWithin(run, range);
};

/** It was made or carried out then. */
const isPlanWithin = (run: RunView, { callId }: PlanView, range: TimeRange): boolean => {
  const call = run.calls.get(callId);
  return call === undefined ? isRunWithin(run, range) : isCallWithin(call, range);
};

type WorkspaceId = `wsp_${string}`;

const OnePlan = ({ plan, workspaceId }: { readonly plan: PlanView; readonly workspaceId: WorkspaceId | undefined }) => {
  const { isReplay, session, range } = useScene();
  const all = [...plan.steps.values()];
  const isOnlyMade = plan.verdict === null && all.every(({ state }) => state === "pending");
  const steps = range === null || isOnlyMade ? all : all.filter((step) => isStepAtWork(step, session.view, range));
  return (
    <section className="stack" aria-label={`Plan: ${plan.plan.goal}`}>
      <div>
        <h2>{plan.plan.goal}</h2>
        <p className="quiet small">
          {all.filter(({ state }) => state === "completed").length} of {all.length} steps completed
          {steps.length === all.length ? "" : ` · ${steps.length} at work in the selected time`}
          {plan.verdict === null
            ? ""
            : ` · ${plan.verdict.status}: ${plan.verdict.summary} · ${money(plan.verdict.totals.costUsd ?? 0)}`}
        </p>
      </div>
      {steps.length <= MOST_IN_GRAPH ? (
        <Graph steps={steps} />
      ) : (
        <ol className="plan-list">
          {steps.map((step) => (
            <li key={step.step.id}>
              <StepBox step={step} />
            </li>
          ))}
        </ol>
      )}
      <Decisions steps={steps} />
      {workspaceId === undefined || isReplay || !isOnlyMade ? null : <CarryOutPlan plan={plan.plan} workspaceId={workspaceId} />}
    </section>
  );
};

/** `workspaceId`: where a plan may be carried out; undefined while the session is at work. */
export const PlanGraphView = ({ workspaceId }: { readonly workspaceId: WorkspaceId | undefined }) => {
  const { session, range } = useScene();
  useSessionVersion(session);
  const plans = [...session.view.runs.values()].flatMap((run) =>
    [...run.plans.values()].filter((plan) => range === null || isPlanWithin(run, plan, range)),
  );
  return (
    <div className="view-scroll stack">
      {plans.length === 0 ? (
        <p className="blank quiet">
          {range === null ? "No plan was made in this session." : "No plan was made or carried out in the selected time."}
        </p>
      ) : (
        plans.map((plan) => <OnePlan key={plan.callId} plan={plan} workspaceId={workspaceId} />)
      )}
    </div>
  );
};
