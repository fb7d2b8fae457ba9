/** Where runs hang: below the run that started them, also where that is heard of later. Sums go up to every run above. */
import type { RunIdentity, Spent } from "@retinue/protocol";
import { toPossibleSpent } from "@retinue/protocol";
import type { Spending } from "./session-view.ts";
import { createCell, listOf, markChanged, noSpending, type RunCell, type SessionCell, type Writable } from "./run-cell.ts";

/** The cell of the run that an event is about. A run that only its children told of is placed once it is seen itself. */
export const cellOf = (session: SessionCell, identity: RunIdentity): RunCell => {
  const known = session.cells.get(identity.runId);
  if (known?.isSeen === true) return known;
  const cell = known ?? addCell(session, identity);
  cell.isSeen = true;
  const { view } = cell;
  view.agent = identity.agent;
  view.depth = identity.depth;
  view.parentRunId = identity.parentRunId;
  if (identity.parentRunId !== null) hang(session, cell, identity);
  book(session, cell, ONE_RUN);
  return cell;
};

const addCell = (session: SessionCell, identity: RunIdentity): RunCell => {
  const cell = createCell(identity);
  session.cells.set(identity.runId, cell);
  // The map of the view is the reducer's own.
  (session.view.runs as Map<string, RunCell["view"]>).set(identity.runId, cell.view);
  listOf(session.view.roots).push(cell.view);
  return cell;
};

const hang = (session: SessionCell, cell: RunCell, { sessionId, parentRunId, depth }: RunIdentity): void => {
  if (parentRunId === null) return;
  const parent =
    session.cells.get(parentRunId) ??
    addCell(session, { sessionId, runId: parentRunId, parentRunId: null, depth: Math.max(0, depth - 1), agent: "" });
  // Events that say of a run that it is above itself would make every sum endless.
  for (let above: RunCell | null = parent; above !== null; above = above.parent) if (above === cell) return;
  const roots = listOf(session.view.roots);
  roots.splice(roots.lastIndexOf(cell.view), 1);
  cell.parent = parent;
  listOf(parent.view.children).push(cell.view);
  for (let above: RunCell | null = parent; above !== null; above = above.parent) {
    add(above.view.inclusive, cell.view.inclusive);
    markChanged(session, above);
  }
};

/** Adds what a run used to its own sum, to that of every run above it, and to that of the session. */
export const book = (session: SessionCell, cell: RunCell, amounts: Spending): void => {
  add(cell.view.own, amounts);
  add(session.view.spent, amounts);
  for (let above: RunCell | null = cell; above !== null; above = above.parent) {
    add(above.view.inclusive, amounts);
    markChanged(session, above);
  }
};

const add = (sum: Spending, amounts: Spending): void => {
  // Sums are the reducer's own.
  const to: Writable<Spending> = sum;
  const tokens: Writable<Spending["usage"]> = sum.usage;
  tokens.input += amounts.usage.input;
  tokens.output += amounts.usage.output;
  tokens.cached += amounts.usage.cached;
  tokens.reasoning += amounts.usage.reasoning;
  to.costUsd += amounts.costUsd;
  to.unpricedCalls += amounts.unpricedCalls;
  to.modelCalls += amounts.modelCalls;
  to.iterations += amounts.iterations;
  to.toolCalls += amounts.toolCalls;
  to.runs += amounts.runs;
};

const ONE_RUN: Spending = { ...noSpending(), runs: 1 };
export const ONE_TOOL_CALL: Spending = { ...noSpending(), toolCalls: 1 };

/** What was paid for; what has no price is counted. All amounts have the same fields in the same order, which keeps adding them cheap. */
export const toSpending = (recorded: Spent, modelCalls = 0, iterations = 0): Spending => {
  const { usage, costUsd } = toPossibleSpent(recorded);
  return {
    usage,
    costUsd: costUsd ?? 0,
    unpricedCalls: costUsd === null ? 1 : 0,
    modelCalls,
    iterations,
    toolCalls: 0,
    runs: 0,
  };
};
