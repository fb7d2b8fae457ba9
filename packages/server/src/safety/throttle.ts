/** Counts wrong keys by the address that sent them: after so many within a minute, further ones from there are refused unread. Nobody is held up by others' wrong ones. */

export type Throttle = {
  readonly failed: (sender?: string) => void;
  readonly isClosed: (sender?: string) => boolean;
};

export const MOST_WRONG = 20;
const WINDOW_MS = 60_000;
/** Further addresses are counted as one, so that many of them take no memory. */
const MOST_SENDERS = 1_000;
const OTHERS = "others";

export const createThrottle = (now: () => number = Date.now): Throttle => {
  const wrong = new Map<string, number[]>();
  const recent = (sender: string): number[] => {
    const times = (wrong.get(sender) ?? []).filter((at) => now() - at < WINDOW_MS);
    if (times.length === 0) wrong.delete(sender);
    else wrong.set(sender, times);
    return times;
  };
  const placeOf = (sender: string): string => (wrong.has(sender) || wrong.size < MOST_SENDERS ? sender : OTHERS);
  return {
    failed: (sender = OTHERS) => {
      if (wrong.size >= MOST_SENDERS) for (const known of wrong.keys()) recent(known);
      const place = placeOf(sender);
      const times = recent(place);
      if (times.length < MOST_WRONG) wrong.set(place, [...times, now()]);
    },
    isClosed: (sender = OTHERS) => recent(placeOf(sender)).length >= MOST_WRONG,
  };
};
