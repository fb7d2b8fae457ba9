/**
 * The conversation as a list of rows: what was asked, the tree of runs, what they said and did. Runs that have not changed keep their rows, so
 * that a session of a hundred thousand messages costs no more per event than a small one.
 */
import type { ApprovalView, CallView, MessageView, PlanView, RunView, StepRange, StepView } from "@retinue/client";
import type { RunId } from "@retinue/protocol";

type RowBase = { readonly key: string; readonly run: RunView; /** As it was measured; 0 before. */ height: number };

export type Row = RowBase &
  (
    | { readonly type: "asked" }
    | { readonly type: "run" }
    | { readonly type: "task" }
    | { readonly type: "message"; readonly message: MessageView }
    | { readonly type: "said"; readonly step: StepView }
    | { readonly type: "call"; readonly call: CallView; readonly step: StepView | null }
    | { readonly type: "plan"; readonly plan: PlanView }
    | { readonly type: "approval"; readonly approval: ApprovalView }
    | { readonly type: "ending" }
    /** Steps that were not loaded; all there is of a run that is only a head. */
    | { readonly type: "unloaded"; readonly range: StepRange }
  );

export type RowsOptions = {
  readonly roots: readonly RunView[];
  readonly isOpen: (run: RunView) => boolean;
  /** Runs that wait for a human, or have such a run below: they are never folded away. */
  readonly isAwaited: (runId: RunId) => boolean;
  readonly versionOf: (runId: RunId) => number;
};

export type RowsBuilder = (options: RowsOptions) => readonly Row[];

/** A row of the run itself, or the place of a run below. */
type Piece = Row | { readonly type: "below"; readonly child: RunView };

type Kept = { readonly version: number; readonly pieces: readonly Piece[] };

type Detail = Row extends infer R ? (R extends Row ? Omit<R, keyof RowBase> : never) : never;

export const createRowsBuilder = (): RowsBuilder => {
  const kept = new Map<RunId, Kept>();
  const heads = new Map<string, Row>();
  const measured = new Map<string, Row>();

  /** The row of that key: the one that was made before, if there was one, with its height. */
  const rowOf = (key: string, run: RunView, detail: Detail): Row => {
    const known = measured.get(key);
    if (known !== undefined) return known;
    const row: Row = { key, run, height: 0, ...detail };
    measured.set(key, row);
    return row;
  };

  const headOf = (key: string, run: RunView, type: "asked" | "run"): Row => {
    const known = heads.get(key);
    if (known !== undefined) return known;
    const row: Row = { key, run, height: 0, type };
    heads.set(key, row);
    return row;
  };

  const piecesOf = (run: RunView, version: number): readonly Piece[] => {
    const before = kept.get(run.runId);
    if (before?.version === version) return before.pieces;
    const pieces = toPieces(run, (key, detail) => rowOf(`${run.runId}/${key}`, run, detail));
    kept.set(run.runId, { version, pieces });
    return pieces;
  };

  return ({ roots, isOpen, isAwaited, versionOf }) => {
    const rows: Row[] = [];
    const add = (run: RunView): void => {
      const { runId, depth } = run;
      if (depth === 0) rows.push(headOf(`${runId}/asked`, run, "asked"));
      rows.push(headOf(`${runId}/run`, run, "run"));
      const open = isOpen(run);
      if (!open && depth > 0 && !isAwaited(runId)) return;
      for (const piece of piecesOf(run, versionOf(runId))) {
        if (piece.type === "below") {
          if (open || isAwaited(piece.child.runId)) add(piece.child);
        } else if (open || isShownFolded(piece, depth)) rows.push(piece);
      }
    };
    for (const root of roots) add(root);
    return rows;
  };
};

/** A folded main run still shows what it said last; a folded run of any depth shows what it asks. */
const isShownFolded = (row: Row, depth: number): boolean =>
  row.type === "approval" ||
  (depth === 0 && (row.type === "ending" || (row.type === "said" && row.step === row.run.steps.at(-1))));

/** Steps that were not loaded are loaded, and stand in rows, in pieces of so many. */
const UNLOADED_STEPS = 40;

const toChunks = ({ from, to }: StepRange): readonly StepRange[] => {
  const chunks: StepRange[] = [];
  for (let at = from; at < to;) {
    const next = Math.min(to, (Math.floor(at / UNLOADED_STEPS) + 1) * UNLOADED_STEPS);
    chunks.push({ from: at, to: next });
    at = next;
  }
  return chunks;
};

