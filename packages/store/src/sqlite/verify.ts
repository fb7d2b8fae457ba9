/**
 * Compares what a store holds with the chains of its events: the events with their hashes, then every row of every
 * other table with what the events say it must be. What passes here can be read without doubt.
 */
import type { ArtifactId, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import type { DatabaseSync } from "node:sqlite";
import { toArtifactId } from "../artifact-ref.ts";
import { fromEventBody } from "../chain.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { fromEventKey, MAX_SEQ, toEventKey } from "../event-key.ts";
import type { MessageRow } from "../message-row.ts";
import { EMPTY_MESSAGE, MESSAGE_COLUMNS } from "../message-row.ts";
import type { RunProjection } from "../project.ts";
import { project } from "../project.ts";
import type { SessionRow } from "../project-session.ts";
import { NEW_SESSION, projectSession } from "../project-session.ts";
import type { Damage, Verification } from "../read-side.ts";
import { toSaid } from "../said.ts";
import { toIndexable } from "../search-text.ts";
import type { Link } from "./event-table.ts";
import { BrokenChain, walkChain } from "./event-table.ts";
import { fromMessageRow, SELECT_MESSAGES } from "./message-table.ts";
import { openMemoryDatabase } from "./open-database.ts";
import { SAID } from "./schema.ts";
import { isCorrupt } from "./sqlite-errors.ts";
import { fromSessionRow } from "./session-table.ts";
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
  const damaged = (seq: number | null, what: string): Damage => ({ sessionId, seq, what });
  const folded = createFold(session);
  try {
    for (const link of walkChain(statements, session, 0)) {
      const mismatch = folded.add(link);
      if (mismatch !== undefined) return damaged(link.event.seq, mismatch);
    }
  } catch (error) {
    if (error instanceof BrokenChain) return damaged(error.seq, error.message);
    throw error;
  }
  if (folded.session().headSeq !== session.headSeq)
    return damaged(session.headSeq + 1, "it stands behind the end of the session's record");

  const column = statements("SELECT id, run_id, type, at FROM events WHERE id BETWEEN ? AND ? ORDER BY id").iterate(
    toEventKey(number, 1),
    toEventKey(number, MAX_SEQ),
  );
  for (const row of column) {
    const { seq } = fromEventKey(Number(row["id"]));
    const event = folded.events[seq - 1];
    if (
      event === undefined ||
      row["run_id"] !== toColumnText(event.runId) ||
      row["type"] !== event.type ||
      row["at"] !== toColumnText(event.at)
    )
      return damaged(seq, "its columns do not fit its text");
  }

  const expected = folded.session();
  for (const key of Object.keys(expected) as (keyof SessionRow)[])
    if (expected[key] !== session[key]) return damaged(null, `the session's ${key} is not what its events say`);

  const messages = folded.messages();
  let at = 0;
  const stored = statements(`${SELECT_MESSAGES} WHERE m.id BETWEEN ? AND ? ORDER BY m.id`).iterate(
    toEventKey(number, 0),
    toEventKey(number, MAX_SEQ),
  );
  for (const row of stored) {
    const message = messages[at];
    at += 1;
    const actual = fromMessageRow(row);
    if (message === undefined) return damaged(fromEventKey(actual.id).seq, `message ${actual.id} was opened by no event`);
    const wrong = MESSAGE_COLUMNS.find((name) => message[name] !== actual[name]);
    if (wrong !== undefined) return damaged(message.seq, `${wrong} of message ${message.id} is not what its events say`);
  }
  const missing = messages[at];
  if (missing !== undefined) return damaged(missing.seq, `message ${missing.id} is missing`);
  const bySession = statements("SELECT count(*) AS n FROM messages WHERE session_id = ?").get(toColumnText(sessionId))?.["n"];
  if (bySession !== messages.length) return damaged(null, "messages of the session are not found by its id");

  return verifyRuns(statements, session, folded.epochs) ?? verifyArtifacts(statements, session, folded.artifacts);
};

