/**
 * What an engine is: where runs are admitted, driven, spoken to and followed. Everything asked of a run goes through the log, so that it does not matter which
 * process drives the run, or whether any does. `testing/engine-contract.ts` is the suite that every engine passes.
 */
import type {
  ApproveMode,
  ApprovalId,
  ForkPoint,
  Guardrails,
  InputSource,
  Limits,
  MessageId,
  ProposedAct,
  RetinueEvent,
  RunId,
  RunResult,
  RunSpec,
  SessionId,
  TurnId,
  UserPart,
  WaitingFor,
} from "@retinue/protocol";
import type { AgentDefinition, ParseOutput } from "@retinue/protocol/agent-file";
import type {
  AnyTool,
  ApprovalAnswer,
  ApprovalRequest,
  Hooks,
  PlanSettings,
  Ports,
  Purse,
  RunState,
  WorktreePlace,
  Worktrees,
} from "@retinue/runtime";
import type { EventLog, OpenApproval, QueuedTurn } from "@retinue/store";
import type { EngineFloor } from "./embedded/floor.ts";
import type { MergeOrder } from "./worktree/merge-order.ts";

/** Asked as soon as a question stands in the record; an answer from elsewhere aborts the signal. */
export type Approver = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>;

/** What the engine's host provides; the rest of a run's ports comes from the engine and the log. */
export type HostPorts = Pick<Ports, "model" | "clock" | "realPath" | "judge" | "redactor" | "outage"> & {
  readonly tool: (name: string) => AnyTool | undefined;
  /** The text of a file inside a workspace, already judged. */
  readonly readFile: (file: string, workspace: string) => Promise<string>;
  /**
   * The real way from a workspace to a folder of it, with forward slashes, for a run that is to work in that folder alone; empty for the workspace itself.
   * Without it, every run works in the whole workspace. Throws `directory_refused`.
   */
  readonly openDirectory?: (named: string, workspace: string) => Promise<string>;
  /** Makes and merges worktrees; without it, runs that need one are refused. */
  readonly worktrees?: Worktrees;
  /** Runs a command line under a run's grant; absent where there is no shell. */
  readonly shell?: (
    command: string,
    spec: RunSpec,
    signal: AbortSignal,
    /** As a human has allowed it; absent where nobody had to be asked. */
    act?: ProposedAct,
  ) => Promise<{ readonly ok: boolean; readonly output: string }>;
};

export type EngineOptions = {
  readonly log: EventLog;
  readonly ports: HostPorts;
  readonly createId: () => string;
  /** What is written to files later does not change who can be started. Read whenever it is needed: a host that registers agents has another map then. */
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** Used by agents that name none. */
  readonly model: string;
  /** How many sub-agents of one run work at the same time. */
  readonly maxConcurrent: number;
  /** How many sub-agents one run may start in all. */
  readonly maxChildren: number;
  /** How many tokens of a sub-agent's answer enter its parent's context, where its definition does not say. */
  readonly resultTokens?: number | undefined;
  /** How plans are carried out; by default as `PLAN_DEFAULTS` says. */
  readonly plan?: PlanSettings | undefined;
  readonly approver?: Approver | undefined;
  /** Without an approver: `deny` answers no; `park` leaves the run in the log until somebody answers, from wherever. */
  readonly unattended: "deny" | "park";
  readonly approvalExpiresMs?: number | undefined;
  readonly hooks?: Hooks | undefined;
  /** Asked for runs that come from outside; those of an agent's definition are asked for each of its runs. */
  readonly guardrails?: Guardrails | undefined;
  /** Sees every event of every session that is driven here, as it is published. */
  readonly observer?: ((event: RetinueEvent) => void) | undefined;
  /** Who gives the inputs that code of this process makes, where they do not say so themselves. */
  readonly source?: InputSource | undefined;
  /** Told of what went wrong and changes no run: something that a tool held open, and that could not be closed when its run or session was left. */
  readonly onProblem?: ((problem: string) => void) | undefined;
  /** Shared by the engines of one process that write to the same log; an engine without one stands alone. */
  readonly floor?: EngineFloor | undefined;
};

export type RunRequest = {
  readonly agent: string;
  readonly task: readonly UserPart[];
  readonly spec: RunSpec;
  /** The session to go on with; a new one where absent. */
  readonly sessionId?: SessionId;
  /** The id of the new session, where the caller made one before; `session_exists` where it is taken. */
  readonly newSessionId?: SessionId;
  /** The turn of the session's queue that this is: `turn_taken` where it does not wait any more or is not the next, `session_running` where a turn is at work. */
  readonly queuedTurn?: TurnId;
  /** Who asked for it, where that is to be recorded. */
  readonly source?: InputSource;
  /** Where another run is left, in a session of its own. With it the task may be empty: then it goes on without a word. */
  readonly forkedFrom?: ForkPoint;
  /** What the output schema of the spec means beyond JSON Schema, in place of what the agent's definition says. */
  readonly parseOutput?: ParseOutput;
  /** Where the run works in a worktree: the runs among which it is merged in order. */
  readonly mergeOrder?: MergeOrder;
  /** Aborting it cancels the run. */
  readonly signal?: AbortSignal;
};

