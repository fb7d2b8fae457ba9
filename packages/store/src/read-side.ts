/**
 * Looking at what was recorded: sessions, the tree of runs, messages, search, figures; and taking it away for good.
 * `testing/read-side-contract.ts` is the suite that every implementation passes.
 */
import type { RecordedEvent, RecordedType, RunId, SessionId } from "@retinue/protocol";
import type { Holder } from "./holder.ts";
import type { MessageRow, MessageStatus, RequestType } from "./message-row.ts";
import type { SessionRow } from "./project-session.ts";
import type { ExportedArtifact } from "./stored-artifact.ts";
import type { SystemPrompt } from "./system-prompt.ts";

type Awaitable<T> = T | Promise<T>;

/** `next` is where the following page begins; null at the end. It is opaque: hand it back as `after`. */
export type Page<T> = { readonly items: readonly T[]; readonly next: string | null };

/** 50 items a page, 500 at most. */
export type PageOptions = { readonly limit?: number; readonly after?: string };

export const SESSION_ORDERS = ["newest", "oldest", "updated"] as const;
export type SessionOrder = (typeof SESSION_ORDERS)[number];

export type SessionQuery = PageOptions & {
  /** By beginning, the newest first, unless said otherwise; `updated` has the one that was written to last first, by the store's own count. */
  readonly order?: SessionOrder;
  readonly status?: MessageStatus;
  readonly agent?: string;
  readonly workspace?: string;
};

export const MESSAGE_ORDERS = ["oldest", "newest"] as const;
export type MessageOrder = (typeof MESSAGE_ORDERS)[number];

export type MessageQuery = PageOptions & {
  readonly order?: MessageOrder;
  readonly runId?: RunId;
  readonly agent?: string;
  readonly status?: MessageStatus;
  readonly requestType?: RequestType;
};

/** A run and those it started, in the order in which they were requested. */
export type RunNode = {
  readonly runId: RunId;
  readonly messageId: number;
  readonly parentRunId: RunId | null;
  readonly agent: string;
  readonly depth: number;
  readonly model: string;
  readonly task: string;
  readonly status: MessageStatus;
  /** The status of the run's result, once there is one. */
  readonly outcome: string | null;
  readonly summary: string | null;
  readonly bailoutReason: string | null;
  readonly startedAt: string;
  readonly completedAt: string | null;
  readonly durationMs: number | null;
  readonly iterations: number;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly costUsd: number | null;
  readonly children: readonly RunNode[];
};

export type SearchQuery = PageOptions & { readonly sessionId?: SessionId };

export type SearchHit = {
  readonly sessionId: SessionId;
  readonly seq: number;
  readonly runId: RunId;
  readonly agent: string;
  readonly depth: number;
  readonly type: RecordedType;
  readonly at: string;
  /** The row that the event belongs to. */
  readonly messageId: number | null;
  /** The words around the first place that matched. */
  readonly snippet: string;
};

export const STATS_KEYS = ["agent", "model", "depth", "pair", "day"] as const;
export type StatsKey = (typeof STATS_KEYS)[number];

export type StatsQuery = {
  /** `pair` is who delegated to whom, written `parent → child`. `day` is by the start, in UTC. */
  readonly by: StatsKey;
  readonly sessionId?: SessionId;
  /** Runs and calls that started at this time or later, ISO 8601. */
  readonly since?: string;
  /** … and before this one. */
  readonly until?: string;
};

export type Stats = {
  readonly key: string;
  readonly runs: number;
  readonly completed: number;
  readonly partial: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly timeout: number;
  /** Completed of all that have ended; null where none has. */
  readonly successRate: number | null;
  readonly bailouts: Readonly<Record<string, number>>;
  /** Of the runs that have ended, together. */
  readonly durationMs: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly toolFailures: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly costUsd: number;
  readonly unpricedCalls: number;
};

/** The first thing that is not as it was written. `seq` is null where no single event is at fault. */
export type Damage = { readonly sessionId: SessionId | null; readonly seq: number | null; readonly what: string };

