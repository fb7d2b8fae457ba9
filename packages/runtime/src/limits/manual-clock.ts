/** A clock that only moves when told to, for replay and for tests. */
import type { Clock } from "../loop/ports.ts";

export type ManualClock = Clock & {
  /** Moves time on and calls back what was due, in the order it was due. */
  readonly advance: (ms: number) => void;
};

export const createManualClock = (): ManualClock => {
  let time = 0;
  let due: { readonly at: number; readonly callback: () => void }[] = [];
  return {
    now: () => time,
    date: () => new Date(Date.UTC(2026, 0, 1) + time).toISOString(),
    after: (ms, callback) => {
      const entry = { at: time + ms, callback };
      due.push(entry);
      return () => {
        due = due.filter((one) => one !== entry);
      };
    },
    advance: (ms) => {
      const until = time + ms;
      for (;;) {
        const next = due.filter((one) => one.at <= until).toSorted((a, b) => a.at - b.at)[0];
        if (!next) break;
        due = due.filter((one) => one !== next);
        time = next.at;
        next.callback();
      }
      time = until;
    },
  };
};