/** How this process ended with a run. */
export type RunOutcome =
  | { readonly type: "settled"; readonly result: RunResult }
  | { readonly type: "parked"; readonly on: readonly WaitingFor[] };

export type RunHandle = AsyncIterable<RetinueEvent> & {
  readonly sessionId: SessionId;
  readonly runId: RunId;
  /** The last event of the session before those that the handle tells of. */
  readonly afterSeq: number;
  /**
   * The run's result, also where it parks and goes on later, here or in another process. It rejects only when Retinue itself failed or the engine was
   * closed (`run_left_open`), never for what became of the run.
   */
  readonly result: Promise<RunResult>;
  /** Resolves when the run has settled, or has parked for the first time. */
  readonly outcome: Promise<RunOutcome>;
  readonly cancel: (reason?: string) => void;
};

/** Who says it; where absent, the engine's own source. */
export type Given = { readonly source?: InputSource };

export type Cancel = Given & {
  readonly reason?: string;
  /** The run hands in what it has, in place of being cancelled. */
  readonly finish?: boolean;
};

export type Engine = {
  readonly start: (request: RunRequest) => Promise<RunHandle>;
  /** Starts a run below one that is at work in this process, as a delegation of it would, and waits for its result. */
  readonly spawnBelow: (parent: RunId, spawned: Spawned, signal: AbortSignal) => Promise<RunResult>;
  /** Where a worktree for a run on this workspace would stand. Asked for one after the other, in order. */
  readonly placeWorktree: (workspace: string) => Promise<WorktreePlace>;
  /** The tools that a run of this state has. */
  readonly toolsFor: (state: RunState) => ReadonlyMap<string, AnyTool>;
  /** Goes on with a run that was requested and not settled, and with everything below it. */
  readonly resume: (runId: RunId, options?: ResumeOptions) => Promise<RunHandle>;
  /**
   * These four resolve when the input is recorded, whichever process drives the run. They throw `run_unknown`, `run_settled`, `approval_unknown`,
   * `approval_answered` or `approval_expired`, and then nothing has changed.
   */
  readonly cancel: (runId: RunId, cancel?: Cancel) => Promise<void>;
  /** Says something to a run; the run reads it before its next turn. */
  readonly send: (runId: RunId, said: string | readonly UserPart[], given?: Given) => Promise<void>;
  /** Takes back what a human said to a run, while the run has not read it. Throws `message_unknown` where there is nothing to take back. */
  readonly withdraw: (runId: RunId, messageId: MessageId, given?: Given) => Promise<void>;
  readonly answer: (approvalId: ApprovalId, answer: ApprovalAnswer, given?: Given) => Promise<void>;
  /** Says what the session is to do after the turns before it, for whoever drives the session then. Throws `session_unknown`. */
  readonly queueTurn: (sessionId: SessionId, task: string | readonly UserPart[], given?: Given) => Promise<TurnId>;
  /** Takes back a queued turn that has not begun. Throws `message_unknown`. */
  readonly withdrawTurn: (sessionId: SessionId, turnId: TurnId, given?: Given) => Promise<void>;
  /** The turns that wait, of one session or of all, in order. */
  readonly queuedTurns: (sessionId?: SessionId) => Promise<readonly QueuedTurn[]>;
  /** The queued turn that may begin now; undefined while a turn of the session is at work, and where a person stopped the one before. */
  readonly nextTurn: (sessionId: SessionId) => Promise<QueuedTurn | undefined>;
  /** The questions that wait for an answer, of one session or of all, whichever process drives them or none. */
  readonly approvals: (sessionId?: SessionId) => Promise<readonly OpenApproval[]>;
  /** The events of a session after a number, then those to come, from whichever process; live ones only of runs that are driven here. */
  readonly follow: (sessionId: SessionId, options?: FollowOptions) => AsyncIterable<RetinueEvent>;
  /** Who the conversation of a session was handed to, and the rights of whoever handed it over; null where the main agent has it. */
  readonly heldBy: (sessionId: SessionId) => Promise<HeldConversation | null>;
  /** What a run at work and everything below it have used and set aside; only to be looked at. */
  readonly purse: (runId: RunId) => Purse | undefined;
  /** Stops driving: what runs is left open in the record, to be resumed. */
  readonly close: () => Promise<void>;
};

export type HeldConversation = { readonly agent: string; readonly from: RunSpec };

export type FollowOptions = { readonly afterSeq?: number; readonly signal?: AbortSignal };

export type ResumeOptions = {
  /** Also from a living process that works on it, which can write nothing from then on. Otherwise that is `session_running`. */
  readonly takeOver?: boolean;
};

/** A run that code, and not a model, starts below another. */
export type Spawned = {
  readonly agent: AgentDefinition;
  readonly task: string;
  readonly limits: Limits;
  readonly tools: readonly string[] | undefined;
  /** In place of what the agent's file says. */
  readonly isolation?: AgentDefinition["isolation"] | undefined;
  /** In place of the model of the agent's file. */
  readonly model?: string | undefined;
  /** Never more than the run above has. */
  readonly approve?: ApproveMode | undefined;
  /** The folder of its workspace that it works in, and sees nothing outside of. */
  readonly workingDirectory?: string | undefined;
};
