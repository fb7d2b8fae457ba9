/**
 * Which sessions are too old or too many. They are told apart by the order in which the store was written to, for a clock may have
 * been wrong: a time in the future says nothing, and a session is never older than one that was written to before it.
 */
import { RetinueError } from "@retinue/protocol";
import type { Retention } from "./read-side.ts";

/** In the order in which they were last written to. */
export type DatedSession = { readonly number: number; readonly updatedAt: string; readonly status: string };

export const findOutdated = (
  sessions: readonly DatedSession[],
  { before, keep }: Retention,
  now = new Date().toISOString(),
): readonly number[] => {
  if (keep !== undefined && (!Number.isInteger(keep) || keep < 0))
    throw new RetinueError("query_invalid", "`keep` is a whole number, 0 or more.");
  const times = toTimes(sessions, now);
  const outdated = sessions.filter(({ status }, at) => {
    if (status === "pending" || status === "running") return false;
    const isOld = before !== undefined && (times[at] ?? now) < before;
    return isOld || (keep !== undefined && at < sessions.length - keep);
  });
  return outdated.map(({ number }) => number).toSorted((a, b) => a - b);
};

/** When each was last written to, as far as is known: no earlier than those before it, and where its own time is in the future as those after it. */
const toTimes = (sessions: readonly DatedSession[], now: string): readonly string[] => {
  const known: (string | undefined)[] = [];
  let latest = "";
  for (const { updatedAt } of sessions) {
    if (updatedAt > now) known.push(undefined);
    else known.push((latest = updatedAt > latest ? updatedAt : latest));
  }
  const times: string[] = [];
  let next = now;
  for (const time of known.toReversed()) times.unshift((next = time ?? next));
  return times;
};
