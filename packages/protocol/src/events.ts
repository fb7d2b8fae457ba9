/**
 * What a run says while it runs. Recorded events are the truth: they are appended to the log before they are shown,
 * and the state of a run is their fold. Live events may be dropped; the recorded event that closes what they
 * were about carries the whole value. `docs/events.md` draws them.
 */
import type { ApprovalId, ArtifactId, CallId, MessageId, RunId, SessionId, TurnId } from "./ids.ts";
import type { ErrorValue } from "./errors.ts";
import type { Grant } from "./grant.ts";
import type { Json, JsonObject } from "./json.ts";
import type { LimitName, Limits } from "./limits.ts";
import type { AssistantPart, Message, UserPart } from "./messages.ts";
import type { OrchestratorDecision, Plan, PlanTotals, StepState, SubTask } from "./plan.ts";
import type { FileVersion, MergeConflict, MergeOutcome, RunResult } from "./result.ts";
import type { Thinking } from "./thinking.ts";
import type { Usage } from "./usage.ts";

/** Who speaks. */
export type RunIdentity = {
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly parentRunId: RunId | null;
  /** 0 is the main agent. */
  readonly depth: number;
  readonly agent: string;
};

/**
 * `seq` counts the recorded events of a session from 1 without gaps. A live event carries the number of the
 * recorded event it follows. `at` is wall-clock time for people; order is by `seq` alone.
 */
export type Stamp = { readonly seq: number; readonly at: string };

export type ToolEffect = "read" | "write" | "execute" | "network";

/** Everything needed to run, resume or replay a run, frozen when it is requested. */
export type RunSpec = {
  readonly system: string;
  /** How many characters (code points) at the beginning of `system` are the role's own prompt, the same in all of its runs. */
  readonly roleChars?: number;
  /** How many characters at the beginning of `system` are the same in runs beside it; absent where all are. */
  readonly sharedChars?: number;
  /** What of its parent's context the run was given. */
  readonly contextMode?: "none" | "summary" | "selective" | "full";
  /** `provider/model`. */
  readonly model: string;
  readonly fallbacks: readonly string[];
  readonly tools: readonly string[];
  /** Names or globs that whoever started the run kept its tools to. */
  readonly askedTools?: readonly string[];
  /** Of this run alone; tokens, cost and time count what is below too. */
  readonly limits: Limits;
  /** What this run and everything below it may use together. */
  readonly treeLimits: Limits;
  /** What it may hand on. */
  readonly grant: Grant;
  /** Agents it may start. */
  readonly delegates: readonly string[];
  /** Agents that it could start if it were not at the greatest depth, by all of their names. */
  readonly tooDeepFor?: readonly string[];
  /** JSON Schema of the result it owes. */
  readonly output?: JsonObject;
  /** `verdict`: its last message ends with the lines `RESULT: PASS` or `RESULT: FAIL`, and `SUMMARY: …`. */
  readonly ending?: "verdict";
  /** What must agree before its result counts as completed. */
  readonly accept?: Acceptance;
  /** The folder that the run works in. */
  readonly workspace: string;
  /** The way there from the folder of the run above, where it was given a part of that. */
  readonly directory?: string;
  /** A run with one works in a copy of its own, and `workspace` lies in that. */
  readonly worktree?: Worktree;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  /** How hard its model thinks; absent: as the model does by itself. */
  readonly thinking?: Thinking;
  /** The model that a person chose for the run and everything below it; agents that name one of their own keep that. */
  readonly treeModel?: string;
  /** The model that summarises old context, where another than `model`. */
  readonly summaryModel?: string;
  /** What was said in the session before is summarised ahead of the first turn. */
  readonly compact?: true;
  /** A host made this call itself and only recorded it: nobody drives it, resumes it or replays it. */
  readonly recordedOnly?: true;
};

/** A git worktree that one run works in. */
export type Worktree = {
  /** Its top. */
  readonly folder: string;
  /** The workspace that it is made from, and that its changes are merged into. */
  readonly of: string;
};

