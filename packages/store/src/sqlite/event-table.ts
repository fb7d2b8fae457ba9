/** Reading `events`. */
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { fromEventKey, MAX_SEQ, toEventKey } from "../event-key.ts";
import type { StoredSession } from "../find-damage.ts";
import type { ChainHead, StoredEvent } from "../walk-chain.ts";
import { collectEvents, toWalkFrom } from "../walk-chain.ts";
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
