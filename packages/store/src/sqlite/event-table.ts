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
export function* eachStoredEvent(statements: Statements, sessionNumber: number, afterSeq: number): Generator<StoredEvent> {
  const rows = statements("SELECT id, body, hash FROM events WHERE id BETWEEN ? AND ? ORDER BY id").iterate(
    toEventKey(sessionNumber, toWalkFrom(afterSeq)),
    toEventKey(sessionNumber, MAX_SEQ),
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

export const readEvents = (statements: Statements, sessionId: SessionId, afterSeq: number): readonly RecordedEvent[] => {
  const head = readHead(statements, sessionId);
  if (head === undefined || afterSeq >= head.headSeq) return [];
  return collectEvents(eachStoredEvent(statements, head.number, afterSeq), head, { sessionId, afterSeq });
};

/** The hash of the event before is fetched too, so that each can be checked without walking there. */
const SELECT_LOOSE = `SELECT e.id, e.body, e.hash, (SELECT p.hash FROM events p WHERE p.id = e.id - 1) AS previous FROM events e`;

const toLoose = (row: Record<string, SQLOutputValue>): LooseEvent => ({
  seq: fromEventKey(Number(row["id"])).seq,
  body: String(row["body"]),
  hash: String(row["hash"]),
  previous: typeof row["previous"] === "string" ? row["previous"] : undefined,
});

/** The events of some runs after a number, found by the runs. */
export const readRunEvents = (
  statements: Statements,
  { sessionId, runIds, afterSeq }: { sessionId: SessionId; runIds: readonly RunId[]; afterSeq: number },
): readonly RecordedEvent[] => {
  const head = readHead(statements, sessionId);
  if (head === undefined || afterSeq >= head.headSeq) return [];
  const select = statements(
    `${SELECT_LOOSE} INDEXED BY idx_events_run WHERE e.run_id = ? AND e.id BETWEEN ? AND ? ORDER BY e.id`,
  );
  const lists = [...new Set(runIds)].map((runId) =>
    collectLoose(
      select.all(toColumnText(runId), toEventKey(head.number, afterSeq + 1), toEventKey(head.number, MAX_SEQ)).map(toLoose),
      sessionId,
    ),
  );
  const [only] = lists;
  return lists.length === 1 && only ? only : lists.flat().toSorted((a, b) => a.seq - b.seq);
};

export const readInputs = (statements: Statements, runId: RunId, afterSeq: number): readonly InputEvent[] => {
  const run = statements(
    `SELECT r.session_number, s.session_id, s.head_seq FROM runs r JOIN sessions s ON s.number = r.session_number WHERE r.run_id = ?`,
  ).get(toColumnText(runId));
  if (run === undefined || afterSeq >= Number(run["head_seq"])) return [];
  const number = Number(run["session_number"]);
  const rows = statements(
    `${SELECT_LOOSE} INDEXED BY idx_events_inputs WHERE e.run_id = ? AND e.id BETWEEN ? AND ?
       AND e.type IN ('message.received', 'approval.answered', 'cancel.requested') ORDER BY e.id`,
  ).all(toColumnText(runId), toEventKey(number, afterSeq + 1), toEventKey(number, MAX_SEQ));
  return collectLoose(rows.map(toLoose), fromColumnText(String(run["session_id"])) as SessionId).filter((event) =>
    isInput(event),
  );
};
