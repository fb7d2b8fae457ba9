/** How long a call took, by the clock: waiting for an answer and for runs below is part of it. */
import type { CallView } from "./session-view.ts";

/** Null where it has not started or not settled. */
export const toCallDuration = ({ startedAt, settledAt }: CallView): number | null => {
  if (startedAt === null || settledAt === null) return null;
  const ms = Date.parse(settledAt) - Date.parse(startedAt);
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
};
