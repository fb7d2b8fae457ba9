/** Mends sessions whose rows hold impossible numbers of tokens, as older versions recorded what a server told them. */
import { fromEventBody } from "../chain.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import { foldRows } from "../find-damage.ts";
import { MAY_BE_IMPOSSIBLE, MESSAGE_FIGURES, SESSION_FIGURES, toSessionFigures, toZeroed } from "../possible-figures.ts";
import type { SessionRow } from "../project-session.ts";
import type { Query } from "./database.ts";
import { fromSessionRows } from "./postgres-rows.ts";

const FIND = `SELECT * FROM ~sessions WHERE ${MAY_BE_IMPOSSIBLE.sessions}
  OR session_id IN (SELECT session_id FROM ~messages WHERE ${MAY_BE_IMPOSSIBLE.messages})`;

export const fillFigures = async (query: Query): Promise<void> => {
  const sessions = await fromSessionRows(query, await query(FIND));
  if (sessions.length === 0) return;
  await query(`UPDATE ~messages SET ${toZeroed(MESSAGE_FIGURES)} WHERE ${MAY_BE_IMPOSSIBLE.messages}`);
  await query(`UPDATE ~sessions SET ${toZeroed(SESSION_FIGURES)} WHERE ${MAY_BE_IMPOSSIBLE.sessions}`);
  for (const session of sessions) await fillSession(query, session);
};

const fillSession = async (query: Query, session: SessionRow): Promise<void> => {
  const rows = await query("SELECT body FROM ~events WHERE id BETWEEN $1 AND $2 ORDER BY id", [
    toEventKey(session.number, 1),
    toEventKey(session.number, MAX_SEQ),
  ]);
  const folded = foldRows(
    session,
    rows.map(({ body }) => fromEventBody(String(body))),
  );
  // A damaged session keeps what was zeroed: `verify` names it.
  if (folded === undefined) return;
  for (const message of folded.messages)
    await query(`UPDATE ~messages SET ${set(MESSAGE_FIGURES)} WHERE id = $1`, [
      message.id,
      ...MESSAGE_FIGURES.map((column) => message[column]),
    ]);
  await query(`UPDATE ~sessions SET ${set(SESSION_FIGURES)} WHERE number = $1`, [
    session.number,
    ...toSessionFigures(folded.session),
  ]);
};

const set = (columns: readonly string[]): string => columns.map((column, at) => `${column} = $${at + 2}`).join(", ");
