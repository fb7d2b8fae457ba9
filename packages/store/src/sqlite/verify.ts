/** Verifies a SQLite store: the file, the tables, every session against its chain, and the words of the search index. */
import type { SessionId } from "@retinue/protocol";
import type { DatabaseSync } from "node:sqlite";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import { findDamage } from "../find-damage.ts";
import type { MessageRow } from "../message-row.ts";
import { HAS_ENDED_OR_IS_NO_MODEL_CALL } from "../message-row.ts";
import type { SessionRow } from "../project-session.ts";
import type { Damage, Verification, VerifyProgress } from "../read-side.ts";
import type { Steps } from "../steps.ts";
import { eachApproval } from "./approval-table.ts";
import { eachQueuedTurn } from "./turn-table.ts";
import { eachArtifact } from "./artifact-table.ts";
import { eachEventRow, hasRightInputs } from "./event-table.ts";
import { createFigureTable } from "./figure-table.ts";
import { fromMessageRow, SELECT_MESSAGES } from "./message-table.ts";
import { openMemoryDatabase } from "./open-database.ts";
import { isBeingRemoved, isThere } from "./session-removal.ts";
import { fromSessionRow } from "./session-table.ts";
import { isCorrupt } from "./sqlite-errors.ts";
import type { Statements } from "./statements.ts";
import { createStatements } from "./statements.ts";
import { findWrongWord } from "./verify-words.ts";

/** Messages of a session that is being removed have lost it already. */
const WRONG_REFERENCE = `SELECT 1 FROM pragma_foreign_key_check f WHERE NOT (f."table" = 'messages' AND EXISTS (
  SELECT 1 FROM messages m JOIN removals r ON r.session_id = m.session_id WHERE m.id = f.rowid)) LIMIT 1`;

/** All of it is read from one state of the database: between the steps nobody may write through this connection. */
export function* verifyStore(db: DatabaseSync, sessionId?: SessionId): Steps<Verification, VerifyProgress> {
  const statements = createStatements(db);
  db.exec("BEGIN");
  try {
    if (sessionId === undefined) return yield* verifyAll(db, statements);
    const row = statements("SELECT * FROM sessions WHERE session_id = ?").get(toColumnText(sessionId));
    if (row === undefined) return { sessions: 0, events: 0, damage: [] };
    const session = fromSessionRow(row);
    const damage = yield* telling(
      { of: "sessions", done: 0, all: 1 },
      unlessCorrupt(verifySession(statements, session), sessionId),
    );
    return { sessions: 1, events: session.headSeq, damage: damage === undefined ? [] : [damage] };
  } finally {
    if (db.isTransaction) db.exec("ROLLBACK");
  }
}

function* verifyAll(db: DatabaseSync, statements: Statements): Steps<Verification, VerifyProgress> {
  const damage: Damage[] = [];
  const whole = (what: string): void => void damage.push({ sessionId: null, seq: null, what });

  const schema = differentSchema(db);
  if (schema !== undefined) {
    // Of other tables nothing further can be asked.
    whole(`the schema: ${schema}`);
    return { sessions: 0, events: 0, damage };
  }
  yield { of: "file", done: 0, all: 0 };
  for (const row of statements("PRAGMA integrity_check(1)").all())
    if (row["integrity_check"] !== "ok") whole(`the file: ${String(row["integrity_check"])}`);
  if (statements(WRONG_REFERENCE).get() !== undefined) whole("a message refers to a session or message that is not there");

  let events = 0;
  let messages = 0;
  let runs = 0;
  const rows = statements("SELECT * FROM sessions ORDER BY number").all();
  for (const [done, row] of rows.entries()) {
    const session = fromSessionRow(row);
    const found = yield* telling(
      { of: "sessions", done, all: rows.length },
      unlessCorrupt(verifySession(statements, session), session.sessionId),
    );
    if (found !== undefined) damage.push(found);
    events += session.headSeq;
    messages += session.messageCount;
    runs += session.runCount;
  }
  const count = (table: "events" | "messages" | "runs", where: string): number =>
    Number(statements(`SELECT count(*) AS n FROM ${table} m WHERE ${where}`).get()?.["n"]);
  if (count("events", isThere("m.id")) !== events) whole("there are events of no session, or fewer than the sessions count");
  if (
    count("messages", `${HAS_ENDED_OR_IS_NO_MODEL_CALL} AND m.session_id NOT IN (SELECT session_id FROM removals)`) !== messages
  )
    whole("there are messages of no session, or fewer than the sessions count");
  if (createFigureTable(statements).hasForeign()) whole("there are figures of no session");
  if (count("runs", `NOT ${isBeingRemoved("m.session_number")}`) !== runs)
    whole("there are runs of no session, or fewer than the sessions count");
  if (damage.length === 0) {
    const words = yield* telling(
      { of: "search index", done: rows.length, all: rows.length },
      unlessCorrupt(findWrongWord(db), null),
    );
    if (words !== undefined) damage.push(words);
  }
  return {
    sessions: rows.length,
    events,
    damage: damage.toSorted((a, b) => Number(a.sessionId !== null) - Number(b.sessionId !== null)),
  };
}

