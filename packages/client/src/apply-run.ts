/** How a run begins, is parked and limited, and ends; and what that means for the call of its parent. */
import type { CallId, EventOf } from "@retinue/protocol";
import { beginTransfer } from "./apply-transfer.ts";
import type { WorktreeView } from "./session-view.ts";
import { listOf, mapOf, type RunCell, type SessionCell } from "./run-cell.ts";
import { updateState } from "./run-state.ts";
import { book, toSpending } from "./run-tree.ts";

const NO_WORKTREE: WorktreeView = {
  state: "requested",
  folder: null,
  of: null,
  base: null,
  merging: null,
  merged: null,
  error: null,
};

export const applyRequested = (session: SessionCell, cell: RunCell, event: EventOf<"run.requested">): void => {
  const { view } = cell;
  if (view.requested !== null) return;
  view.requested = event;
  view.requestedAt = event.at;
  view.task = event.task;
  view.limits = event.spec.limits;
  view.treeLimits = event.spec.treeLimits;
  if (view.model === "") view.model = event.spec.model;
  if (event.spec.worktree) view.worktree = { ...NO_WORKTREE, ...event.spec.worktree, ...dropNull(view.worktree) };
  if (event.parentCallId === undefined) return;
  view.parentCallId = event.parentCallId;
  if (cell.parent !== null) joinCall(session, cell.parent, event.parentCallId, cell);
};

/** What is known of a worktree already, where its events came first. */
const dropNull = (worktree: WorktreeView | null): Partial<WorktreeView> =>
  Object.fromEntries(Object.entries(worktree ?? {}).filter(([, value]) => value !== null));

const joinCall = (session: SessionCell, parent: RunCell, callId: CallId, child: RunCell): void => {
  const call = parent.view.calls.get(callId);
  if (call) {
    listOf(call.children).push(child.view);
    beginTransfer(parent, call);
  } else {
    const early = parent.early.get(callId);
    if (early) early.push(child.view);
    else parent.early.set(callId, [child.view]);
  }
  if (child.view.state.type !== "settled") countChild(parent, callId, 1);
  updateState(session, parent);
};

/** One more or one less of the runs of an open call has not settled. */
const countChild = (parent: RunCell, callId: CallId, by: 1 | -1): void => {
  const before = parent.openCalls.get(callId);
  if (before === undefined) return;
  const after = before + by;
  parent.openCalls.set(callId, after);
  if (before === 0) parent.waitingCalls += 1;
  if (after === 0) parent.waitingCalls -= 1;
};

export const applySettled = (session: SessionCell, cell: RunCell, { result, at, seq, agent }: EventOf<"run.settled">): void => {
  const { view, parent } = cell;
  if (view.result !== null) return;
  view.result = result;
  view.endedAt = at;
  view.parkedOn = null;
  view.warnings = result.warnings;
  if (result.error) listOf(view.errors).push({ seq, at, from: "run", name: agent, error: result.error });
  for (const [approvalId, approval] of cell.openApprovals) {
    approval.isClosed = true;
    mapOf(session.view.openApprovals).delete(approvalId);
  }
  cell.openApprovals.clear();
  if (parent === null || view.parentCallId === null) return;
  countChild(parent, view.parentCallId, -1);
  updateState(session, parent);
};

export const applyStarted = (cell: RunCell, { at }: EventOf<"run.started">): void => {
  cell.view.startedAt ??= at;
  cell.view.drives += 1;
  cell.view.parkedOn = null;
};

export const applyParked = ({ view }: RunCell, { on, activeMs }: EventOf<"run.parked">): void => {
  view.parkedOn = on;
  view.activeMs = Math.max(view.activeMs, activeMs);
};

export const applyLimit = (cell: RunCell, { limit, used, max }: EventOf<"limit.reached">): void => {
  cell.view.isFinishing = true;
  listOf(cell.view.limitsReached).push({ limit, used, max });
};

export const applyFitted = (session: SessionCell, cell: RunCell, event: EventOf<"context.fitted">): void => {
  cell.view.contextTokens -= event.beforeTokens - event.afterTokens;
  if (event.summary) book(session, cell, toSpending(event.summary));
};

type WorktreeEvent = EventOf<"worktree.made" | "worktree.refused" | "worktree.merging" | "worktree.merged">;

export const applyWorktree = (cell: RunCell, event: WorktreeEvent): void => {
  const { view } = cell;
  const before = view.worktree ?? NO_WORKTREE;
  switch (event.type) {
    case "worktree.made":
      view.worktree = { ...before, state: "made", base: event.base };
      return;
    case "worktree.refused":
      view.worktree = { ...before, state: "refused", error: event.error };
      listOf(view.errors).push({ seq: event.seq, at: event.at, from: "worktree", name: "worktree", error: event.error });
      return;
    case "worktree.merging": {
      const { commit, changes, conflicts } = event;
      view.worktree = { ...before, state: "merging", merging: { commit, changes, conflicts } };
      return;
    }
    case "worktree.merged":
      view.worktree = { ...before, state: "merged", merged: event };
      return;
    default:
      event satisfies never;
  }
};
