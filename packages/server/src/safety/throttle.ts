/** Counts wrong keys: after so many within a minute, further ones are refused unread. A right token is never held up by others' wrong ones. */

export type Throttle = {
  readonly failed: () => void;
  readonly isClosed: () => boolean;
};

export const MOST_WRONG = 20;
const WINDOW_MS = 60_000;

export const createThrottle = (now: () => number = Date.now): Throttle => {
  let wrong: number[] = [];
  const recent = (): number[] => (wrong = wrong.filter((at) => now() - at < WINDOW_MS));
  return {
    failed: () => {
      if (recent().length < MOST_WRONG) wrong.push(now());
    },
    isClosed: () => recent().length >= MOST_WRONG,
  };
};
