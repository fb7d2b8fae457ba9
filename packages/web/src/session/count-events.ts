/** How many events were recorded within a span of time, found by looking at a few of them: they are numbered from 1 in the order of their times. */
import type { TimeRange } from "./time-range.ts";

/** When the event of that number was, in milliseconds since 1970. */
export type ReadEventTime = (seq: number) => Promise<number>;

/** How many of the first `last` events are not later than `time`. */
const countUntil = async (time: number, last: number, readTime: ReadEventTime): Promise<number> => {
  let [low, high] = [0, last];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((await readTime(middle)) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
};

export const countEventsWithin = async ({ from, to }: TimeRange, last: number, readTime: ReadEventTime): Promise<number> => {
  const until = await countUntil(to, last, readTime);
  // Times are whole milliseconds.
  return until - (await countUntil(from - 1, until, readTime));
};
