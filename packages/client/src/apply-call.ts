/** A tool call on its way: started, telling how far it is, settled; and the approval that it may have waited for. */
import type { EventOf } from "@retinue/protocol";
import type { ApprovalView, CallView } from "./session-view.ts";
import { beginTransfer, endTransfer } from "./apply-transfer.ts";
import { readTodo } from "./read-todo.ts";
import { callOf, listOf, mapOf, type RunCell, type SessionCell, type Writable } from "./run-cell.ts";
import { updateState } from "./run-state.ts";
import { book, ONE_TOOL_CALL, toSpending } from "./run-tree.ts";

export const applyToolStarted = (cell: RunCell, event: EventOf<"tool.started">): void => {
  const call = callOf(cell, event.callId, event.tool);
  if (call.state === "settled") return;
  call.state = "running";
  call.tool = event.tool;
  call.input = event.input;
  call.effect = event.effect;
  call.startedAt = event.at;
  call.aside = event.aside ?? null;
  beginTransfer(cell, call);
  if (cell.openCalls.has(event.callId)) return;
  let open = 0;
  for (const child of call.children) if (child.state.type !== "settled") open += 1;
  cell.openCalls.set(event.callId, open);
  if (open > 0) cell.waitingCalls += 1;
};

export const applyToolSettled = (session: SessionCell, cell: RunCell, event: EventOf<"tool.settled">): void => {
  const call = callOf(cell, event.callId, event.tool);
  if (call.state === "settled") return;
  const { at, seq, tool, outcome } = event;
  call.state = "settled";
  call.tool = tool;
  call.settledAt = at;
  call.outcome = outcome;
  call.content = event.content;
  call.error = event.error ?? null;
  call.artifact = event.artifact ?? null;
  call.files = event.files ?? null;
  call.tests = event.tests ?? null;
  call.sandbox = event.sandbox ?? null;
  call.aside = event.aside ?? null;
  call.progress = "";
  cell.view.activeMs = Math.max(cell.view.activeMs, event.activeMs);
  if (event.error) listOf(cell.view.errors).push({ seq, at, from: "tool", name: tool, error: event.error });
  if (tool === "todo" && outcome === "ok") cell.view.todo = readTodo(call.input) ?? cell.view.todo;
  endTransfer(cell, event);
  if (call.approval !== null) close(session, cell, call.approval);
  closeCall(session, cell, call);
  if (event.spent) book(session, cell, toSpending(event.spent));
};

/** Only what was started was executed, and counts. */
const closeCall = (session: SessionCell, cell: RunCell, { callId, aside }: CallView): void => {
  const open = cell.openCalls.get(callId);
  if (open === undefined) return;
  cell.openCalls.delete(callId);
  if (open > 0) cell.waitingCalls -= 1;
  if (aside === null) book(session, cell, ONE_TOOL_CALL);
};

/** False where the call has settled, or was never told of. */
export const applyProgress = (cell: RunCell, { callId, text }: EventOf<"tool.progress">): boolean => {
  const call: Writable<CallView> | undefined = cell.view.calls.get(callId);
  if (call === undefined || call.state === "settled") return false;
  call.progress = text;
  return true;
};

/** A question that is asked again, after a crash, keeps its place. */
export const applyApprovalRequested = (session: SessionCell, cell: RunCell, event: EventOf<"approval.requested">): void => {
  const { approvalId, act, hash, runId, agent, depth, at } = event;
  if (session.view.approvals.has(approvalId)) return;
  const approval: ApprovalView = {
    approvalId,
    runId,
    agent,
    depth,
    act,
    hash,
    requestedAt: at,
    expiresAt: event.expiresAt ?? null,
    answer: null,
    isClosed: false,
  };
  mapOf(session.view.approvals).set(approvalId, approval);
  mapOf(session.view.openApprovals).set(approvalId, approval);
  listOf(cell.view.approvals).push(approval);
  cell.openApprovals.set(approvalId, approval);
  callOf(cell, act.callId, act.tool).approval = approval;
};

export const applyApprovalAnswered = (session: SessionCell, event: EventOf<"approval.answered">): void => {
  const approval: Writable<ApprovalView> | undefined = session.view.approvals.get(event.approvalId);
  if (approval === undefined || approval.isClosed) return;
  const { allowed, scope, reason, text, source, at } = event;
  approval.answer = {
    allowed,
    scope,
    at,
    ...(reason !== undefined && { reason }),
    ...(text !== undefined && { text }),
    ...(source !== undefined && { source }),
  };
  const owner = session.cells.get(approval.runId);
  if (owner === undefined) return;
  close(session, owner, approval);
  updateState(session, owner);
};

const close = (session: SessionCell, cell: RunCell, approval: Writable<ApprovalView>): void => {
  approval.isClosed = true;
  cell.openApprovals.delete(approval.approvalId);
  mapOf(session.view.openApprovals).delete(approval.approvalId);
};
