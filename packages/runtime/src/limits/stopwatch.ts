/** Measures the time a run works, without the time it waits for a human, and says when its time is up. */
import type { Clock } from "../loop/ports.ts";

export type Stopwatch = {
  readonly activeMs: () => number;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Calls back once when `activeMs` reaches `ms`; the function returned takes it back. */
  readonly at: (ms: number, callback: () => void) => () => void;
};

export const createStopwatch = (clock: Clock, alreadyMs: number): Stopwatch => {
  const startedAt = clock.now();
  let waitedMs = 0;
  let waiting = 0;
  let waitingSince = 0;
  const activeMs = (): number => alreadyMs + clock.now() - startedAt - waitedMs - (waiting > 0 ? clock.now() - waitingSince : 0);
  return {
    activeMs,
    pause: () => {
      if (waiting++ === 0) waitingSince = clock.now();
    },
    resume: () => {
      if (--waiting === 0) waitedMs += clock.now() - waitingSince;
    },
    at: (ms, callback) => {
      let takeBack: (() => void) | null = null;
      const look = (): void => {
        const left = ms - activeMs();
        if (left <= 0) callback();
        // While it waits the time does not run, so that there is no point in looking too often.
        else takeBack = clock.after(waiting > 0 ? Math.max(left, 100) : left, look);
      };
      look();
      return () => takeBack?.();
    },
  };
};
