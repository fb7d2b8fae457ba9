/**
 * What a session is doing: at work in a process that lives, waiting for a person's answer, cut off, or at rest. The record's rows alone cannot
 * tell those that have not settled apart.
 */
import type { SessionId } from "@retinue/protocol";
import type { EventLog, Holder, ReadSide, SessionRow } from "@retinue/store";
import { isUnsettled } from "./find-session.ts";

export type SessionState = "running" | "waiting" | "interrupted" | "settled";

export type SessionStates = {
  /** Who is at work on which session. */
  readonly holders: ReadonlyMap<SessionId, Holder>;
  /** How many questions of a session wait for an answer. */
  readonly questions: ReadonlyMap<SessionId, number>;
};

export const stateOf = (row: SessionRow, { holders, questions }: SessionStates): SessionState => {
  if (!isUnsettled(row)) return "settled";
  if (holders.has(row.sessionId)) return "running";
  return questions.has(row.sessionId) ? "waiting" : "interrupted";
};

/** The state in words, or how it ended, and whether it came from elsewhere. A question may be open at a terminal, too. */
export const statusOf = (row: SessionRow, states: SessionStates): string => {
  const state = stateOf(row, states);
  const open = states.questions.has(row.sessionId) ? "waits for an approval" : state;
  const status = state === "settled" ? row.status : open;
  return row.importedAt === null ? status : `${status}, imported`;
};

export type StateSources = { readonly sessions: ReadSide; readonly approvals: EventLog["approvals"] };

/** Only those that have not settled are asked about. */
export const readStates = async ({ sessions, approvals }: StateSources, rows: readonly SessionRow[]): Promise<SessionStates> => {
  const open = rows.filter(isUnsettled).map(({ sessionId }) => sessionId);
  const questions = new Map<SessionId, number>();
  const [only] = open;
  if (only !== undefined)
    for (const { sessionId } of await approvals(open.length === 1 ? { sessionId: only } : {}))
      questions.set(sessionId, (questions.get(sessionId) ?? 0) + 1);
  return { holders: await sessions.holders(open), questions };
};

/** For programs: the row with what it is doing, and who does it. */
export const withState = (row: SessionRow, states: SessionStates) => {
  const holder = states.holders.get(row.sessionId);
  const questions = states.questions.get(row.sessionId);
  return {
    ...row,
    state: stateOf(row, states),
    ...(questions !== undefined && { openQuestions: questions }),
    ...(holder && { holder: { host: holder.host, pid: holder.pid, since: holder.since } }),
  };
};
