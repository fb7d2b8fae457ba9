/** Time and chance, as the gate and the retries need them; tests bring their own. */
import { performance } from "node:perf_hooks";

export type Timing = {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Milliseconds since 1970, to read dates that servers send. */
  readonly date: () => number;
  /** Calls back once after `ms`; the function returned takes it back. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
};

export const SYSTEM_TIMING: Timing = {
  now: () => performance.now(),
  date: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** Settles after `ms`, or throws the signal's reason as soon as it is aborted. */
export const wait = (ms: number, signal: AbortSignal, timing: Timing): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = timing.after(ms, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
