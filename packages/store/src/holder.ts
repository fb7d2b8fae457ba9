/**
 * Who drives a run. Each open log is one holder: it is written down with its first lease, says from time to time that it
 * lives, and is gone when the log is closed. What a dead one held is free.
 */
import type { RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { ProcessIdentity } from "./process-identity.ts";
import { isAlive } from "./process-identity.ts";

export type Holder = {
  readonly host: string;
  readonly pid: number;
  /** When it took the lease, ISO 8601. */
  readonly since: string;
  /** Whether it is the very log that was asked. */
  readonly isSelf: boolean;
};

/** Who a log is for others, and when it believes them dead. */
export type HolderOptions = {
  /** This process by default. */
  readonly self?: ProcessIdentity;
  /** How long a holder on another machine may be silent; a minute by default. */
  readonly silenceMs?: number;
};

/** How often a holder says that it lives. */
export const BEAT_EVERY_MS = 10_000;
export const SILENCE_MS = 60_000;
/** Holders that were silent for so long are forgotten. */
export const FORGET_MS = 7 * 24 * 60 * 60 * 1000;

/** On this machine the system knows; elsewhere only the heartbeat tells. */
export const isLiving = (holder: ProcessIdentity, silentMs: number, silenceMs: number): boolean =>
  isAlive(holder) ?? silentMs < silenceMs;

export const heldError = (what: SessionId | RunId, { host, pid, since, isSelf }: Holder): RetinueError =>
  new RetinueError(
    "session_running",
    `${what} is at work in ${isSelf ? "this process" : `process ${pid} on ${host}`} since ${since}.`,
  );
