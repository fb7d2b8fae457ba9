/** One node of the tree: who it is, what it is at, what it was asked, and what it has used and has left. */
import type { RunView } from "@retinue/client";
import { memo } from "react";
import { clock, count, money } from "../parts/amounts.ts";
import { BudgetBar } from "../parts/budget-bar.tsx";
import { useNow } from "../parts/clock.ts";
import { Icon } from "../parts/icons.tsx";
import { StatusBadge, toStatus } from "../parts/status.tsx";
import { useScene } from "../session/session-context.ts";
import { AgentIcon } from "./agent-icon.tsx";
import { HandedOver } from "./handed-over.tsx";
import { describeActivity, quietOn } from "./describe-call.ts";
import { describeBudget, elapsedMs, iterationsOf, taskLine, tightestLimit, toBudget, tokensOf } from "./run-figures.ts";

/** A run that says nothing for so long tells so. */
const QUIET_MS = 30_000;

export const Elapsed = ({ run }: { readonly run: RunView }) => {
  const ms = elapsedMs(run, useNow(run.state.type !== "settled"));
  return <span title="Elapsed">{ms === null ? "" : clock(ms)}</span>;
};

const Activity = ({ run }: { readonly run: RunView }) => {
  const { session } = useScene();
  const now = useNow();
  const heardAt = session.heardAt(run.runId);
  const quietMs = heardAt === undefined ? 0 : now - heardAt;
  const isParent = run.state.type === "waiting";
  if (quietMs > QUIET_MS && !isParent)
    return (
      <span className="activity quiet">
        quiet {clock(quietMs)} ({quietOn(run)})
      </span>
    );
  return <span className="activity clip">{describeActivity(run)}</span>;
};

const Figures = ({ run }: { readonly run: RunView }) => {
  const limit = tightestLimit(run);
  const budget = limit === undefined ? undefined : toBudget(run, limit);
  const isLeaf = run.children.length === 0;
  return (
    <span className="figures">
      <span title="Iterations of the most it may take">
        {iterationsOf(run)}
        <span className="hidden-label"> iterations</span>
      </span>
      <span title={isLeaf ? "Tokens" : "Tokens: its own / with all below"}>
        {count(tokensOf(run.own))}
        {isLeaf ? null : ` / ${count(tokensOf(run.inclusive))}`} tok
      </span>
      <span title={isLeaf ? "Cost" : "Cost: its own / with all below"}>
        {money(run.own.costUsd)}
        {isLeaf ? null : ` / ${money(run.inclusive.costUsd)}`}
      </span>
      {limit === undefined || budget === undefined ? null : (
        <BudgetBar budget={budget} label={describeBudget(budget, limit.limit)} />
      )}
    </span>
  );
};

type Props = {
  readonly run: RunView;
  readonly version: number;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  readonly name: string;
};

export const RunRow = memo(({ run, isOpen, isSelected, name }: Props) => {
  const { select, toggle, stop, isReplay } = useScene();
  const status = toStatus(run.state);
  const isAtWork = run.state.type !== "settled";
  return (
    <article
      className="node"
      data-status={status}
      aria-label={`${name}, depth ${run.depth}`}
      aria-current={isSelected ? "true" : undefined}
    >
      <button
        type="button"
        className="fold"
        aria-expanded={isOpen}
        aria-label={`${isOpen ? "Collapse" : "Expand"} ${name}`}
        onClick={() => toggle(run)}
      >
        <Icon name="chevron" size={14} />
      </button>
      <AgentIcon agent={run.agent} />
      <div className="node-lines">
        <div className="line">
          <button type="button" className="node-name" aria-label={`Inspect ${name}`} onClick={() => select(run.runId)}>
            {name}
          </button>
          <StatusBadge state={run.state} />
          <HandedOver run={run} />
          {isAtWork ? <Activity run={run} /> : null}
          <span className="grow" />
          {isAtWork && !isReplay ? (
            <button
              type="button"
              className="button plain small square node-stop"
              aria-label={`Stop ${name}`}
              title={`Stop ${name}`}
              onClick={() => stop(run)}
            >
              <Icon name="stop" size={12} />
            </button>
          ) : null}
          <span className="elapsed">
            <Elapsed run={run} />
          </span>
        </div>
        <div className="line node-second">
          <span className="grow clip task-line" title={taskLine(run)}>
            {run.depth === 0 ? run.model : taskLine(run)}
          </span>
          <Figures run={run} />
        </div>
      </div>
    </article>
  );
});
