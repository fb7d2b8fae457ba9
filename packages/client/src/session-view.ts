/**
 * A session as surfaces draw it: the tree of runs with what each of them does, spends and waits for. Everything in it comes from events.
 * It is written to in place by the reducer alone: whoever draws reads it, and asks the store which runs have changed.
 */
import type {
  ApprovalId,
  ArtifactRef,
  Aside,
  CallId,
  ErrorValue,
  EventOf,
  FileChanges,
  FinishReason,
  InputSource,
  Json,
  LimitName,
  Limits,
  MessageId,
  Plan,
  PlanStep,
  PlanTotals,
  ProposedAct,
  RecordedEvent,
  RunId,
  RunIdentity,
  RunResult,
  RunStatus,
  SessionId,
  StepState,
  TestCounts,
  ToolEffect,
  ToolOutcome,
  Usage,
  UserPart,
  WaitingFor,
} from "@retinue/protocol";

export type SessionView = {
  readonly sessionId: SessionId;
  /** Of the last recorded event that was applied; 0 before the first. A feed goes on after it. */
  readonly lastSeq: number;
  /** Numbers that were skipped, where the latest event came too early. */
  readonly gap: SequenceGap | null;
  /** When the latest recorded event was. */
  readonly updatedAt: string | null;
  /** Runs at depth 0, in the order of their requests, with those below them. */
  readonly roots: readonly RunView[];
  readonly runs: ReadonlyMap<RunId, RunView>;
  /** Questions that wait for an answer, in the order in which they were asked. */
  readonly openApprovals: ReadonlyMap<ApprovalId, ApprovalView>;
  /** All questions, in the order in which they were asked. */
  readonly approvals: ReadonlyMap<ApprovalId, ApprovalView>;
  /** Of all runs together. */
  readonly spent: Spending;
};

/** The recorded events after `after` and before `before` are missing. */
export type SequenceGap = { readonly after: number; readonly before: number };

/** What was used. `own` of a run is its alone, `inclusive` also that of everything below it. */
export type Spending = {
  readonly usage: Usage;
  /** Of what has a price. */
  readonly costUsd: number;
  /** Calls of models whose price is not known. */
  readonly unpricedCalls: number;
  /** Answers of models in turns, the hand-in included. */
  readonly modelCalls: number;
  /** Turns that could use tools, as limits count them. */
  readonly iterations: number;
  /** Calls of tools that were executed. */
  readonly toolCalls: number;
  readonly runs: number;
};

export type RunState =
  /** Only a run below it has told of it. */
  | { readonly type: "unseen" }
  | { readonly type: "requested" }
  | { readonly type: "running" }
  /** A parked run has left memory; it is driven on when what it waits for has happened. */
  | { readonly type: "waiting"; readonly on: "approval" | "run"; readonly isParked: boolean }
  /** It hands in what it has. */
  | { readonly type: "finishing" }
  | { readonly type: "settled"; readonly status: RunStatus };

export type RunView = RunIdentity & {
  readonly state: RunState;
  /** The call of the parent that this run is the body of. */
  readonly parentCallId: CallId | null;
  /**
   * Only its head is here, as from a snapshot: the first line of its task, state, times, sums and the runs below it. The rest is loaded on
   * demand; nothing in it can change any more, as the run has settled.
   */
  readonly isBrief: boolean;
  /** Null where the request was not seen. */
  readonly requested: EventOf<"run.requested"> | null;
  readonly requestedAt: string | null;
  readonly task: readonly UserPart[];
  /** As they were requested: its own, and those of it and everything below together. */
  readonly limits: Limits;
  readonly treeLimits: Limits;
  /** The model that was asked last. */
  readonly model: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** When its latest recorded event was. */
  readonly updatedAt: string | null;
  /** How often a process began to drive it. */
  readonly drives: number;
  readonly children: readonly RunView[];
  readonly steps: readonly StepView[];
  /** The places, among all steps of the run, of those that are not here; in order. Empty unless the view began with a snapshot. */
  readonly unloaded: readonly StepRange[];
  /** Every call, by its id, in the order in which they were first told of. */
  readonly calls: ReadonlyMap<CallId, CallView>;
  readonly own: Spending;
  readonly inclusive: Spending;
  /** Time at work so far, without waiting for humans. */
  readonly activeMs: number;
  /** Size of the latest request, with its answer. */
  readonly contextTokens: number;
  readonly limitsReached: readonly LimitReached[];
  readonly approvals: readonly ApprovalView[];
  readonly messages: readonly MessageView[];
  /** Received, and not yet part of the conversation. */
  readonly queuedMessages: ReadonlyMap<MessageId, MessageView>;
  readonly cancelRequests: readonly CancelView[];
  readonly parkedOn: readonly WaitingFor[] | null;
  /** Its next turn is its last. */
  readonly isFinishing: boolean;
  /** The list that the `todo` tool was last given; null where it was not called. */
  readonly todo: readonly TodoItem[] | null;
  /** The plans that were made or carried out, by their call. */
  readonly plans: ReadonlyMap<CallId, PlanView>;
  readonly worktree: WorktreeView | null;
  /** Who goes on with the conversation in its place; null where it has the conversation itself, also when that came back to it. */
  readonly transferredTo: TransferView | null;
  readonly errors: readonly ErrorView[];
  readonly warnings: readonly string[];
  readonly result: RunResult | null;
  /** Everything that was recorded of this run, in order; empty where the store keeps no log. */
  readonly log: readonly RecordedEvent[];
};

