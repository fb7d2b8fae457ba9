/**
 * The only ways by which a run touches the world. Whoever hosts the loop provides them; a durable engine wraps these,
 * never the loop.
 */
import type { Model } from "@retinue/model/contract";
import type {
  ApprovalId,
  ApprovalScope,
  CallId,
  EventDraft,
  Json,
  ProposedAct,
  RecordedBody,
  RecordedEvent,
  RunId,
  RunIdentity,
  RunResult,
  RunStatus,
  UserPart,
  WaitingFor,
} from "@retinue/protocol";
import type { Answered } from "./answered.ts";
import type { Artifacts } from "../context/artifacts.ts";
import type { Hooks } from "./hooks.ts";
import type { Outage, OutageDecision } from "./outage.ts";
import type { Judged, Judgement } from "../policy/judge.ts";
import type { Redactor } from "../record/redactor.ts";
import type { Resources } from "./resource.ts";
import type { AnyTool, CallContext } from "./tool.ts";

type Awaitable<T> = T | Promise<T>;

/** Appends to the log, all or nothing, and gives the events back with their numbers. */
export type Emit = (drafts: readonly EventDraft[]) => Awaitable<readonly RecordedEvent[]>;

export type Clock = {
  /** Monotonic milliseconds. Limits are measured by it. */
  readonly now: () => number;
  /** Wall-clock time as ISO 8601, for people. */
  readonly date: () => string;
  /** Calls back once after `ms`; the function returned takes it back. With `idle`, the wait alone does not keep the process alive. */
  readonly after: (ms: number, callback: () => void, options?: { readonly idle: boolean }) => () => void;
};

export type ApprovalAnswer = {
  readonly allowed: boolean;
  /** `once` by default. */
  readonly scope?: ApprovalScope;
  /** The agent reads it. */
  readonly reason?: string;
  /** What the human says, where the act is a question to them (`act.question`). A yes without it is no answer. */
  readonly text?: string;
};

export type ApprovalRequest = {
  readonly approvalId: ApprovalId;
  readonly run: RunIdentity;
  readonly act: ProposedAct;
  readonly hash: string;
  /** The agents from the main one down to the one that asks, by name, as far as they are known. */
  readonly agents?: readonly string[];
};

/** What a run writes, and when. */
export type RecordPorts = {
  readonly emit: Emit;
  readonly clock: Clock;
  readonly artifacts: Artifacts;
  /** Takes known secrets out of all that the run says. Absent: there are none. */
  readonly redactor?: Redactor;
};

/** Whom a run asks. */
export type ModelPorts = {
  /** Throws `RetinueError("model_unknown")` for a name nobody configured. */
  readonly model: (name: string) => Awaitable<Model>;
  /** Decides what becomes of a run while every model that it could ask is away. Absent: the run fails. A replay answers from its record. */
  readonly outage?: (outage: Outage) => OutageDecision;
  /** Whether the provider of a model has answered a run of the same tree before. */
  readonly hasAnswered?: (model: string) => boolean;
};

/** What a run calls, and whether it may. */
export type CallPorts = {
  /** All that this run may call, by name. */
  readonly tools: ReadonlyMap<string, AnyTool>;
  /** The path with every link followed; for what does not exist yet, the real path of the nearest folder that does, plus the rest. */
  readonly realPath: (path: string) => Promise<string>;
  /** Decides whether a call may run; `judge` by default. A replay answers from its record. */
  readonly judge?: (judged: Judged) => Judgement | Promise<Judgement>;
  /** Runs a tool; by default it does. A replay answers from its record. */
  readonly execute?: (tool: AnyTool, input: unknown, context: CallContext) => Promise<Answered>;
  readonly hooks?: Hooks;
  /** What tools of this run hold open. Absent: tools that need something open are answered with `tool_open_failed`. */
  readonly resources?: Resources;
  /** Closes what tools of this run hold open, before the run settles; gives a warning for each that could not be closed. Undefined where nothing is open. */
  readonly release?: () => Promise<readonly string[]> | undefined;
};

/** How a run reaches humans, and how it waits for them. */
export type HumanPorts = {
  /** Whether a human has allowed acts like this one for the whole session. */
  readonly isAllowed?: (act: ProposedAct) => boolean;
  /**
   * Tells whoever can answer that a question stands in the record. The answer comes as an input. Absent: nobody is there, and what needs asking
   * is denied.
   */
  readonly ask?: (request: ApprovalRequest) => void;
  /** How long a question stays open. */
  readonly approvalExpiresMs?: number;
  /**
   * Waits for what the run needs to go on. `input`: something was taken into the run's state, or the signal was aborted. `park`: it is waited for
   * outside of memory, and the drive ends. Absent where nothing can arrive.
   */
  readonly wait?: (on: readonly WaitingFor[], signal: AbortSignal) => Promise<"input" | "park">;
  /** Stops the clocks of the runs above while a human is waited for; the function returned lets them go on. */
  readonly pauseAbove?: () => () => void;
};

/** The runs below that a run waits for or stops; it starts them by tools. */
export type BelowPorts = {
  /** Runs below this one that work in the background and whose results it was not told yet. */
  readonly background?: () => readonly RunId[];
  /** Stops what still works in the background below a run that ends, and waits for it; undefined where nothing does. */
  readonly stopBelow?: () => Promise<unknown> | undefined;
};

/** What looks at a result, and what becomes of the work, before a run settles. */
export type ResultPorts = {
  readonly accept?: AcceptPorts;
  readonly guard?: GuardPorts;
  /** Brings what the run did to where it is wanted, before the run settles. Each event is recorded before what comes after it is done. */
  readonly bringBack?: (status: RunStatus, signal: AbortSignal) => AsyncIterable<RecordedBody>;
};

/** All of them, in one object: whoever needs a few names the group. */
export type Ports = RecordPorts & ModelPorts & CallPorts & HumanPorts & BelowPorts & ResultPorts;

export type GuardRefusal = { readonly guardrail: string; readonly reason: string };

/** Functions of code that look at what goes into a run and what comes out of it. A replay answers from its record. */
export type GuardPorts = {
  /** Null where what is said to the run may be worked on. */
  readonly input?: (said: readonly UserPart[], signal: AbortSignal) => Promise<GuardRefusal | null>;
  /** Null where the run may hand this back. */
  readonly output?: (
    said: { readonly text: string; readonly output?: Json },
    signal: AbortSignal,
  ) => Promise<GuardRefusal | null>;
  /** Why the run may not end yet; null where it may. */
  readonly end?: (said: { readonly text: string; readonly isAgain: boolean }, signal: AbortSignal) => Promise<string | null>;
  /** What is wrong with a result that fits the JSON Schema; null where nothing is. */
  readonly misfit?: (value: Json) => Promise<string | null>;
};

/** What must accept a run's result. */
export type AcceptPorts = {
  /** Runs an `accept` command, as an act of its own; absent where there is no shell. */
  readonly command?: AnyTool;
  /** Runs an agent below that judges the result. */
  readonly verify?: (
    verification: { readonly callId: CallId; readonly agent: string; readonly task: string },
    signal: AbortSignal,
  ) => Promise<RunResult>;
};
