/**
 * The only ways by which a run touches the world. Whoever hosts the loop provides them; a durable engine wraps these,
 * never the loop.
 */
import type { Model } from "@retinue/model/contract";
import type {
  Acceptance,
  ApprovalId,
  ApprovalScope,
  EventDraft,
  ProposedAct,
  RecordedBody,
  RecordedEvent,
  RunIdentity,
  RunStatus,
} from "@retinue/protocol";
import type { Answered } from "./answered.ts";
import type { Artifacts } from "../context/artifacts.ts";
import type { Hooks } from "./hooks.ts";
import type { Judged, Judgement } from "../policy/judge.ts";
import type { Redactor } from "../record/redactor.ts";
import type { RunState } from "../record/run-state.ts";
import type { AnyTool, CallContext } from "./tool.ts";

type Awaitable<T> = T | Promise<T>;

/** Appends to the log, all or nothing, and gives the events back with their numbers. */
export type Emit = (drafts: readonly EventDraft[]) => Awaitable<readonly RecordedEvent[]>;

export type Clock = {
  /** Monotonic milliseconds. Limits are measured by it. */
  readonly now: () => number;
  /** Wall-clock time as ISO 8601, for people. */
  readonly date: () => string;
  /** Calls back once after `ms`; the function returned takes it back. */
  readonly after: (ms: number, callback: () => void) => () => void;
};

export type ApprovalAnswer = {
  readonly allowed: boolean;
  /** `once` by default. */
  readonly scope?: ApprovalScope;
  /** The agent reads it. */
  readonly reason?: string;
};

export type ApprovalRequest = {
  readonly approvalId: ApprovalId;
  readonly run: RunIdentity;
  readonly act: ProposedAct;
  readonly hash: string;
};

export type Ports = {
  readonly emit: Emit;
  /** Throws `RetinueError("model_unknown")` for a name nobody configured. */
  readonly model: (name: string) => Awaitable<Model>;
  /** All that this run may call, by name. */
  readonly tools: ReadonlyMap<string, AnyTool>;
  readonly clock: Clock;
  readonly artifacts: Artifacts;
  /** The path with every link followed; for what does not exist yet, the real path of the nearest folder that does, plus the rest. */
  readonly realPath: (path: string) => Promise<string>;
  /** Decides whether a call may run; `judge` by default. A replay answers from its record. */
  readonly judge?: (judged: Judged) => Promise<Judgement>;
  /** Runs a tool; by default it does. A replay answers from its record. */
  readonly execute?: (tool: AnyTool, input: unknown, context: CallContext) => Promise<Answered>;
  /** Whether a human has allowed acts like this one for the whole session. */
  readonly isAllowed?: (act: ProposedAct) => boolean;
  /** What was said to the run since it last looked. */
  readonly takeMessages?: () => readonly Extract<RecordedBody, { readonly type: "message.received" }>[];
  /** Resolves when there is something to take; undefined where nothing is under way that could bring it. */
  readonly waitForMessages?: (signal: AbortSignal) => Promise<void> | undefined;
  /** Stops what still works in the background below a run that ends, and waits for it; undefined where nothing does. */
  readonly stopBelow?: () => Promise<unknown> | undefined;
  readonly hooks?: Hooks;
  /** Takes known secrets out of all that the run says. Absent: there are none. */
  readonly redactor?: Redactor;
  /** Asks what must accept a run's result; the reason why not, or null. */
  readonly accept?: (accept: Acceptance, state: RunState, signal: AbortSignal) => Promise<string | null>;
  /** Brings what the run did to where it is wanted, before the run settles. Each event is recorded before what comes after it is done. */
  readonly bringBack?: (status: RunStatus, signal: AbortSignal) => AsyncIterable<RecordedBody>;
  /** Asks a human. Absent: nobody is there, and what needs asking is denied. */
  readonly approve?: (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>;
};