/** From one place up to, and not with, another; the first step of a run has place 0. */
export type StepRange = { readonly from: number; readonly to: number };

export type StepView = {
  readonly step: number;
  readonly state: "asked" | "answered" | "failed";
  readonly model: string;
  readonly handIn: boolean;
  readonly askedAt: string;
  readonly endedAt: string | null;
  /** What the model said: so far, while it is asked; whole, once it has answered. */
  readonly text: string;
  readonly reasoning: string;
  /** What the model writes as the input of a call, so far. Empty once it has answered. */
  readonly toolInput: string;
  /** While the model is asked again after a failure. */
  readonly retrying: Pick<EventOf<"model.retrying">, "model" | "attempt" | "waitMs" | "error" | "giveUpAt"> | null;
  readonly calls: readonly CallView[];
  readonly failures: readonly Pick<EventOf<"model.failed">, "model" | "error" | "next">[];
  readonly finishReason: FinishReason | null;
  readonly usage: Usage | null;
  readonly costUsd: number | null;
};

export type CallView = {
  readonly callId: CallId;
  readonly tool: string;
  /** The turn that it belongs to; null where it is our own, or no answer has told of it. */
  readonly step: number | null;
  readonly state: "asked" | "running" | "settled";
  /** As the model wrote them; null where it did not. */
  readonly arguments: string | null;
  /** As they were parsed, once it has started. */
  readonly input: Json | undefined;
  readonly effect: ToolEffect | null;
  readonly startedAt: string | null;
  readonly settledAt: string | null;
  readonly outcome: ToolOutcome | null;
  readonly content: readonly UserPart[];
  readonly error: ErrorValue | null;
  readonly artifact: ArtifactRef | null;
  readonly files: FileChanges | null;
  readonly tests: TestCounts | null;
  readonly sandbox: string | null;
  /** What it tells of itself while it runs; empty once it has settled. */
  readonly progress: string;
  readonly approval: ApprovalView | null;
  /** The runs that are its body. */
  readonly children: readonly RunView[];
  readonly aside: Aside | null;
};

export type ApprovalView = {
  readonly approvalId: ApprovalId;
  readonly runId: RunId;
  readonly agent: string;
  readonly depth: number;
  readonly act: ProposedAct;
  readonly hash: string;
  readonly requestedAt: string;
  readonly expiresAt: string | null;
  readonly answer: Pick<EventOf<"approval.answered">, "allowed" | "scope" | "reason" | "text" | "source" | "at"> | null;
  /** Nobody can answer any more: it was answered, its call has settled, or its run is over. */
  readonly isClosed: boolean;
};

export type MessageView = {
  readonly messageId: MessageId | null;
  readonly from: "human" | RunId;
  readonly content: readonly UserPart[];
  readonly source: InputSource | null;
  readonly receivedAt: string;
  readonly deliveredAt: string | null;
  /** When it was taken back; a message that was on its way by then is delivered all the same. */
  readonly withdrawnAt: string | null;
};

export type CancelView = {
  readonly at: string;
  readonly reason: string | null;
  readonly isFinish: boolean;
  readonly source: InputSource | null;
};

export type LimitReached = { readonly limit: LimitName; readonly used: number; readonly max: number };

export type PlanView = {
  readonly callId: CallId;
  readonly plan: Plan;
  /** By step, in the order of the plan. */
  readonly steps: ReadonlyMap<string, PlanStepView>;
  readonly verdict: { readonly status: "pass" | "fail"; readonly summary: string; readonly totals: PlanTotals } | null;
};

export type PlanStepView = {
  readonly step: PlanStep;
  readonly state: StepState;
  readonly attempt: number;
  readonly runId: RunId | null;
  readonly summary: string | null;
  readonly decisions: readonly Pick<EventOf<"plan.decided">, "attempt" | "decision" | "reason" | "recoveryTask">[];
};

export type TodoItem = { readonly text: string; readonly status: "pending" | "in_progress" | "completed" };

export type WorktreeView = {
  readonly state: "requested" | "made" | "refused" | "merging" | "merged";
  readonly folder: string | null;
  readonly of: string | null;
  readonly base: string | null;
  readonly merging: Pick<EventOf<"worktree.merging">, "commit" | "changes" | "conflicts"> | null;
  readonly merged: EventOf<"worktree.merged"> | null;
  readonly error: ErrorValue | null;
};

/** A conversation that was handed over (`transfer`). */
export type TransferView = {
  /** The call that hands it over. */
  readonly callId: CallId;
  /** The run that goes on with it; it may hand it over in turn. */
  readonly runId: RunId;
  readonly agent: string;
  readonly at: string;
  /** Whoever has it has answered for good. Until then it may come back. */
  readonly hasAnswered: boolean;
};

/** What went wrong on the way, of a model, a tool, the worktree or the run itself. */
export type ErrorView = {
  readonly seq: number;
  readonly at: string;
  readonly from: "model" | "tool" | "worktree" | "run";
  /** Which model or tool. */
  readonly name: string;
  readonly error: ErrorValue;
};
