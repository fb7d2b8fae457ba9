/** A clock on which nothing takes time but what was told to: it moves from one thing that is due to the next. */
import type { Clock } from "@retinue/runtime";

export type VirtualClock = Clock & {
  /** Moves on to what is due next and calls it back; false where nothing is due. */
  readonly runNext: () => boolean;
};

/** Less than this is not told apart from now, so that whoever waits for a crumb of time does not wait for ever. */
const TICK_MS = 0.001;

type Entry = { readonly at: number; readonly callback: () => void };

export const createVirtualClock = (): VirtualClock => {
  let time = 0;
  const due = new Set<Entry>();
  return {
    now: () => time,
    date: () => new Date(time).toISOString(),
    after: (ms, callback) => {
      const entry = { at: time + Math.max(TICK_MS, ms), callback };
      due.add(entry);
      return () => void due.delete(entry);
    },
    runNext: () => {
      let next: Entry | undefined;
      for (const entry of due) if (!next || entry.at < next.at) next = entry;
      if (!next) return false;
      due.delete(next);
      time = next.at;
      next.callback();
      return true;
    },
  };
};
