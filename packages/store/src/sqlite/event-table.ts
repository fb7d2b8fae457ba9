/** Reading `events`. */
import type { InputEvent, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { isInput } from "@retinue/protocol";
import type { SQLOutputValue } from "node:sqlite";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { fromEventKey, MAX_SEQ, toEventKey } from "../event-key.ts";
import type { StoredSession } from "../find-damage.ts";
import type { ChainHead, LooseEvent, StoredEvent } from "../walk-chain.ts";
import { collectEvents, collectLoose, toWalkFrom } from "../walk-chain.ts";
import type { Statements } from "./statements.ts";

export const readHead = (statements: Statements, sessionId: SessionId): ChainHead | undefined => {
  const row = statements("SELECT number, head_seq, head_hash FROM sessions WHERE session_id = ?").get(toColumnText(sessionId));
  if (row === undefined) return undefined;
  return { number: Number(row["number"]), headSeq: Number(row["head_seq"]), headHash: String(row["head_hash"]) };
};

/** The rows that walking on after a number needs. */
export function* eachStoredEvent(
  statements: Statements,
  sessionNumber: number,
  afterSeq: number,
  limit = MAX_SEQ,
): Generator<StoredEvent> {
  const rows = statements("SELECT id, body, hash FROM events WHERE id BETWEEN ? AND ? ORDER BY id").iterate(
    toEventKey(sessionNumber, toWalkFrom(afterSeq)),
    toEventKey(sessionNumber, Math.min(MAX_SEQ, afterSeq + limit)),
  );
  for (const row of rows)
    yield { seq: fromEventKey(Number(row["id"])).seq, body: String(row["body"]), hash: String(row["hash"]) };
}

/** All rows of a session, with all columns. */
export function* eachEventRow(
  statements: Statements,
  sessionNumber: number,
): Generator<IterableElement<StoredSession["events"]>> {
  const rows = statements("SELECT * FROM events WHERE id BETWEEN ? AND ? ORDER BY id").iterate(
    toEventKey(sessionNumber, 1),
    toEventKey(sessionNumber, MAX_SEQ),
  );
  for (const row of rows)
    yield {
      seq: fromEventKey(Number(row["id"])).seq,
      body: String(row["body"]),
      hash: String(row["hash"]),
      runId: fromColumnText(String(row["run_id"])),
      type: String(row["type"]),
      at: fromColumnText(String(row["at"])),
    };
}

type IterableElement<T> = T extends Iterable<infer Element> ? Element : never;

export const readEvents = (
  statements: Statements,
  {
    sessionId,
    afterSeq,
    limit,
  }: { readonly sessionId: SessionId; readonly afterSeq: number; readonly limit: number | undefined },
): readonly RecordedEvent[] => {
  const head = readHead(statements, sessionId);
  if (head === undefined || afterSeq >= head.headSeq) return [];
  return collectEvents(eachStoredEvent(statements, head.number, afterSeq, limit), head, {
    sessionId,
    afterSeq,
    ...(limit === undefined ? {} : { limit }),
  });
};

/** The hash of the event before is fetched too, so that each can be checked without walking there. */
const SELECT_LOOSE = `SELECT e.id, e.body, e.hash, (SELECT p.hash FROM events p WHERE p.id = e.id - 1) AS previous FROM events e`;

const toLoose = (row: Record<string, SQLOutputValue>): LooseEvent => ({
  seq: fromEventKey(Number(row["id"])).seq,
  body: String(row["body"]),
  hash: String(row["hash"]),
  previous: typeof row["previous"] === "string" ? row["previous"] : undefined,
});

/** The events of some runs after a number: what stands before the first of the runs was requested is not looked at. */
export const readRunEvents = (
  statements: Statements,
  { sessionId, runIds, afterSeq }: { sessionId: SessionId; runIds: readonly RunId[]; afterSeq: number },
): readonly RecordedEvent[] => {
  const head = readHead(statements, sessionId);
  if (head === undefined || afterSeq >= head.headSeq) return [];
  const keys = JSON.stringify(runIds.map(toColumnText));
  const first = statements(
    "SELECT min(message_id) AS first FROM runs WHERE session_number = ? AND run_id IN (SELECT value FROM json_each(?))",
  ).get(head.number, keys)?.["first"];
  if (typeof first !== "number") return [];
  const rows = statements(
    `${SELECT_LOOSE} WHERE e.id BETWEEN ? AND ? AND e.run_id IN (SELECT value FROM json_each(?)) ORDER BY e.id`,
  ).all(Math.max(first, toEventKey(head.number, afterSeq + 1)), toEventKey(head.number, MAX_SEQ), keys);
  return collectLoose(rows.map(toLoose), sessionId);
};

export const readInputs = (statements: Statements, runId: RunId, afterSeq: number): readonly InputEvent[] => {
  const run = statements(
    `SELECT r.session_number, s.session_id, s.head_seq FROM runs r JOIN sessions s ON s.number = r.session_number WHERE r.run_id = ?`,
  ).get(toColumnText(runId));
  if (run === undefined || afterSeq >= Number(run["head_seq"])) return [];
  const number = Number(run["session_number"]);
  const rows = statements(
    `${SELECT_LOOSE} JOIN inputs i ON i.event_id = e.id WHERE i.run_id = ? AND i.event_id BETWEEN ? AND ? ORDER BY i.event_id`,
  ).all(toColumnText(runId), toEventKey(number, afterSeq + 1), toEventKey(number, MAX_SEQ));
  return collectLoose(rows.map(toLoose), fromColumnText(String(run["session_id"])) as SessionId).filter((event) =>
    isInput(event),
  );
};

export const insertInput = (statements: Statements, runId: RunId, eventId: number): void => {
  statements("INSERT INTO inputs (run_id, event_id) VALUES (?, ?)").run(toColumnText(runId), eventId);
};

/** Whether `inputs` names the inputs of a session and nothing else. */
export const hasRightInputs = (statements: Statements, sessionNumber: number): boolean => {
  const range: [number, number] = [toEventKey(sessionNumber, 0), toEventKey(sessionNumber, MAX_SEQ)];
  const named = "SELECT run_id, event_id FROM inputs WHERE event_id BETWEEN ?1 AND ?2";
  const recorded = `SELECT run_id, id FROM events
    WHERE id BETWEEN ?1 AND ?2 AND type IN ('message.received', 'message.withdrawn', 'approval.answered', 'cancel.requested')`;
  const difference = (one: string, other: string): unknown => statements(`${one} EXCEPT ${other} LIMIT 1`).get(...range);
  return difference(named, recorded) === undefined && difference(recorded, named) === undefined;
};
