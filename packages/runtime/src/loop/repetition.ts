/** Notices an agent that goes in circles: the same call with the same outcome three times, or two calls in turn three times. */

/** `recent` are signatures of call and outcome, oldest first. */
export const isStuck = (recent: readonly string[]): boolean => {
  const [a, b, c, d, e, f] = recent.slice(-6).toReversed();
  if (a !== undefined && a === b && a === c) return true;
  return a !== undefined && b !== undefined && a === c && b === d && a === e && b === f;
};