const verifyRuns = (statements: Statements, session: SessionRow, epochs: ReadonlyMap<RunId, RunRecord>): Damage | undefined => {
  const rows = statements("SELECT run_id, message_id, epoch FROM runs WHERE session_number = ?").all(session.number);
  for (const row of rows) {
    const runId = fromColumnText(String(row["run_id"])) as RunId;
    const run = epochs.get(runId);
    const what = `the lease of ${runId} is not what its events say`;
    if (run === undefined) return { sessionId: session.sessionId, seq: null, what };
    if (row["message_id"] !== toEventKey(session.number, run.seq) || !(Number(row["epoch"]) >= run.epoch))
      return { sessionId: session.sessionId, seq: run.seq, what };
  }
  if (rows.length !== epochs.size) return { sessionId: session.sessionId, seq: null, what: "the lease of a run is missing" };
  return undefined;
};

const verifyArtifacts = (
  statements: Statements,
  { sessionId }: SessionRow,
  referred: ReadonlyMap<ArtifactId, number>,
): Damage | undefined => {
  const found = new Set<string>();
  for (const row of statements("SELECT artifact_id, text FROM artifacts WHERE session_id = ?").iterate(toColumnText(sessionId))) {
    const artifactId = String(row["artifact_id"]);
    found.add(artifactId);
    if (toArtifactId(fromColumnText(String(row["text"]))) !== artifactId)
      return { sessionId, seq: referred.get(artifactId as ArtifactId) ?? null, what: `artifact ${artifactId} is damaged` };
  }
  for (const [artifactId, seq] of referred)
    if (!found.has(artifactId)) return { sessionId, seq, what: `artifact ${artifactId} is missing` };
  return undefined;
};

type RunRecord = { readonly seq: number; readonly epoch: number };

/** What a session's tables must hold, from its events alone. */
const createFold = ({ sessionId, number }: SessionRow) => {
  const events: RecordedEvent[] = [];
  const projections = new Map<RunId, RunProjection>();
  const rows = new Map<number, Record<string, string | number | null>>();
  const epochs = new Map<RunId, RunRecord>();
  const artifacts = new Map<ArtifactId, number>();
  let session: SessionRow = { ...NEW_SESSION, sessionId, number };

  const add = ({ event, hash }: Link): string | undefined => {
    if (event.sessionId !== sessionId) return "it is of another session";
    const { seq } = event;
    if (event.type === "run.requested") epochs.set(event.runId, { seq, epoch: 0 });
    const run = epochs.get(event.runId);
    if (run === undefined) return "it is of a run that was never requested";
    if (event.type === "run.started") epochs.set(event.runId, { ...run, epoch: Math.max(run.epoch, event.epoch) });
    if (event.type === "tool.settled" && event.artifact !== undefined) artifacts.set(event.artifact.artifactId, seq);
    const parent = event.parentRunId === null ? undefined : projections.get(event.parentRunId);
    const projected = project({ event, sessionNumber: number, run: projections.get(event.runId), parent });
    projections.set(event.runId, projected.run);
    let opened = 0;
    for (const operation of projected.operations) {
      const row = operation.type === "insert" ? { ...EMPTY_MESSAGE } : rows.get(operation.id);
      if (row === undefined) return "it changes a message that was never opened";
      for (const [at, column] of operation.columns.entries()) Object.assign(row, { [column]: operation.values[at] ?? null });
      rows.set(operation.id, row);
      if (operation.type === "insert") opened += 1;
    }
    session = projectSession({ event, previous: session, opened, hash });
    events.push(event);
    return undefined;
  };

  return {
    add,
    events,
    epochs,
    artifacts,
    session: () => session,
    // Filled column by column from operations, which name only columns of this row.
    messages: () => [...rows].toSorted(([a], [b]) => a - b).map(([, row]) => row as unknown as MessageRow),
  };
};

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
