/** What the reducer keeps of a run: the view that is read, and beside it what makes the next event cheap. */
import type { ApprovalId, CallId, Limits, RunId, RunIdentity } from "@retinue/protocol";
import type { ApprovalView, CallView, RunState, RunView, SessionView, Spending } from "./session-view.ts";

export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The reducer made all collections of the view itself, and alone may write to them. */
export const listOf = <T>(list: readonly T[]): T[] => list as T[];
export const mapOf = <Key, Value>(map: ReadonlyMap<Key, Value>): Map<Key, Value> => map as Map<Key, Value>;

export type RunCell = {
  readonly view: Writable<RunView>;
  parent: RunCell | null;
  /** Its own request, or another event of its own, was seen. */
  isSeen: boolean;
  readonly openApprovals: Map<ApprovalId, Writable<ApprovalView>>;
  /** Calls that have started and not settled, each with how many of its runs have not. */
  readonly openCalls: Map<CallId, number>;
  /** How many of the open calls have a run that has not settled. */
  waitingCalls: number;
  /** Runs whose call has not been told of yet, or was not loaded. */
  readonly early: Map<CallId, RunView[]>;
  /** Of the latest recorded event of the run itself. */
  lastSeq: number;
  /** It is among those that have changed. */
  isChanged: boolean;
};

export type SessionCell = {
  readonly view: Writable<SessionView>;
  readonly cells: Map<RunId, RunCell>;
  changed: RunCell[];
};

export const markChanged = (session: SessionCell, cell: RunCell): void => {
  if (cell.isChanged) return;
  cell.isChanged = true;
  session.changed.push(cell);
};

export const noSpending = (): Writable<Spending> => ({
  usage: { input: 0, output: 0, cached: 0, reasoning: 0 },
  costUsd: 0,
  unpricedCalls: 0,
  modelCalls: 0,
  iterations: 0,
  toolCalls: 0,
  runs: 0,
});

/** Shared until a run has one. */
export const NO_PLANS: ReadonlyMap<CallId, never> = new Map<CallId, never>();

const NO_LIMITS: Limits = {};

const UNSEEN: RunState = { type: "unseen" };

export const createCell = (identity: RunIdentity): RunCell => {
  const { sessionId, runId, parentRunId, depth, agent } = identity;
  return {
    view: {
      sessionId,
      runId,
      parentRunId,
      depth,
      agent,
      state: UNSEEN,
      parentCallId: null,
      isBrief: false,
      requested: null,
      requestedAt: null,
      task: [],
      limits: NO_LIMITS,
      treeLimits: NO_LIMITS,
      model: "",
      startedAt: null,
      endedAt: null,
      updatedAt: null,
      drives: 0,
      children: [],
      steps: [],
      unloaded: [],
      calls: new Map(),
      own: noSpending(),
      inclusive: noSpending(),
      activeMs: 0,
      contextTokens: 0,
      limitsReached: [],
      approvals: [],
      messages: [],
      queuedMessages: new Map(),
      cancelRequests: [],
      parkedOn: null,
      isFinishing: false,
      todo: null,
      plans: NO_PLANS,
      worktree: null,
      transferredTo: null,
      errors: [],
      warnings: [],
      result: null,
      log: [],
    },
    parent: null,
    isSeen: false,
    openApprovals: new Map(),
    openCalls: new Map(),
    waitingCalls: 0,
    early: new Map(),
    lastSeq: 0,
    isChanged: false,
  };
};

/** The call of that id; made where no event has told of it. */
export const callOf = (cell: RunCell, callId: CallId, tool: string): Writable<CallView> => {
  const known = cell.view.calls.get(callId);
  if (known !== undefined) return known;
  const call: CallView = {
    callId,
    tool,
    step: null,
    state: "asked",
    arguments: null,
    input: undefined,
    effect: null,
    startedAt: null,
    settledAt: null,
    outcome: null,
    content: [],
    error: null,
    artifact: null,
    files: null,
    tests: null,
    sandbox: null,
    progress: "",
    approval: null,
    children: cell.early.get(callId) ?? [],
    aside: null,
  };
  cell.early.delete(callId);
  mapOf(cell.view.calls).set(callId, call);
  return call;
};
