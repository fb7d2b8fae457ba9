/**
 * Puts pieces of a view where they belong: runs that were only heads, steps that were left out. What the view has already stays as it is, so that a
 * piece may come at any time and more than once.
 */
import type { ApprovalView, CallView, RunView, StepRange, StepView } from "../session-view.ts";
import { listOf, mapOf, NO_PLANS, type RunCell, type SessionCell, type Writable } from "../run-cell.ts";
import type { CallItem, PlacedStep, RunPart } from "./view-snapshot.ts";

/** Gives a run everything but its head. */
export const loadRest = (session: SessionCell, cell: RunCell, { rest, stepCount, steps }: RunPart): void => {
  const { view } = cell;
  const { asides, plans, approvals, messages, ...lists } = rest;
  Object.assign(view, lists satisfies Partial<RunView>);
  view.isBrief = false;
  view.task = rest.requested?.task ?? [];
  view.warnings = rest.result?.warnings ?? [];
  view.messages = messages;
  view.queuedMessages = new Map(
    messages.flatMap((message) =>
      message.messageId === null || message.deliveredAt !== null ? [] : [[message.messageId, message] as const],
    ),
  );
  view.plans =
    plans.length === 0
      ? NO_PLANS
      : new Map(plans.map((plan) => [plan.callId, { ...plan, steps: new Map(plan.steps.map((step) => [step.step.id, step])) }]));
  view.approvals = [];
  view.steps = [];
  view.calls = new Map();
  view.unloaded = stepCount === 0 ? [] : [{ from: 0, to: stepCount }];
  for (const approval of approvals) addApproval(session, cell, approval);
  loadSteps(session, cell, steps);
  for (const item of asides) addCall(session, cell, item);
};

/** Puts in those of the steps that are not here yet. */
export const loadSteps = (session: SessionCell, cell: RunCell, placed: readonly PlacedStep[]): boolean => {
  const missing = placed.filter(({ at }) => cell.view.unloaded.some(({ from, to }) => from <= at && at < to));
  if (missing.length === 0) return false;
  const { view } = cell;
  const added = missing.map(({ step }): StepView => ({
    ...step,
    toolInput: "",
    retrying: null,
    calls: step.calls.map((item) => addCall(session, cell, item)),
  }));
  view.steps = mergeSteps(view, missing, added);
  for (const { at } of missing) view.unloaded = without(view.unloaded, at);
  listOf(view.approvals).sort((one, other) => compare(one.requestedAt, other.requestedAt));
  return true;
};

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const mergeSteps = (
  { steps, unloaded }: RunView,
  placed: readonly PlacedStep[],
  added: readonly StepView[],
): readonly StepView[] => {
  const merged: StepView[] = [];
  let [here, next, at] = [0, 0, 0];
  for (const range of [...unloaded, { from: Infinity, to: Infinity }]) {
    for (; at < range.from && here < steps.length; at += 1, here += 1) merged.push(steps[here] as StepView); // Within its bounds.
    for (; next < placed.length && (placed[next]?.at ?? Infinity) < range.to; next += 1) merged.push(added[next] as StepView); // Each has its place.
    at = range.to;
  }
  return merged;
};

const without = (ranges: readonly StepRange[], at: number): readonly StepRange[] =>
  ranges.flatMap((range) => {
    if (at < range.from || at >= range.to) return [range];
    return [
      { from: range.from, to: at },
      { from: at + 1, to: range.to },
    ].filter(({ from, to }) => from < to);
  });

const addCall = (session: SessionCell, cell: RunCell, item: CallItem): CallView => {
  const known = cell.view.calls.get(item.callId);
  if (known !== undefined) return known;
  const approval = item.approval === null ? null : addApproval(session, cell, item.approval);
  const call: CallView = { ...item, input: item.input, approval, children: cell.early.get(item.callId) ?? [] };
  cell.early.delete(item.callId);
  mapOf(cell.view.calls).set(item.callId, call);
  if (call.state !== "running") return call;
  const open = call.children.filter(({ state }) => state.type !== "settled").length;
  cell.openCalls.set(call.callId, open);
  if (open > 0) cell.waitingCalls += 1;
  return call;
};

const addApproval = (session: SessionCell, cell: RunCell, given: ApprovalView): ApprovalView => {
  const approval: Writable<ApprovalView> = given;
  mapOf(session.view.approvals).set(approval.approvalId, approval);
  listOf(cell.view.approvals).push(approval);
  if (!approval.isClosed) cell.openApprovals.set(approval.approvalId, approval);
  return approval;
};