export type Verification = {
  readonly sessions: number;
  readonly events: number;
  /** The first of each session, in the order of the sessions; what concerns the whole file comes first. */
  readonly damage: readonly Damage[];
  /** What may be missing, though everything that is there is as it was written. Absent where nothing is. */
  readonly warnings?: readonly string[];
};

/** How far a verification has come. */
export type VerifyProgress = {
  readonly of: "file" | "sessions" | "search index";
  /** Sessions that were looked at, and how many there are. */
  readonly done: number;
  readonly all: number;
};

/** A session taken out whole. With `damage`, the events up to the first that does not verify. */
export type SessionExport = {
  readonly format: "retinue-session";
  readonly version: 1;
  readonly session: SessionRow;
  readonly events: readonly RecordedEvent[];
  readonly messages: readonly MessageRow[];
  readonly artifacts: readonly ExportedArtifact[];
  readonly damage: Damage | null;
};

export type Retention = {
  /** Sessions last written to before this time go, ISO 8601. */
  readonly before?: string;
  /** Of those that stay, the sessions last written to are kept, this many. */
  readonly keep?: number;
};

/** Room of what was deleted that stays in the store for now, where new events take it. */
export type KeptRoom = {
  readonly bytes: number;
  /** What must be free on the disk for it to be given back. */
  readonly needed: number;
};

export type RetainHooks = {
  /** A session is gone, whatever becomes of the others. */
  readonly removed?: (sessionId: SessionId) => void;
  /** Room could not be given back to the disk. */
  readonly kept?: (room: KeptRoom) => void;
};

export type DeleteOptions = { readonly force?: boolean };

export type ReadSide = {
  readonly listSessions: (query?: SessionQuery) => Awaitable<Page<SessionRow>>;
  readonly session: (sessionId: SessionId) => Awaitable<SessionRow | undefined>;
  /** Who is at work on which of these sessions: the living holder of the latest main run. What is not named rests, or was cut off. */
  readonly holders: (sessionIds: readonly SessionId[]) => Awaitable<ReadonlyMap<SessionId, Holder>>;
  readonly tree: (sessionId: SessionId) => Awaitable<readonly RunNode[]>;
  readonly messages: (sessionId: SessionId, query?: MessageQuery) => Awaitable<Page<MessageRow>>;
  readonly message: (messageId: number) => Awaitable<MessageRow | undefined>;
  /** What a row's `system_prompt_id` names: the prompt of the role, without what one run was told on top. */
  readonly systemPrompt: (id: string) => Awaitable<SystemPrompt | undefined>;
  readonly children: (messageId: number, page?: PageOptions) => Awaitable<Page<MessageRow>>;
  /**
   * All words must occur; where that finds nothing, the last may be the beginning of one. What was said last comes first.
   * What holds no word at all is looked for sign by sign, so many events at a time that a page may be empty and not the last.
   */
  readonly search: (text: string, query?: SearchQuery) => Awaitable<Page<SearchHit>>;
  readonly stats: (query: StatsQuery) => Awaitable<readonly Stats[]>;
  /** Throws `session_unknown`. */
  readonly exportSession: (sessionId: SessionId) => Awaitable<SessionExport>;
  /**
   * Records a session as `exportSession` gave it, also if it has been JSON since: the same events, ids and hashes. Throws
   * `session_exists` where there is one of its id, or a run of one of its ids, and `import_invalid` where it was changed.
   */
  readonly importSession: (exported: unknown) => Awaitable<SessionRow>;
  /**
   * Takes events, messages, artifacts and the search index's words away for good. False where there was no such session. Throws
   * `session_running` where a living process, this one too, holds a run of it, unless it is forced.
   */
  readonly deleteSession: (sessionId: SessionId, options?: DeleteOptions) => Awaitable<boolean>;
  /** Deletes what is too old or too many; sessions whose latest run has not ended stay. Gives what went. */
  readonly retain: (retention: Retention, hooks?: RetainHooks) => Awaitable<readonly SessionId[]>;
  /**
   * Compares everything that is kept of a session, or of all, with the chain of its events. It takes long and pauses often;
   * `told` hears how far it has come.
   */
  readonly verify: (sessionId?: SessionId, told?: (progress: VerifyProgress) => void) => Awaitable<Verification>;
};