const toPieces = (run: RunView, row: (key: string, detail: Detail) => Row): readonly Piece[] => {
  const pieces: Piece[] = [];
  const addUnloaded = (range: StepRange): void => {
    for (const chunk of toChunks(range))
      pieces.push(row(`unloaded/${chunk.from}-${chunk.to}`, { type: "unloaded", range: chunk }));
  };
  if (run.isBrief) {
    for (const range of run.unloaded.length > 0 ? run.unloaded : [{ from: 0, to: 1 }]) addUnloaded(range);
    for (const child of run.children) if (child.state.type !== "settled") pieces.push({ type: "below", child });
    return pieces;
  }
  if (run.depth > 0 && !isOneLine(run)) pieces.push(row("task", { type: "task" }));
  const placed = new Set<RunView>();
  const messages = run.messages.filter(({ deliveredAt }) => deliveredAt !== null);
  let told = 0;
  const place = (child: RunView): void => {
    if (placed.has(child)) return;
    placed.add(child);
    pieces.push({ type: "below", child });
  };
  const addCall = (call: CallView, step: StepView | null): void => {
    const plan = run.plans.get(call.callId);
    if (plan !== undefined) pieces.push(row(`plan/${call.callId}`, { type: "plan", plan }));
    // What a delegation does is its run; the call alone is shown where there is none.
    else if (call.children.length === 0 && !isAsking(call)) pieces.push(row(`call/${call.callId}`, { type: "call", call, step }));
    if (call.approval !== null && !call.approval.isClosed)
      pieces.push(row(`approval/${call.approval.approvalId}`, { type: "approval", approval: call.approval }));
    for (const child of call.children) place(child);
  };
  let [next, gap] = [0, 0];
  for (const step of run.steps) {
    for (let range = run.unloaded[gap]; range !== undefined && range.from <= next; range = run.unloaded[gap]) {
      addUnloaded(range);
      next = range.to;
      gap += 1;
    }
    next += 1;
    for (; told < messages.length && Date.parse(messages[told]?.deliveredAt ?? "") <= Date.parse(step.askedAt); told++)
      addMessage(messages[told], told);
    if (isWorthShowing(step)) pieces.push(row(`said/${step.step}`, { type: "said", step }));
    for (const call of step.calls) addCall(call, step);
  }
  for (const range of run.unloaded.slice(gap)) addUnloaded(range);
  function addMessage(message: MessageView | undefined, at: number): void {
    if (message !== undefined) pieces.push(row(`message/${message.messageId ?? at}`, { type: "message", message }));
  }
  for (; told < messages.length; told++) addMessage(messages[told], told);
  for (const call of run.calls.values())
    if (call.step === null && (call.aside !== null || call.children.length > 0)) addCall(call, null);
  for (const approval of run.approvals)
    if (!approval.isClosed && run.calls.get(approval.act.callId)?.approval !== approval)
      pieces.push(row(`approval/${approval.approvalId}`, { type: "approval", approval }));
  for (const child of run.children) if (!isOfUnloaded(run, child)) place(child);
  for (const message of run.queuedMessages.values())
    pieces.push(row(`queued/${message.messageId ?? ""}`, { type: "message", message }));
  if (hasEnding(run)) pieces.push(row("ending", { type: "ending" }));
  return pieces;
};

/** Its card is the question. */
const isAsking = ({ approval }: CallView): boolean => approval?.act.question !== undefined && !approval.isClosed;

/** Its place is with a call that was not loaded. One that is at work is shown nonetheless. */
const isOfUnloaded = (run: RunView, { parentCallId, state }: RunView): boolean =>
  run.unloaded.length > 0 && state.type === "settled" && parentCallId !== null && !run.calls.has(parentCallId);

/** The node itself shows a short task whole. */
const isOneLine = ({ task }: RunView): boolean => {
  const [part] = task;
  return task.length === 1 && part?.type === "text" && part.text.length < 80 && !part.text.trim().includes("\n");
};

const isWorthShowing = ({ text, state, reasoning, failures, retrying, toolInput }: StepView): boolean =>
  text.trim() !== "" ||
  state === "asked" ||
  (reasoning !== "" && state !== "answered") ||
  failures.length > 0 ||
  retrying !== null ||
  toolInput !== "";

/** How a run ended is told where it is more than "completed", and what another answered in its place. */
const hasEnding = (run: RunView): boolean => run.result !== null && (isAnsweredElsewhere(run) || isToldOf(run.result));

/** The main agent has handed the conversation over: what it would have said last, another has. */
export const isAnsweredElsewhere = ({ depth, transferredTo }: RunView): boolean =>
  depth === 0 && transferredTo?.hasAnswered === true;

const isToldOf = (result: NonNullable<RunView["result"]>): boolean =>
  result.status !== "completed" ||
  result.warnings.length > 0 ||
  result.unverified.length > 0 ||
  (result.merge !== undefined && result.merge.conflicts.length > 0);
