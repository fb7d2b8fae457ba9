/** Takes a view apart: the snapshot that a page begins with, and the pieces that it asks for later. The view is only read. */
import type { RunId } from "@retinue/protocol";
import type { CallView, RunView, SessionView, StepRange, StepView } from "../session-view.ts";
import { toTaskLine } from "../task-line.ts";
import type { CallItem, PlacedStep, RunHead, RunPart, RunRest, StepItem, StepsPage, ViewSnapshot } from "./view-snapshot.ts";

export type SnapshotSize = {
  /** A session of at most so many steps is given whole. */
  readonly wholeSteps: number;
  /** How many of its latest steps a run is given with at most. */
  readonly pageSteps: number;
  /** A run at work is given with so many at least. */
  readonly leastSteps: number;
};

export const SNAPSHOT_SIZE: SnapshotSize = { wholeSteps: 400, pageSteps: 40, leastSteps: 4 };

/** A title is the first line of the task, up to here. */
const TITLE_CHARS = 500;

const isSettled = ({ state }: RunView): boolean => state.type === "settled";

export const toViewSnapshot = (view: SessionView, size: SnapshotSize = SNAPSHOT_SIZE): ViewSnapshot => {
  const { sessionId, lastSeq: seq, updatedAt, spent, roots, runs, openApprovals } = view;
  return {
    sessionId,
    seq,
    updatedAt,
    spent,
    roots: idsOf(roots),
    runs: Array.from(runs.values(), toHead),
    parts: toParts(view, size),
    openApprovals: [...openApprovals.keys()],
  };
};

/** Of a run that is known by its head. */
export const toRunPart = (view: SessionView, run: RunView, pageSteps: number = SNAPSHOT_SIZE.pageSteps): RunPart => ({
  seq: view.lastSeq,
  runId: run.runId,
  rest: toRest(run),
  stepCount: run.steps.length,
  steps: toLatestSteps(run, pageSteps),
});

export const toStepsPage = (view: SessionView, run: RunView, { from, to }: StepRange): StepsPage => ({
  seq: view.lastSeq,
  runId: run.runId,
  steps: run.steps.slice(from, to).map((step, index) => ({ at: from + index, step: toStepItem(step) })),
});

const toParts = (view: SessionView, { wholeSteps, pageSteps, leastSteps }: SnapshotSize): readonly RunPart[] => {
  const all = [...view.runs.values()];
  const steps = all.reduce((sum, run) => sum + run.steps.length, 0);
  if (steps <= wholeSteps) return all.map((run) => toRunPart(view, run, run.steps.length));
  const open = all.filter((run) => !isSettled(run));
  const share = Math.min(pageSteps, Math.max(leastSteps, Math.floor(wholeSteps / Math.max(1, open.length))));
  const shown = latestRoots(view, pageSteps);
  return all.flatMap((run) => {
    if (shown.has(run)) return [toRunPart(view, run, pageSteps)];
    // Plans are few, and are drawn together.
    return isSettled(run) && run.plans.size === 0 ? [] : [toRunPart(view, run, share)];
  });
};

/** The runs at depth 0 that the last page of the conversation belongs to. */
const latestRoots = ({ roots }: SessionView, pageSteps: number): ReadonlySet<RunView> => {
  const found = new Set<RunView>();
  let steps = 0;
  for (let index = roots.length - 1; index >= 0 && steps < pageSteps; index -= 1) {
    const root = roots[index] as RunView; // Within its bounds.
    found.add(root);
    steps += root.steps.length;
  }
  return found;
};

const idsOf = (runs: readonly RunView[]): readonly RunId[] => runs.map(({ runId }) => runId);

const toHead = (run: RunView): RunHead => ({
  runId: run.runId,
  parentRunId: run.parentRunId,
  parentCallId: run.parentCallId,
  depth: run.depth,
  agent: run.agent,
  state: run.state,
  title: toTaskLine(run.task).slice(0, TITLE_CHARS),
  model: run.model,
  requestedAt: run.requestedAt,
  startedAt: run.startedAt,
  endedAt: run.endedAt,
  updatedAt: run.updatedAt,
  drives: run.drives,
  own: run.own,
  inclusive: run.inclusive,
  activeMs: run.activeMs,
  contextTokens: run.contextTokens,
  limits: run.limits,
  treeLimits: run.treeLimits,
  transferredTo: run.transferredTo,
  stepCount: run.steps.length,
  children: idsOf(run.children),
});

const toRest = (run: RunView): RunRest => ({
  isFinishing: run.isFinishing,
  requested: run.requested,
  limitsReached: run.limitsReached,
  // The others come with their calls.
  approvals: run.approvals.filter((approval) => run.calls.get(approval.act.callId)?.approval !== approval),
  messages: run.messages,
  cancelRequests: run.cancelRequests,
  parkedOn: run.parkedOn,
  todo: run.todo,
  asides: toAsides(run).map(toCallItem),
  plans: Array.from(run.plans.values(), (plan) => ({ ...plan, steps: [...plan.steps.values()] })),
  worktree: run.worktree,
  errors: run.errors,
  result: run.result,
});

const toAsides = (run: RunView): readonly CallView[] => {
  const asides: CallView[] = [];
  for (const call of run.calls.values()) if (call.step === null) asides.push(call);
  return asides;
};

/** The latest, and those before them in which something can still happen. */
const toLatestSteps = (run: RunView, pageSteps: number): readonly PlacedStep[] => {
  const first = Math.max(0, run.steps.length - pageSteps);
  const latest = run.steps.slice(first).map((step, index) => ({ at: first + index, step: toStepItem(step) }));
  if (isSettled(run)) return latest;
  const earlier: PlacedStep[] = [];
  for (let at = 0; at < first; at += 1) {
    const step = run.steps[at] as StepView; // Within its bounds.
    if (canChange(step)) earlier.push({ at, step: toStepItem(step) });
  }
  return [...earlier, ...latest];
};

const canChange = (step: StepView): boolean => step.state === "asked" || step.calls.some(({ state }) => state !== "settled");

const toStepItem = (view: StepView): StepItem => {
  const { toolInput: _toolInput, retrying: _retrying, ...step } = view;
  return { ...step, calls: step.calls.map(toCallItem) };
};

const toCallItem = (view: CallView): CallItem => {
  const { children: _children, input, ...call } = view;
  return input === undefined ? call : { ...call, input };
};
