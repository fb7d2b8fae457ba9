/**
 * The event log: append-only, one sequence a session, every write fenced by the epoch of the run's lease.
 * `testing/log-contract.ts` is the suite that every implementation passes.
 */
import type { ArtifactId, ArtifactRef, EventDraft, InputEvent, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import type { Holder } from "./holder.ts";
import type { ApprovalQuery, OpenApproval } from "./open-approval.ts";
import type { QueuedTurn, QueueQuery } from "./queued-turn.ts";
import type { Snapshot } from "./snapshot.ts";
import type { ArtifactBytes } from "./stored-artifact.ts";

type Awaitable<T> = T | Promise<T>;

/** Held by whoever drives a run. A later lease has a higher epoch and makes the earlier one worthless. */
export type Lease = { readonly runId: RunId; readonly epoch: number };

export type LeaseOptions = {
  /** Throws `session_running`, and moves no epoch, where another log holds the run and its process lives. */
  readonly onlyIfFree?: boolean;
};

export type AppendOptions = {
  /** The append resolves only when a power cut cannot undo it or anything before it, also where the store promises less by default. */
  readonly durable?: boolean;
};

/** The latest run of a session that no other run started. */
export type RootRun = {
  readonly runId: RunId;
  /** Of its `run.requested`. */
  readonly seq: number;
  readonly isSettled: boolean;
};

/** Sessions that are watched together, as a `Set` or a `Map` by session holds them; they are the watcher's, who may change them. */
export type WatchedSessions = {
  readonly has: (sessionId: SessionId) => boolean;
  readonly keys: () => Iterable<SessionId>;
};

export type EventLog = {
  /**
   * Appends all of the drafts or none, numbered from the session's last number on without gaps. With a lease whose epoch has moved on it
   * throws `lease_lost` and writes nothing. Without a lease only `run.requested` and inputs (`isInput`) may be appended; an input is admitted in
   * the same transaction: `run_unknown`, `run_settled`, `approval_unknown`, `approval_answered` and `approval_expired` write nothing.
   * Inputs about the session's queue (`isTurnInput`) may stand beside a main run that has settled. A `run.requested` with a `queuedTurn` is admitted where
   * that turn is the next one and no main run of the session is open: otherwise `turn_taken` and `session_running` write nothing.
   * Appends of one process to one session stand in the order in which they were asked for; when one fails because it could not be written,
   * those asked for since fail with it, so that nothing stands in a record without what it rests on.
   */
  readonly append: (drafts: readonly EventDraft[], lease?: Lease, options?: AppendOptions) => Awaitable<readonly RecordedEvent[]>;
  /** Takes the run over from whoever drove it. Throws `run_unknown` for a run that was never requested. */
  readonly lease: (runId: RunId, options?: LeaseOptions) => Awaitable<Lease>;
  /** Nobody drives the run any more, where the lease still holds: others need not wait for the process to end. */
  readonly release: (lease: Lease) => Awaitable<void>;
  /** Who took the latest lease of a run that has neither settled nor parked since, as long as it lives. */
  readonly holder: (runId: RunId) => Awaitable<Holder | undefined>;
  /** Moves on the epochs of all runs of a session: nothing that drives one of them can write any more. */
  readonly revoke: (sessionId: SessionId) => Awaitable<void>;
  /** The recorded events of a session after a number, in order, and at most so many where a limit is named. Empty for an unknown session. */
  readonly read: (sessionId: SessionId, afterSeq?: number, limit?: number) => Awaitable<readonly RecordedEvent[]>;
  /** The events of these runs of a session after a number, in order, without reading the others. */
  readonly readRuns: (sessionId: SessionId, runIds: readonly RunId[], afterSeq?: number) => Awaitable<readonly RecordedEvent[]>;
  /** What was said to a run after a number, in order: messages, answers and cancels, not what was said about the queue. Empty for an unknown run. */
  readonly inputs: (runId: RunId, afterSeq?: number) => Awaitable<readonly InputEvent[]>;
  /** Every question that waits for an answer, in the order of the sessions and then of asking. */
  readonly approvals: (query?: ApprovalQuery) => Awaitable<readonly OpenApproval[]>;
  /** Every turn that waits, in the order of the sessions and then of queueing. */
  readonly queuedTurns: (query?: QueueQuery) => Awaitable<readonly QueuedTurn[]>;
  /** Undefined for an unknown session. */
  readonly latestRoot: (sessionId: SessionId) => Awaitable<RootRun | undefined>;
  /**
   * Keeps what a run has come to, in place of its earlier snapshot, unless that one is of a later event. Throws `run_unknown`. Snapshots are
   * no part of the record: they are not exported, and go with their session.
   */
  readonly writeSnapshot: (snapshot: Snapshot) => Awaitable<void>;
  /** Undefined where there is none of this format, or what is stored is not what was written. */
  readonly readSnapshot: (runId: RunId, format: string) => Awaitable<Snapshot | undefined>;
  /** The session a run belongs to. */
  readonly sessionOf: (runId: RunId) => Awaitable<SessionId | undefined>;
  /** Calls back after each append to the session, until the function returned is called. */
  readonly watch: (sessionId: SessionId, wake: () => void) => () => void;
  /**
   * Calls back after each append to one of the sessions, whichever they are at the time: one watch for any number of sessions, which costs a session
   * nothing. It may call back for a session that nothing was appended to.
   */
  readonly watchAny: (sessions: WatchedSessions, wake: (sessionId: SessionId) => void) => () => void;
  /** Calls back after inputs were appended to the session, and where another process appended and may have; for whoever drives a run. */
  readonly watchInputs: (sessionId: SessionId, wake: () => void) => () => void;
  readonly writeArtifact: (sessionId: SessionId, data: string | Uint8Array, mediaType?: string) => Awaitable<ArtifactRef>;
  /** Undefined for bytes: they are no text. */
  readonly readArtifact: (sessionId: SessionId, artifactId: ArtifactId) => Awaitable<string | undefined>;
  readonly readArtifactBytes: (sessionId: SessionId, artifactId: ArtifactId) => Awaitable<ArtifactBytes | undefined>;
  /** Whether the store cannot be reached now, as far as is known; absent where it is in this process's own hands. */
  readonly isAway?: () => boolean;
  readonly close: () => Awaitable<void>;
};
