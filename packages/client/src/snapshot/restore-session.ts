/** Begins a view with a snapshot: the tree of heads first, then the runs that came with more. */
import { createCell, listOf, mapOf, type RunCell, type SessionCell } from "../run-cell.ts";
import { loadRest } from "./load-pieces.ts";
import type { RunHead, ViewSnapshot } from "./view-snapshot.ts";

export const restoreSession = (session: SessionCell, snapshot: ViewSnapshot): void => {
  const { view, cells } = session;
  view.lastSeq = snapshot.seq;
  view.updatedAt = snapshot.updatedAt;
  view.spent = snapshot.spent;
  for (const head of snapshot.runs) {
    const cell = restoreHead(session, head, snapshot.seq);
    cells.set(head.runId, cell);
    mapOf(view.runs).set(head.runId, cell.view);
  }
  for (const { runId, children } of snapshot.runs) for (const child of children) hang(cells.get(runId), cells.get(child));
  for (const runId of snapshot.roots) {
    const root = view.runs.get(runId);
    if (root !== undefined) listOf(view.roots).push(root);
  }
  for (const part of snapshot.parts) {
    const cell = cells.get(part.runId);
    if (cell !== undefined) loadRest(session, cell, part);
  }
  for (const approvalId of snapshot.openApprovals) {
    const approval = view.approvals.get(approvalId);
    if (approval !== undefined) mapOf(view.openApprovals).set(approvalId, approval);
  }
};

const restoreHead = ({ view: { sessionId } }: SessionCell, head: RunHead, seq: number): RunCell => {
  const { runId, parentRunId, depth, agent } = head;
  const { title, stepCount, children: _, ...fields } = head;
  const cell = createCell({ sessionId, runId, parentRunId, depth, agent });
  Object.assign(cell.view, fields satisfies Partial<RunCell["view"]>);
  cell.view.isBrief = true;
  cell.view.task = title === "" ? [] : [{ type: "text", text: title }];
  cell.view.unloaded = stepCount === 0 ? [] : [{ from: 0, to: stepCount }];
  cell.isSeen = head.state.type !== "unseen";
  cell.lastSeq = seq;
  return cell;
};

const hang = (parent: RunCell | undefined, child: RunCell | undefined): void => {
  if (parent === undefined || child === undefined) return;
  child.parent = parent;
  listOf(parent.view.children).push(child.view);
  const { parentCallId } = child.view;
  if (parentCallId === null) return;
  const early = parent.early.get(parentCallId);
  if (early) early.push(child.view);
  else parent.early.set(parentCallId, [child.view]);
};
