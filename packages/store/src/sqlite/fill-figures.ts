/** Mends sessions whose rows hold impossible numbers of tokens, as older versions recorded what a server told them. */
import type { SessionId } from "@retinue/protocol";
import type { DatabaseSync } from "node:sqlite";
import { fromEventBody } from "../chain.ts";
import { fromColumnText } from "../column-text.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import { foldRows } from "../find-damage.ts";
import { MAY_BE_IMPOSSIBLE, MESSAGE_FIGURES, SESSION_FIGURES, toSessionFigures, toZeroed } from "../possible-figures.ts";
import type { Statements } from "./statements.ts";
import { createStatements } from "./statements.ts";

const FIND = `SELECT number, session_id FROM sessions WHERE ${MAY_BE_IMPOSSIBLE.sessions}
  OR session_id IN (SELECT session_id FROM messages WHERE ${MAY_BE_IMPOSSIBLE.messages})`;

export const fillFigures = (db: DatabaseSync): void => {
  const statements = createStatements(db);
  const sessions = statements(FIND).all();
  if (sessions.length === 0) return;
  db.exec(`UPDATE messages SET ${toZeroed(MESSAGE_FIGURES)} WHERE ${MAY_BE_IMPOSSIBLE.messages};
    UPDATE sessions SET ${toZeroed(SESSION_FIGURES)} WHERE ${MAY_BE_IMPOSSIBLE.sessions}`);
  for (const row of sessions)
    fillSession(statements, { number: Number(row["number"]), sessionId: fromColumnText(String(row["session_id"])) as SessionId });
};

const fillSession = (statements: Statements, session: { readonly number: number; readonly sessionId: SessionId }): void => {
  const { number } = session;
  // They are counted again when somebody asks for them.
  statements("DELETE FROM figures WHERE session_number = ?").run(number);
  statements("DELETE FROM counted WHERE session_number = ?").run(number);
  const rows = statements("SELECT body FROM events WHERE id BETWEEN ? AND ? ORDER BY id").iterate(
    toEventKey(number, 1),
    toEventKey(number, MAX_SEQ),
  );
  const folded = foldRows(
    { ...session, importedAt: null },
    rows.map(({ body }) => fromEventBody(String(body))),
  );
  // A damaged session keeps what was zeroed: `verify` names it.
  if (folded === undefined) return;
  const update = statements(`UPDATE messages SET ${MESSAGE_FIGURES.map((column) => `${column} = ?`).join(", ")} WHERE id = ?`);
  for (const message of folded.messages) update.run(...MESSAGE_FIGURES.map((column) => message[column]), message.id);
  statements(`UPDATE sessions SET ${SESSION_FIGURES.map((column) => `${column} = ?`).join(", ")} WHERE number = ?`).run(
    ...toSessionFigures(folded.session),
    number,
  );
};
