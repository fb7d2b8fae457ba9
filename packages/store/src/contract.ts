/**
 * The event log: append-only, one sequence a session, every write fenced by the epoch of the run's lease.
 * `testing/log-contract.ts` is the suite that every implementation passes.
 */
import type { ArtifactId, ArtifactRef, EventDraft, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import type { Holder } from "./holder.ts";

type Awaitable<T> = T | Promise<T>;

/** Held by whoever drives a run. A later lease has a higher epoch and makes the earlier one worthless. */
export type Lease = { readonly runId: RunId; readonly epoch: number };

export type LeaseOptions = {
  /** Throws `session_running`, and moves no epoch, where another log holds the run and its process lives. */
  readonly onlyIfFree?: boolean;
};

export type EventLog = {
  /**
   * Appends all of the drafts or none, numbered from the session's last number on without gaps. With a lease whose epoch has moved on it
   * throws `lease_lost` and writes nothing. Without a lease only `run.requested` and inputs (`isInput`) may be appended; an input is admitted in
   * the same transaction: `run_unknown`, `run_settled`, `approval_unknown`, `approval_answered` and `approval_expired` write nothing.
   * Appends of one process to one session stand in the order in which they were asked for; when one fails because it could not be written,
   * those asked for since fail with it, so that nothing stands in a record without what it rests on.
   */
  readonly append: (drafts: readonly EventDraft[], lease?: Lease) => Awaitable<readonly RecordedEvent[]>;
  /** Takes the run over from whoever drove it. Throws `run_unknown` for a run that was never requested. */
  readonly lease: (runId: RunId, options?: LeaseOptions) => Awaitable<Lease>;
  /** Who took the latest lease of a run that has not settled, as long as it lives. */
  readonly holder: (runId: RunId) => Awaitable<Holder | undefined>;
  /** Moves on the epochs of all runs of a session: nothing that drives one of them can write any more. */
  readonly revoke: (sessionId: SessionId) => Awaitable<void>;
  /** The recorded events of a session after a number, in order. Empty for an unknown session. */
  readonly read: (sessionId: SessionId, afterSeq?: number) => Awaitable<readonly RecordedEvent[]>;
  /** The session a run belongs to. */
  readonly sessionOf: (runId: RunId) => Awaitable<SessionId | undefined>;
  /** Calls back after each append to the session, until the function returned is called. */
  readonly watch: (sessionId: SessionId, wake: () => void) => () => void;
  readonly writeArtifact: (sessionId: SessionId, text: string) => Awaitable<ArtifactRef>;
  readonly readArtifact: (sessionId: SessionId, artifactId: ArtifactId) => Awaitable<string | undefined>;
  readonly close: () => Awaitable<void>;
};
