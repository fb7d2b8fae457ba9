/** A view as plain data in which every run stands once, so that two views can be compared. */
import type { ApprovalView, CallView, RunView, SessionView } from "../session-view.ts";

const idsOf = (runs: readonly RunView[]): readonly string[] => runs.map(({ runId }) => runId);

const flattenRun = (run: RunView): unknown => ({
  ...run,
  children: idsOf(run.children),
  steps: run.steps.map((step) => ({ ...step, calls: step.calls.map(({ callId }) => callId) })),
  calls: Array.from(run.calls.values(), (call) => ({ ...call, children: idsOf(call.children) })),
  queuedMessages: [...run.queuedMessages.values()],
});

export const flattenView = (view: SessionView): unknown => ({
  ...view,
  roots: idsOf(view.roots),
  runs: Array.from(view.runs.values(), flattenRun),
  openApprovals: [...view.openApprovals.keys()],
  approvals: [...view.approvals.values()],
});

type Flat = { readonly approvals: readonly ApprovalView[]; readonly runs: readonly { readonly calls: readonly CallView[] }[] };

/** As `flattenView`, without the order of questions and calls: where a view was loaded piece by piece, that is the order of loading. */
export const flattenUnordered = (view: SessionView): unknown => {
  // What `flattenView` gives.
  const flat = flattenView(view) as Flat;
  return {
    ...flat,
    approvals: Object.fromEntries(flat.approvals.map((approval) => [approval.approvalId, approval])),
    runs: flat.runs.map((run) => ({ ...run, calls: Object.fromEntries(run.calls.map((call) => [call.callId, call])) })),
  };
};
