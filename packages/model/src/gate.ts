/**
 * One gate a provider, shared by all requests of the process: so many at a time, first come first served. When the
 * provider refuses (429, 529) everybody pauses; then one request probes, and each success lets one more in, so that
 * the number in flight doubles a round. Twenty siblings are one queue and not a storm.
 */
import { pauseMs } from "./transport/backoff.ts";
import { SYSTEM_TIMING } from "./transport/timing.ts";
import type { Timing } from "./transport/timing.ts";

/** The right to have one request in flight. It must be given back by `leave`, once. */
export type Pass = {
  /** The pauses there had been when it was given: who entered before a pause says nothing about what came after. */
  readonly pauses: number;
};

export type Departure =
  | { readonly type: "ok" }
  /** Failed or cancelled for reasons of its own. */
  | { readonly type: "failed" }
  /** The provider refuses whoever comes; `retryAfterMs` where it said for how long. */
  | { readonly type: "refused"; readonly retryAfterMs: number | undefined; readonly maxWaitMs: number };

export type Gate = {
  /** Not a promise if there is room now. Throws the signal's reason when it is aborted while waiting. */
  readonly enter: (signal: AbortSignal) => Pass | Promise<Pass>;
  readonly leave: (pass: Pass, departure: Departure) => void;
  /** Milliseconds left of a pause. */
  readonly pausedMs: () => number;
  readonly resize: (maxConcurrent: number) => void;
};

export type GateOptions = { readonly maxConcurrent?: number; readonly timing?: Timing };

export const DEFAULT_MAX_CONCURRENT = 32;

export const createGate = (options: GateOptions = {}): Gate => {
  const timing = options.timing ?? SYSTEM_TIMING;
  let maxConcurrent = options.maxConcurrent ?? DEFAULT_MAX_CONCURRENT;
  /** How many may be in flight of those that entered since the last pause. */
  let allowed = maxConcurrent;
  let running = 0;
  let runningSincePause = 0;
  let pauses = 0;
  let refusalsInRow = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let timerSet = false;
  /** In order of arrival; a set, so that who gives up leaves from the middle at no cost. */
  const queue = new Set<(pass: Pass) => void>();

  const hasRoom = (): boolean => running < maxConcurrent && runningSincePause < allowed && timing.now() >= pausedUntil;

  const admit = (): Pass => {
    running++;
    runningSincePause++;
    return { pauses };
  };

  const drain = (): void => {
    for (const resolve of queue) {
      if (!hasRoom()) return;
      queue.delete(resolve);
      resolve(admit());
    }
  };

  const wakeAfterPause = (): void => {
    if (timerSet) return;
    timerSet = true;
    timing.after(Math.max(0, Math.ceil(pausedUntil - timing.now())), () => {
      timerSet = false;
      if (timing.now() < pausedUntil) wakeAfterPause();
      else drain();
    });
  };

  const pause = ({ retryAfterMs, maxWaitMs }: Extract<Departure, { type: "refused" }>): void => {
    const now = timing.now();
    if (now < pausedUntil) {
      // One of those that were refused together: the pause stands, unless the server now asks for a longer one.
      if (retryAfterMs !== undefined) pausedUntil = Math.max(pausedUntil, now + retryAfterMs);
      return;
    }
    refusalsInRow++;
    pauses++;
    allowed = 1;
    runningSincePause = 0;
    pausedUntil = now + (retryAfterMs ?? pauseMs(refusalsInRow, maxWaitMs, timing.random));
    wakeAfterPause();
  };

  return {
    enter: (signal) => {
      signal.throwIfAborted();
      if (queue.size === 0 && hasRoom()) return admit();
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          queue.delete(onAdmitted);
          reject(signal.reason as Error);
        };
        const onAdmitted = (pass: Pass): void => {
          signal.removeEventListener("abort", onAbort);
          resolve(pass);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        queue.add(onAdmitted);
      });
    },
    leave: (pass, departure) => {
      running--;
      const isCurrent = pass.pauses === pauses;
      if (isCurrent) runningSincePause--;
      if (departure.type === "refused") pause(departure);
      else if (departure.type === "ok" && isCurrent) {
        refusalsInRow = 0;
        if (allowed < maxConcurrent) allowed++;
      }
      drain();
    },
    pausedMs: () => Math.max(0, Math.ceil(pausedUntil - timing.now())),
    resize: (wanted) => {
      // A gate that is starting again stays as narrow as it is.
      if (allowed >= maxConcurrent) allowed = wanted;
      else allowed = Math.min(allowed, wanted);
      maxConcurrent = wanted;
      drain();
    },
  };
};

const gates = new Map<string, Gate>();

/** The gate of this name, the same for all who ask; the last word on its size holds. */
export const gateFor = (key: string, options: { readonly maxConcurrent?: number } = {}): Gate => {
  const known = gates.get(key);
  if (known) {
    if (options.maxConcurrent !== undefined) known.resize(options.maxConcurrent);
    return known;
  }
  const gate = createGate(options);
  gates.set(key, gate);
  return gate;
};