/** A command that we run in the workspace and that must end with 0, or an agent that judges the result. */
export type Acceptance = { readonly command: string } | { readonly agent: string };

/** The full text behind a shortened tool output, or bytes that a tool gave, such as an image. */
export type ArtifactRef = {
  readonly artifactId: ArtifactId;
  /** 0 for bytes, as are its lines. */
  readonly chars: number;
  readonly lines: number;
  /** How many bytes there are; absent where the artifact is a text. */
  readonly bytes?: number;
  readonly mediaType?: string;
};

/** Files an act really changed, measured, relative to the workspace. */
export type FileChanges = { readonly modified: readonly string[]; readonly created: readonly string[] };

/** Who went on with a conversation in the place of the run that had it, and what it answered in the end. */
export type Transferred = { readonly runId: RunId; readonly agent: string; readonly text: string };

/** Tests that an act really ran. */
export type TestCounts = {
  readonly run: number;
  readonly passed: number;
  /** Of several runs counted together, the last one. */
  readonly latest?: { readonly run: number; readonly passed: number };
};

/**
 * ok: did what was asked. error: tried and failed, or the call was malformed. denied: policy or a human said no.
 * cancelled: the run was stopped first. unknown: it was under way at a crash; whether it took effect is not known.
 */
export type ToolOutcome = "ok" | "error" | "denied" | "cancelled" | "unknown";

export type FinishReason = "stop" | "tool-calls" | "length" | "filtered" | "other";

export type ForkPoint = { readonly sessionId: SessionId; readonly runId: RunId; readonly seq: number };

/** What exactly was asked, in a form that can be compared: hashes of the parts of the request. */
export type RequestDigest = { readonly system: string; readonly tools: string; readonly messages: string };

/** The act a human is asked about, in canonical form. */
export type ProposedAct = {
  readonly callId: CallId;
  readonly tool: string;
  readonly effect: ToolEffect;
  readonly input: Json;
  readonly paths: readonly string[];
  readonly hosts: readonly string[];
  /** Those of the paths that need an answer of their own, as they were named. */
  readonly protectedPaths?: readonly string[];
  /** Files that the command runs, with a hash of their content: another content is another act. */
  readonly scripts?: readonly { readonly path: string; readonly digest: string }[];
  /** Of a command that could run any file of the workspace: a hash of all of them as they were when it was asked about. */
  readonly tree?: string;
  /** It would run without a sandbox: why, and what is not protected from it then. */
  readonly unsandboxed?: string;
  /** The rule that wants a human's word, in every approve mode. */
  readonly askedBy?: string;
  /** Names of the secrets that it is given; their values stand nowhere. */
  readonly secrets?: readonly string[];
  /** The act is a question to the human: the answer carries their words. */
  readonly question?: UserQuestion;
  /** The question is put again: what changed since it was put before, such as names of files. */
  readonly changed?: readonly string[];
};

/** What an agent asks the user. */
export type UserQuestion = {
  readonly text: string;
  /** Answers that it offers; any other may be given. */
  readonly options: readonly string[];
};

/** For what an answer holds: this act, acts like it in this run, or acts like it anywhere in the session. */
export type ApprovalScope = "once" | "run" | "session";

/** Who gave an input, and from where. */
export type InputSource = {
  /** The way in: the `retinue` command, code that embeds the library, a server's client, another run of the session, or a rule of ours. */
  readonly via: "command" | "library" | "server" | "run" | "rule";
  /** The account it was given under, where there is one. */
  readonly user?: string;
  readonly host?: string;
  readonly pid?: number;
};

/** What a parked run waits for. */
export type WaitingFor =
  | { readonly type: "approval"; readonly approvalId: ApprovalId }
  | { readonly type: "run"; readonly runId: RunId };

/**
 * What anybody who may reach the session can append to a run, without its lease. Inputs commute with everything the driver of the run
 * writes: the fold only puts them where the driver finds them, and the driver records what it does with them.
 */
