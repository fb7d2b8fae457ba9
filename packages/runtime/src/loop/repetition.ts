/** Notices an agent that goes in circles: the same call with the same outcome three times, or two calls in turn three times. */

/** `recent` are signatures of call and outcome, oldest first. */
export const isStuck = (recent: readonly string[]): boolean => {
  const latest = recent.at(-1);
  // Both ways round, it comes back to where it was two calls ago: nearly always this is all that is looked at.
  if (latest === undefined || latest !== recent.at(-3)) return false;
  const other = recent.at(-2);
  return other === latest || (other === recent.at(-4) && latest === recent.at(-5) && other === recent.at(-6));
};
