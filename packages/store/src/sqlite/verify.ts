/** Verifies a SQLite store: the file, the tables, every session against its chain, and the words of the search index. */
import type { SessionId } from "@retinue/protocol";
import type { DatabaseSync } from "node:sqlite";
import { fromEventBody } from "../chain.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { fromEventKey, MAX_SEQ, toEventKey } from "../event-key.ts";
import { findDamage } from "../find-damage.ts";
import type { MessageRow } from "../message-row.ts";
import type { SessionRow } from "../project-session.ts";
import type { Damage, Verification } from "../read-side.ts";
import { toSaid } from "../said.ts";
import { toIndexable } from "../search-text.ts";
import { eachEventRow } from "./event-table.ts";
import { createFigureTable } from "./figure-table.ts";
import { fromMessageRow, SELECT_MESSAGES } from "./message-table.ts";
import { openMemoryDatabase } from "./open-database.ts";
import { SAID } from "./schema.ts";
import { fromSessionRow } from "./session-table.ts";
import { isCorrupt } from "./sqlite-errors.ts";
import type { Statements } from "./statements.ts";

export type VerifyOptions = {
  readonly db: DatabaseSync;
  readonly statements: Statements;
  readonly sessionId?: SessionId | undefined;
};

/** All of it is read from one state of the database. */
export const verifyStore = ({ db, statements, sessionId }: VerifyOptions): Verification => {
  db.exec("BEGIN");
  try {
    if (sessionId === undefined) return verifyAll(db, statements);
    const row = statements("SELECT * FROM sessions WHERE session_id = ?").get(toColumnText(sessionId));
    if (row === undefined) return { sessions: 0, events: 0, damage: [] };
    const session = fromSessionRow(row);
    const damage = unlessCorrupt(() => verifySession(statements, session), sessionId);
    return { sessions: 1, events: session.headSeq, damage: damage === undefined ? [] : [damage] };
  } finally {
    if (db.isTransaction) db.exec("ROLLBACK");
  }
};