export type InputBody =
  | {
      /** Somebody spoke to the run: a human, its parent, or a sub-agent that settled in the background. The run has it once it is delivered. */
      readonly type: "message.received";
      /** Absent in records from before messages were delivered; those entered the conversation where they stand. */
      readonly messageId?: MessageId;
      readonly from: "human" | RunId;
      readonly content: readonly UserPart[];
      readonly source?: InputSource;
    }
  | {
      /** Who said something takes it back. A message that was on its way into the conversation by then is delivered all the same. */
      readonly type: "message.withdrawn";
      readonly messageId: MessageId;
      readonly source?: InputSource;
    }
  | {
      readonly type: "approval.answered";
      readonly approvalId: ApprovalId;
      readonly allowed: boolean;
      readonly scope: ApprovalScope;
      readonly reason?: string;
      /** What the human said, where the act is a question to them. */
      readonly text?: string;
      readonly source?: InputSource;
    }
  | {
      /** The run, and everything below it, is to stop. */
      readonly type: "cancel.requested";
      readonly reason?: string;
      /** It hands in what it has, in one last turn, in place of being cancelled. */
      readonly finish?: boolean;
      readonly source?: InputSource;
    }
  | TurnInputBody;

/**
 * What is said to a session about its next turns. It stands beside the main run that is the latest at that time, settled or not, and changes nothing of that
 * run. A queued turn begins when a `run.requested` names it, once.
 */
export type TurnInputBody =
  | {
      /** Somebody said what the session is to do when the turn that runs has ended. */
      readonly type: "turn.queued";
      readonly turnId: TurnId;
      readonly task: readonly UserPart[];
      readonly source?: InputSource;
    }
  | {
      /** A queued turn that has not begun is taken back. */
      readonly type: "turn.withdrawn";
      readonly turnId: TurnId;
      readonly source?: InputSource;
    };

