/** Time that stands still until a test moves it, so that waits take no time and happen in an order one can name. */
import type { Timing } from "./timing.ts";

export type ManualTiming = Timing & {
  /** Moves time on and fires what becomes due, in order. */
  readonly advance: (ms: number) => void;
  /** Every wait that was asked for, in milliseconds. */
  readonly waits: readonly number[];
  /** Timers not yet fired. */
  readonly pending: () => number;
};

export type ManualTimingOptions = {
  /** What `random` gives; 0.5 by default. */
  readonly random?: number;
  /** Wall-clock time at the start. */
  readonly date?: number;
  /** Every wait is over with the next turn of the event loop, and time has moved on by it. */
  readonly jumps?: boolean;
};

export const createManualTiming = (options: ManualTimingOptions = {}): ManualTiming => {
  const start = options.date ?? 0;
  const waits: number[] = [];
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  let now = 0;
  const advance = (ms: number): void => {
    const end = now + ms;
    for (;;) {
      const next = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (!next) break;
      timers.delete(next);
      now = Math.max(now, next.at);
      next.callback();
    }
    now = end;
  };
  return {
    now: () => now,
    date: () => start + now,
    random: () => options.random ?? 0.5,
    after: (ms, callback) => {
      const timer = { at: now + ms, callback };
      waits.push(ms);
      timers.add(timer);
      if (options.jumps) setImmediate(() => timers.has(timer) && advance(Math.max(0, timer.at - now)));
      return () => void timers.delete(timer);
    },
    advance,
    waits,
    pending: () => timers.size,
  };
};
