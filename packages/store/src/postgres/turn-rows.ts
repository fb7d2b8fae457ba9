/** The turns that wait, in PostgreSQL. What writes happens inside a transaction that the caller opened. */
import type { RunId, TurnId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { KnownQueue } from "../admit.ts";
import { fromEventBody } from "../chain.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { fromEventKey, MAX_SEQ, toEventKey } from "../event-key.ts";
import type { QueuedTurn, QueueQuery, TurnOperation } from "../queued-turn.ts";
import { toQueuedTurn } from "../queued-turn.ts";
import type { Query } from "./database.ts";
import { fromNameKey, toNameKey } from "./name-key.ts";
import { readLongNames, toSeq } from "./postgres-rows.ts";

const toRange = (sessionNumber: number): readonly [number, number] => [
  toEventKey(sessionNumber, 0),
  toEventKey(sessionNumber, MAX_SEQ),
];

export const applyTurn = async (query: Query, eventId: number, { type, turnId }: TurnOperation): Promise<void> => {
  if (type === "open")
    await query("INSERT INTO ~queued_turns (event_id, turn_id) VALUES ($1, $2)", [eventId, toColumnText(turnId)]);
  else
    await query("DELETE FROM ~queued_turns WHERE event_id BETWEEN $1 AND $2 AND turn_id = $3", [
      ...toRange(fromEventKey(eventId).sessionNumber),
      toColumnText(turnId),
    ]);
};

/** A session has one open main run, rarely two. */
const MOST_ROOTS = 20;

export const readQueue = async (query: Query, sessionNumber: number): Promise<KnownQueue> => {
  const turns = await query("SELECT turn_id FROM ~queued_turns WHERE event_id BETWEEN $1 AND $2 ORDER BY event_id", [
    ...toRange(sessionNumber),
  ]);
  const roots = await query(
    `SELECT r.run_id, m.status FROM ~runs r JOIN ~messages m ON m.id = r.message_id
       WHERE r.session_number = $1 AND r.is_root ORDER BY r.message_id DESC LIMIT ${MOST_ROOTS}`,
    [sessionNumber],
  );
  const longNames = await readLongNames(query, roots);
  return {
    turns: turns.map((row) => fromColumnText(String(row["turn_id"])) as TurnId),
    openRoots: roots.flatMap((row) =>
      row["status"] === "pending" || row["status"] === "running" ? [fromNameKey(String(row["run_id"]), longNames) as RunId] : [],
    ),
  };
};

export const readQueuedTurns = async (query: Query, { sessionId }: QueueQuery): Promise<readonly QueuedTurn[]> => {
  const rows = await query(
    `SELECT q.event_id, e.body, s.workspace FROM ~queued_turns q JOIN ~events e ON e.id = q.event_id
       JOIN ~runs r ON r.run_id = e.run_id JOIN ~sessions s ON s.number = r.session_number
       WHERE $1::text IS NULL OR s.session_id = $1 ORDER BY q.event_id`,
    [sessionId === undefined ? null : toNameKey(sessionId)],
  );
  return rows.map((row) => {
    const event = fromEventBody(String(row["body"]));
    const seq = toSeq(row["event_id"]);
    if (event?.type !== "turn.queued")
      throw new RetinueError("store_corrupt", `Event ${seq} of a session does not queue a turn.`);
    return toQueuedTurn({ ...event, seq }, fromColumnText(String(row["workspace"])));
  });
};

/** The turns of a session that wait, for who compares them with its events. */
export const readSessionTurns = async (
  query: Query,
  sessionNumber: number,
): Promise<readonly { readonly eventId: number; readonly turnId: string }[]> =>
  (
    await query("SELECT event_id, turn_id FROM ~queued_turns WHERE event_id BETWEEN $1 AND $2 ORDER BY event_id", [
      ...toRange(sessionNumber),
    ])
  ).map((row) => ({ eventId: Number(row["event_id"]), turnId: fromColumnText(String(row["turn_id"])) }));
