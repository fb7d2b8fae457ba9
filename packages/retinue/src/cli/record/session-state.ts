/** What a session is doing: at work in a process that lives, cut off, or at rest. The record's rows alone cannot tell the first two apart. */
import type { SessionId } from "@retinue/protocol";
import type { Holder, ReadSide, SessionRow } from "@retinue/store";
import { isUnsettled } from "./find-session.ts";

export type SessionState = "running" | "interrupted" | "settled";

export type Holders = ReadonlyMap<SessionId, Holder>;

export const stateOf = (row: SessionRow, holders: Holders): SessionState => {
  if (!isUnsettled(row)) return "settled";
  return holders.has(row.sessionId) ? "running" : "interrupted";
};

/** The state, or how it ended, and whether it came from elsewhere. */
export const statusOf = (row: SessionRow, holders: Holders): string => {
  const state = stateOf(row, holders);
  const status = state === "settled" ? row.status : state;
  return row.importedAt === null ? status : `${status}, imported`;
};

/** Who is at work on which of them; only those that have not settled are asked about. */
export const readHolders = async (sessions: ReadSide, rows: readonly SessionRow[]): Promise<Holders> =>
  sessions.holders(rows.filter(isUnsettled).map(({ sessionId }) => sessionId));

/** For programs: the row with what it is doing, and who does it. */
export const withState = (row: SessionRow, holders: Holders) => {
  const holder = holders.get(row.sessionId);
  return {
    ...row,
    state: stateOf(row, holders),
    ...(holder && { holder: { host: holder.host, pid: holder.pid, since: holder.since } }),
  };
};
