/** How long to wait before the next try when the server does not say. */

const FIRST_MS = 500;

/** The most that is waited after the n-th failure in a row, counted from 1. */
const ceilingMs = (failures: number, maxWaitMs: number): number => Math.min(maxWaitMs, FIRST_MS * 2 ** (failures - 1));

/** Full jitter: anything up to the ceiling, so that those who failed together do not come back together. */
export const backoffMs = (failures: number, maxWaitMs: number, random: () => number): number =>
  Math.floor(random() * ceilingMs(failures, maxWaitMs));

/** Half of the ceiling and jitter on top: for a pause that all share, where no wait at all would be none. */
export const pauseMs = (failures: number, maxWaitMs: number, random: () => number): number =>
  Math.floor(((1 + random()) * ceilingMs(failures, maxWaitMs)) / 2);