/** Says the same at every step of something. */
function* telling<T>(progress: VerifyProgress, steps: Steps<T>): Steps<T, VerifyProgress> {
  yield progress;
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
    yield progress;
  }
}

function* verifySession(statements: Statements, session: SessionRow): Steps<Damage | undefined> {
  const { sessionId, number } = session;
  const bySession = statements(
    `SELECT count(*) AS n FROM messages m WHERE m.session_id = ? AND ${HAS_ENDED_OR_IS_NO_MODEL_CALL}`,
  ).get(toColumnText(sessionId))?.["n"];
  return (
    (yield* findDamage({
      session,
      events: eachEventRow(statements, number),
      messages: eachMessage(statements, number),
      runs: eachRun(statements, number),
      approvals: eachApproval(statements, number),
      queue: eachQueuedTurn(statements, number),
      artifacts: eachArtifact(statements, sessionId),
    })) ??
    (bySession === session.messageCount
      ? undefined
      : { sessionId, seq: null, what: "messages of the session are not found by its id" }) ??
    (hasRightInputs(statements, number)
      ? undefined
      : { sessionId, seq: null, what: "its inputs are not those that its events say" }) ??
    (createFigureTable(statements).isRight(number)
      ? undefined
      : { sessionId, seq: null, what: "its figures are not what its messages say" })
  );
}

function* eachMessage(statements: Statements, sessionNumber: number): Generator<MessageRow> {
  const rows = statements(`${SELECT_MESSAGES} WHERE m.id BETWEEN ? AND ? ORDER BY m.id`);
  for (const row of rows.iterate(toEventKey(sessionNumber, 0), toEventKey(sessionNumber, MAX_SEQ))) yield fromMessageRow(row);
}

function* eachRun(statements: Statements, sessionNumber: number) {
  for (const row of statements("SELECT run_id, message_id, epoch, is_root FROM runs WHERE session_number = ?").iterate(
    sessionNumber,
  ))
    yield {
      runId: fromColumnText(String(row["run_id"])),
      messageId: Number(row["message_id"]),
      epoch: Number(row["epoch"]),
      isRoot: row["is_root"] === 1,
    };
}

/** Undefined where the tables, indexes and defaults are those of a new store. */
const differentSchema = (db: DatabaseSync): string | undefined => {
  const query = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'said_%' AND sql IS NOT NULL ORDER BY name";
  const fresh = openMemoryDatabase();
  try {
    const expected = JSON.stringify(fresh.prepare(query).all());
    const actual = JSON.stringify(db.prepare(query).all());
    return expected === actual ? undefined : "it is not the one this store was made with";
  } finally {
    fresh.close();
  }
};

/** SQLite itself may stumble over what is damaged. */
function* unlessCorrupt(steps: Steps<Damage | undefined>, sessionId: SessionId | null): Steps<Damage | undefined> {
  try {
    return yield* steps;
  } catch (error) {
    if (isCorrupt(error)) return { sessionId, seq: null, what: `the file: ${error.message}` };
    throw error;
  }
}
