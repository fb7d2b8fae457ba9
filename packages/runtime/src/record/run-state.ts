/** What is known of a run. Only `fold` makes and changes it. */
import type {
  ApprovalId,
  ApprovalScope,
  CallId,
  ErrorValue,
  EventDraft,
  FinishReason,
  LimitName,
  MergeOutcome,
  Message,
  MessageId,
  ProposedAct,
  RunId,
  RunIdentity,
  RunResult,
  RunSpec,
  TestCounts,
  ToolCallPart,
  ToolMessage,
  Usage,
  UserPart,
  WaitingFor,
} from "@retinue/protocol";
import type { MergePlan } from "../delegation/worktrees.ts";

export type Used = {
  iterations: number;
  toolCalls: number;
  /** Time the run worked; waiting for a human is not in it. */
  activeMs: number;
  usage: Usage;
  /** What is known of the cost; `unpriced` says that some calls had no price. */
  costUsd: number;
  unpriced: boolean;
};

/** The tool calls of the latest answer, until all of them are settled. */
export type OpenTurn = {
  /** In the order of the answer. */
  readonly calls: ReadonlyMap<CallId, ToolCallPart>;
  readonly finishReason: FinishReason;
  readonly started: Map<CallId, EventDraft & { readonly type: "tool.started" }>;
  readonly settled: Map<CallId, ToolMessage>;
  /** Commands that changed files of the workspace: the same one again is no repetition. */
  readonly changed: Set<CallId>;
};

export type WaitingMessage = {
  readonly messageId: MessageId;
  readonly from: "human" | RunId;
  readonly content: readonly UserPart[];
};

export type AsideCall = {
  readonly started: EventDraft & { readonly type: "tool.started" };
  readonly settled: (EventDraft & { readonly type: "tool.settled" }) | null;
};

export type WorktreeState = {
  /** The commit it was made from. */
  readonly base: string;
  /** The merge that was begun. */
  readonly merging: (MergePlan & { readonly commit: string }) | null;
  readonly merged: MergeOutcome | null;
};

/** What a human said to an act. */
export type GivenApproval = {
  readonly approvalId: ApprovalId;
  /** What was asked about, and when. */
  readonly act: ProposedAct;
  readonly hash: string;
  readonly askedAt: string;
  readonly scope: ApprovalScope;
  readonly allowed: boolean;
  readonly reason: string | undefined;
  /** Their words, where the act is a question to them. */
  readonly text?: string;
  /** The run had been asked to finish before: what was not allowed by then is not done. */
  readonly isLate?: true;
};

export type RunState = {
  readonly identity: RunIdentity;
  readonly spec: RunSpec;
  /** The conversation as the model sees it. */
  readonly messages: Message[];
  /** Where in `messages` the task of this run stands; it is never cleared nor summarised. */
  taskIndex: number;
  /** Number of the turn that was asked last. */
  step: number;
  /** Which of model and fallbacks is asked: 0 is the model itself. */
  modelIndex: number;
  turn: OpenTurn | null;
  readonly used: Used;
  /** Size of the next request: as measured by the last answer, plus an estimate of what came since. */
  contextTokens: number;
  /** Whether an answer has measured the system prompt and the tools already. */
  measured: boolean;
  /** What the last answer and its request were, in tokens. */
  turnTokens: number;
  limit: { readonly limit: LimitName; readonly used: number; readonly max: number } | null;
  /** The hand-in turn was answered or has failed. */
  handedIn: boolean;
  emptyAnswers: number;
  /** Signatures of the latest calls and their outcomes, oldest first. */
  readonly recentCalls: string[];
  /** What the agent said last. */
  lastText: string;
  /** The latest answer ended at the model's output limit. */
  cut: boolean;
  /** How often an answer that was cut has been continued, and what it said until then. */
  cuts: number;
  cutText: string;
  /** It was told once that its answer is none yet. */
  nudged: boolean;
  /** It repeated the same calls, and hands in. */
  stuck: boolean;
  /** The latest answer has no tool calls: there is nothing left to do. */
  answered: boolean;
  failure: ErrorValue | null;
  /** What was said to the run and is not part of its conversation yet, oldest first. */
  inbox: readonly WaitingMessage[];
  /** What was taken back before it was delivered. */
  withdrawn?: readonly WaitingMessage[];
  /** Runs below whose results it was told as messages. */
  heardFrom: ReadonlySet<string>;
  /** Calls that started a run in the background, and were answered. */
  sentToBackground: ReadonlySet<CallId>;
  /** Somebody asked it to stop. */
  cancelRequested: { readonly reason: string | undefined } | null;
  /** Somebody asked it to hand in what it has. */
  finishRequested: { readonly reason: string | undefined } | null;
  /** It was told so: the next turn is its last. */
  finishing: boolean;
  /** What it waits for outside of memory; null while it is driven. */
  parked: readonly WaitingFor[] | null;
  /** How large requests to a model may be, as its refusals taught. */
  learnedWindows: ReadonlyMap<string, number>;
  /** Calls that we made ourselves, by id: those under way and those that have settled. */
  asides: ReadonlyMap<CallId, AsideCall>;
  /** Kinds of acts that a human has allowed for this run. */
  allowed: ReadonlySet<string>;
  /** Acts that a human was asked about and has not answered. */
  pendingApprovals: ReadonlyMap<CallId, EventDraft & { readonly type: "approval.requested" }>;
  /** Answers for calls that have not settled yet. */
  givenApprovals: ReadonlyMap<CallId, GivenApproval>;
  /** Of all calls so far; results are paired with calls by them. */
  callIds: ReadonlySet<CallId>;
  /** The delegations made since something changed, by agent and task: their calls in order. */
  delegations: ReadonlyMap<string, readonly CallId[]>;
  /** What acts and delegations have answered so far; an answer that was not there before is a change. */
  knownResults: ReadonlySet<string>;
  readonly warnings: string[];
  /** How often a result was rejected. */
  rejections: number;
  testsRun: number;
  testsPassed: number;
  /** Every time that tests were run, by the run or below it, oldest first. */
  testRuns: readonly TestCounts[];
  filesModified: ReadonlySet<string>;
  filesCreated: ReadonlySet<string>;
  /** Of a run that works in a worktree of its own: how far that is. */
  worktree: WorktreeState | null;
  /** Who answered in its place, where it handed the conversation over. */
  transferredTo: { readonly runId: RunId; readonly agent: string } | null;
  /** What was told of plans, so that a plan that is gone on with tells nothing twice. */
  toldOfPlans: ReadonlySet<string>;
  result: RunResult | null;
};