export type RecordedBody =
  | InputBody
  | {
      readonly type: "run.requested";
      readonly task: readonly UserPart[];
      readonly spec: RunSpec;
      /** The call of the parent that this run is the body of. */
      readonly parentCallId?: CallId;
      /** The run of the same session whose conversation this one goes on with. */
      readonly continues?: RunId;
      /** Where another run was when this one left it; `history` is its conversation up to there. An empty task goes on without a word. */
      readonly forkedFrom?: ForkPoint;
      readonly history?: readonly Message[];
      /** The queued turn that this run begins. */
      readonly queuedTurn?: TurnId;
      /** Who asked for it, and from where; of main runs alone. */
      readonly source?: InputSource;
    }
  | { readonly type: "run.started"; readonly epoch: number; readonly resumed: boolean }
  | {
      readonly type: "model.requested";
      /** Counts the turns of the run from 1. A step asked again (resume, fallback) keeps its number. */
      readonly step: number;
      readonly model: string;
      readonly estimatedTokens: number;
      readonly digest: RequestDigest;
      /** The last, tool-less turn of a run that hit a limit. */
      readonly handIn: boolean;
    }
  | {
      readonly type: "model.answered";
      readonly step: number;
      readonly model: string;
      readonly content: readonly AssistantPart[];
      readonly finishReason: FinishReason;
      readonly usage: Usage;
      readonly costUsd: number | null;
      /** What was asked for and left out, since the model does not take it; told once a model. */
      readonly leftOut?: readonly string[];
      /** The limit that allowed no longer answer, where one cut it off. */
      readonly cutBy?: "tokens" | "costUsd";
      readonly activeMs: number;
    }
  | {
      readonly type: "model.failed";
      readonly step: number;
      readonly model: string;
      readonly error: ErrorValue;
      /** The model that is asked next: a fallback, or the first one again where all are away. */
      readonly next: string | null;
      /** How large a request to this model may be, learned from its refusal. */
      readonly learnedWindow?: number;
    }
  | {
      readonly type: "approval.requested";
      readonly approvalId: ApprovalId;
      readonly act: ProposedAct;
      /** SHA-256 of the act; what then runs has the same. */
      readonly hash: string;
      /** After this time nobody can answer any more, and the act is denied. */
      readonly expiresAt?: string;
    }
  | {
      /** Messages that were received are part of the conversation from here on, in this order. */
      readonly type: "message.delivered";
      readonly messageIds: readonly MessageId[];
    }
  | {
      /** The driver left the run at this point: everything it waits for is recorded, and whoever sees it happen drives the run on. */
      readonly type: "run.parked";
      readonly on: readonly WaitingFor[];
      readonly activeMs: number;
    }
  | {
      /** Somebody asked the run to finish: its next turn is its last. */
      readonly type: "run.finishing";
      readonly reason?: string;
      /** Nobody asked: it repeated the same calls with the same outcome. */
      readonly stuck?: true;
    }
  | {
      readonly type: "tool.started";
      readonly callId: CallId;
      readonly tool: string;
      readonly input: Json;
      readonly effect: ToolEffect;
      readonly repeatable: boolean;
      /** We, and not the model, made this call: it belongs to no turn. */
      readonly aside?: Aside;
    }
  | {
      readonly type: "tool.settled";
      readonly callId: CallId;
      readonly tool: string;
      readonly outcome: ToolOutcome;
      readonly aside?: Aside;
      /** Of a call that was not started: its arguments as the model wrote them, or the beginning of those. */
      readonly arguments?: string;
      /** What the model reads. */
      readonly content: readonly UserPart[];
      readonly error?: ErrorValue;
      readonly artifact?: ArtifactRef;
      readonly files?: FileChanges;
      readonly tests?: TestCounts;
      /** What kept the command that it ran to its rights: `bwrap 0.8`, or `none`. */
      readonly sandbox?: string;
      /** The conversation was handed over for good: who answered in the place of this run, and what. */
      readonly transferred?: Transferred;
      /** On models, by the tool itself. */
      readonly spent?: { readonly usage: Usage; readonly costUsd: number | null };
      readonly activeMs: number;
    }
  | {
      readonly type: "context.fitted";
      /** Calls whose outputs were cleared from the context. */
      readonly cleared: readonly CallId[];
      /** The messages `from` up to but not including `to` are replaced by one that says `text`. */
      readonly summary?: {
        readonly from: number;
        readonly to: number;
        readonly text: string;
        readonly model: string;
        readonly usage: Usage;
        readonly costUsd: number | null;
      };
      /** Sizes of the request, and what it had to fit into. */
      readonly beforeTokens: number;
      readonly afterTokens: number;
      readonly limitTokens: number;
    }
  | {
      readonly type: "limit.reached";
      readonly limit: LimitName;
      readonly used: number;
      readonly max: number;
    }
  | {
      /** The result was rejected. The agent is told why, once; the second time the run has failed. One that is unfinished fails nothing. */
      readonly type: "result.rejected";
      /** The agent's output schema, what must accept its results, a hook that is asked before runs end, or an answer that is none yet. */
      readonly by: "schema" | "accept" | "hook" | "unfinished";
      readonly reason: string;
    }
  | {
      /** A guardrail refused what was asked of the run, or what the run would hand back; the run has failed. */
      readonly type: "guardrail.refused";
      readonly on: "input" | "output";
      /** The name of its function, or its place among them. */
      readonly guardrail: string;
      readonly reason: string;
    }
  | {
      /** The run's worktree stands: it holds the workspace as it was then, uncommitted changes included. */
      readonly type: "worktree.made";
      /** The commit that holds that state. */
      readonly base: string;
    }
  | {
      /** There is no worktree for the run; it ends, and never works in the workspace itself. */
      readonly type: "worktree.refused";
      readonly error: ErrorValue;
    }
  | {
      /** What is about to be written to the workspace, from what to what, so that a merge that was cut off is finished and never made twice. */
      readonly type: "worktree.merging";
      /** The commit that holds everything the run did. */
      readonly commit: string;
      readonly changes: readonly PlannedChange[];
      readonly conflicts: readonly MergeConflict[];
    }
  | PlanBody
  | ({ readonly type: "worktree.merged" } & MergeOutcome)
  | { readonly type: "run.settled"; readonly result: RunResult };

