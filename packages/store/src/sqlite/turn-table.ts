/** The turns that wait, in `queued_turns`. What writes happens inside a transaction that the caller opened. */
import type { RunId, SessionId, TurnId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { KnownQueue } from "../admit.ts";
import { fromEventBody } from "../chain.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { fromEventKey, MAX_SEQ, toEventKey } from "../event-key.ts";
import type { QueuedTurn, QueueQuery, TurnOperation } from "../queued-turn.ts";
import { toQueuedTurn } from "../queued-turn.ts";
import { readHead } from "./event-table.ts";
import { isBeingRemoved } from "./session-removal.ts";
import type { Statements } from "./statements.ts";

const toRange = (sessionNumber: number): [number, number] => [toEventKey(sessionNumber, 0), toEventKey(sessionNumber, MAX_SEQ)];

export const applyTurn = (statements: Statements, eventId: number, { type, turnId }: TurnOperation): void => {
  if (type === "open")
    statements("INSERT INTO queued_turns (event_id, turn_id) VALUES (?, ?)").run(eventId, toColumnText(turnId));
  else
    statements("DELETE FROM queued_turns WHERE event_id BETWEEN ? AND ? AND turn_id = ?").run(
      ...toRange(fromEventKey(eventId).sessionNumber),
      toColumnText(turnId),
    );
};

/** A session has one open main run, rarely two. */
const MOST_ROOTS = 20;

export const readQueue = (statements: Statements, sessionId: SessionId): KnownQueue => {
  const head = readHead(statements, sessionId);
  if (head === undefined) return { turns: [], openRoots: [] };
  const turns = statements("SELECT turn_id FROM queued_turns WHERE event_id BETWEEN ? AND ? ORDER BY event_id").all(
    ...toRange(head.number),
  );
  const roots = statements(
    `SELECT r.run_id, m.status FROM runs r JOIN messages m ON m.id = r.message_id
       WHERE r.session_number = ? AND r.is_root = 1 ORDER BY r.message_id DESC LIMIT ${MOST_ROOTS}`,
  ).all(head.number);
  return {
    turns: turns.map((row) => fromColumnText(String(row["turn_id"])) as TurnId),
    openRoots: roots.flatMap((row) =>
      row["status"] === "pending" || row["status"] === "running" ? [fromColumnText(String(row["run_id"])) as RunId] : [],
    ),
  };
};

const SELECT_WAITING = `SELECT q.event_id, e.body, s.workspace FROM queued_turns q JOIN events e ON e.id = q.event_id
  JOIN runs r ON r.run_id = e.run_id JOIN sessions s ON s.number = r.session_number WHERE NOT ${isBeingRemoved("r.session_number")}`;

export const readQueuedTurns = (statements: Statements, { sessionId }: QueueQuery): readonly QueuedTurn[] => {
  const head = sessionId === undefined ? undefined : readHead(statements, sessionId);
  if (sessionId !== undefined && head === undefined) return [];
  const rows =
    head === undefined
      ? statements(`${SELECT_WAITING} ORDER BY q.event_id`).all()
      : statements(`${SELECT_WAITING} AND q.event_id BETWEEN ? AND ? ORDER BY q.event_id`).all(...toRange(head.number));
  return rows.map((row) => {
    const event = fromEventBody(String(row["body"]));
    const { seq } = fromEventKey(Number(row["event_id"]));
    if (event?.type !== "turn.queued")
      throw new RetinueError("store_corrupt", `Event ${seq} of a session does not queue a turn.`);
    return toQueuedTurn({ ...event, seq }, fromColumnText(String(row["workspace"])));
  });
};

/** The turns of a session that wait, for who compares them with its events. */
export const eachQueuedTurn = (statements: Statements, sessionNumber: number): readonly QueuedTurnRow[] =>
  statements("SELECT event_id, turn_id FROM queued_turns WHERE event_id BETWEEN ? AND ? ORDER BY event_id")
    .all(...toRange(sessionNumber))
    .map((row) => ({ eventId: Number(row["event_id"]), turnId: fromColumnText(String(row["turn_id"])) }));

type QueuedTurnRow = { readonly eventId: number; readonly turnId: string };