const verifyAll = (db: DatabaseSync, statements: Statements): Verification => {
  const damage: Damage[] = [];
  const whole = (what: string): void => void damage.push({ sessionId: null, seq: null, what });

  const schema = differentSchema(db);
  if (schema !== undefined) {
    // Of other tables nothing further can be asked.
    whole(`the schema: ${schema}`);
    return { sessions: 0, events: 0, damage };
  }
  for (const row of statements("PRAGMA integrity_check(1)").all())
    if (row["integrity_check"] !== "ok") whole(`the file: ${String(row["integrity_check"])}`);
  if (statements("PRAGMA foreign_key_check").get() !== undefined)
    whole("a message refers to a session or message that is not there");

  let events = 0;
  let messages = 0;
  let runs = 0;
  const rows = statements("SELECT * FROM sessions ORDER BY number").all();
  for (const row of rows) {
    const session = fromSessionRow(row);
    const found = unlessCorrupt(() => verifySession(statements, session), session.sessionId);
    if (found !== undefined) damage.push(found);
    events += session.headSeq;
    messages += session.messageCount;
    runs += session.runCount;
  }
  const count = (table: "events" | "messages" | "runs"): number =>
    Number(statements(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
  if (count("events") !== events) whole("there are events of no session, or fewer than the sessions count");
  if (count("messages") !== messages) whole("there are messages of no session, or fewer than the sessions count");
  if (createFigureTable(statements).hasForeign()) whole("there are figures of no session");
  if (count("runs") !== runs) whole("there are runs of no session, or fewer than the sessions count");
  if (damage.length === 0) {
    const words = unlessCorrupt(() => differentWords(db, statements), null);
    if (words !== undefined) damage.push(words);
  }
  return {
    sessions: rows.length,
    events,
    damage: damage.toSorted((a, b) => Number(a.sessionId !== null) - Number(b.sessionId !== null)),
  };
};

const verifySession = (statements: Statements, session: SessionRow): Damage | undefined => {
  const { sessionId, number } = session;
  const bySession = statements("SELECT count(*) AS n FROM messages WHERE session_id = ?").get(toColumnText(sessionId))?.["n"];
  return (
    findDamage({
      session,
      events: eachEventRow(statements, number),
      messages: eachMessage(statements, number),
      runs: eachRun(statements, number),
      artifacts: eachArtifact(statements, sessionId),
    }) ??
    (bySession === session.messageCount
      ? undefined
      : { sessionId, seq: null, what: "messages of the session are not found by its id" }) ??
    (createFigureTable(statements).isRight(number)
      ? undefined
      : { sessionId, seq: null, what: "its figures are not what its messages say" })
  );
};

function* eachMessage(statements: Statements, sessionNumber: number): Generator<MessageRow> {
  const rows = statements(`${SELECT_MESSAGES} WHERE m.id BETWEEN ? AND ? ORDER BY m.id`);
  for (const row of rows.iterate(toEventKey(sessionNumber, 0), toEventKey(sessionNumber, MAX_SEQ))) yield fromMessageRow(row);
}

function* eachRun(statements: Statements, sessionNumber: number) {
  for (const row of statements("SELECT run_id, message_id, epoch FROM runs WHERE session_number = ?").iterate(sessionNumber))
    yield { runId: fromColumnText(String(row["run_id"])), messageId: Number(row["message_id"]), epoch: Number(row["epoch"]) };
}

function* eachArtifact(statements: Statements, sessionId: SessionId) {
  for (const row of statements("SELECT artifact_id, text FROM artifacts WHERE session_id = ?").iterate(toColumnText(sessionId)))
    yield { artifactId: String(row["artifact_id"]), text: fromColumnText(String(row["text"])) };
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

/** Builds the search index anew, for this transaction alone, and compares every word and every place of it. */
const differentWords = (db: DatabaseSync, statements: Statements): Damage | undefined => {
  db.exec(`CREATE VIRTUAL TABLE temp.said_again USING ${SAID};
    CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'said', 'instance');
    CREATE VIRTUAL TABLE temp.words_again USING fts5vocab('temp', 'said_again', 'instance')`);
  const insert = db.prepare("INSERT INTO temp.said_again (rowid, text) VALUES (?, ?)");
  for (const session of statements("SELECT number, indexed_seq FROM sessions").all()) {
    const number = Number(session["number"]);
    const rows = statements("SELECT id, body FROM events WHERE id BETWEEN ? AND ?").iterate(
      toEventKey(number, 1),
      toEventKey(number, Number(session["indexed_seq"])),
    );
    for (const row of rows) {
      const event = fromEventBody(String(row["body"]));
      const said = event === undefined ? "" : toIndexable(toSaid(event));
      if (said !== "") insert.run(Number(row["id"]), said);
    }
  }
  const only = (a: string, b: string) =>
    db.prepare(`SELECT term, doc, "offset" FROM ${a} EXCEPT SELECT term, doc, "offset" FROM ${b} LIMIT 1`).get();
  const wrong = only("temp.words", "temp.words_again") ?? only("temp.words_again", "temp.words");
  if (wrong === undefined) return undefined;
  const { sessionNumber, seq } = fromEventKey(Number(wrong["doc"]));
  const session = statements("SELECT session_id FROM sessions WHERE number = ?").get(sessionNumber);
  const sessionId = session === undefined ? null : (fromColumnText(String(session["session_id"])) as SessionId);
  return { sessionId, seq, what: "the search index does not hold its words" };
};

/** SQLite itself may stumble over what is damaged. */
const unlessCorrupt = (act: () => Damage | undefined, sessionId: SessionId | null): Damage | undefined => {
  try {
    return act();
  } catch (error) {
    if (isCorrupt(error)) return { sessionId, seq: null, what: `the file: ${error.message}` };
    throw error;
  }
};