/** How a plan goes. Told by the call that makes it or carries it out; what it decides follows from the results of the runs below that call. */
export type PlanBody =
  | { readonly type: "plan.made"; readonly callId: CallId; readonly plan: Plan }
  | {
      readonly type: "plan.step";
      readonly callId: CallId;
      readonly stepId: string;
      readonly state: StepState;
      readonly attempt: number;
      /** The run that carries it out. */
      readonly stepRunId?: RunId;
      readonly summary?: string;
    }
  | {
      readonly type: "plan.decided";
      readonly callId: CallId;
      readonly stepId: string;
      readonly attempt: number;
      readonly decision: OrchestratorDecision["action"];
      readonly reason: string;
      readonly recoveryTask?: SubTask;
    }
  | {
      readonly type: "plan.settled";
      readonly callId: CallId;
      readonly status: "pass" | "fail";
      readonly summary: string;
      readonly totals: PlanTotals;
    };

/** What a call that we made ourselves is for: the `accept` command of the run's agent, a part of a plan that is carried out, or the summary that a sub-agent is told. */
export type Aside = "accept" | "plan" | "summary";

/** One file of a merge, relative to the workspace that is merged into. Null: no such file. */
export type PlannedChange = { readonly path: string; readonly from: FileVersion | null; readonly to: FileVersion | null };

export type LiveBody =
  | {
      readonly type: "model.delta";
      readonly step: number;
      readonly kind: "text" | "reasoning" | "tool-input";
      readonly text: string;
    }
  | {
      /** What was streamed of this step so far is void. */
      readonly type: "model.retrying";
      readonly step: number;
      readonly model: string;
      readonly attempt: number;
      readonly waitMs: number;
      readonly error: ErrorValue;
      /** Where every model that the run could ask is away: until when is waited. Then the run is left open. */
      readonly giveUpAt?: string;
    }
  | { readonly type: "tool.progress"; readonly callId: CallId; readonly text: string };

export type RecordedEvent = RunIdentity & Stamp & RecordedBody;
export type LiveEvent = RunIdentity & Stamp & LiveBody;
export type RetinueEvent = RecordedEvent | LiveEvent;

/** A recorded event before the log gave it its number. */
export type EventDraft = RunIdentity & { readonly at: string } & RecordedBody;

export type RecordedType = RecordedBody["type"];
export type InputType = InputBody["type"];
export type InputEvent = RunIdentity & Stamp & InputBody;
export type InputDraft = RunIdentity & { readonly at: string } & InputBody;
export type LiveType = LiveBody["type"];

const LIVE: ReadonlySet<string> = new Set<LiveType>(["model.delta", "model.retrying", "tool.progress"]);

const INPUTS: ReadonlySet<string> = new Set<InputType>([
  "message.received",
  "message.withdrawn",
  "approval.answered",
  "cancel.requested",
  "turn.queued",
  "turn.withdrawn",
]);

const TURN_INPUTS: ReadonlySet<string> = new Set<TurnInputBody["type"]>(["turn.queued", "turn.withdrawn"]);

/** Whether anybody may append such an event, without the run's lease. */
export const isInput = <E extends { readonly type: string }>(event: E): event is Extract<E, InputBody> => INPUTS.has(event.type);

/** Whether an input concerns the queue of the session, and not the run beside which it stands. */
export const isTurnInput = <E extends { readonly type: string }>(event: E): event is Extract<E, TurnInputBody> =>
  TURN_INPUTS.has(event.type);

export const isLive = (event: RetinueEvent): event is LiveEvent => LIVE.has(event.type);

/** The event of one type, with its envelope. */
export type EventOf<T extends RecordedType | LiveType> = Extract<RetinueEvent, { readonly type: T }>;
