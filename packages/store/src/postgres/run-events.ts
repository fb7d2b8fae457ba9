/** Events that are found by their runs, and the latest main run of a session, in PostgreSQL. */
import type { InputEvent, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { isInput } from "@retinue/protocol";
import type { RootRun } from "../contract.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import type { LooseEvent } from "../walk-chain.ts";
import { collectLoose } from "../walk-chain.ts";
import type { Query, Row } from "./database.ts";
import { fromNameKey, toNameKey } from "./name-key.ts";
import { readLongNames, toSeq } from "./postgres-rows.ts";

/** The hash of the event before is fetched too, so that each can be checked without walking there. */
const SELECT_LOOSE = `SELECT e.id, e.body, e.hash, (SELECT p.hash FROM ~events p WHERE p.id = e.id - 1) AS previous FROM ~events e`;

const toLoose = (row: Row): LooseEvent => ({
  seq: toSeq(row["id"]),
  body: String(row["body"]),
  hash: String(row["hash"]),
  previous: typeof row["previous"] === "string" ? row["previous"] : undefined,
});

export const readRunEvents = async (
  query: Query,
  { sessionId, runIds, afterSeq }: { sessionId: SessionId; runIds: readonly RunId[]; afterSeq: number },
): Promise<readonly RecordedEvent[]> => {
  const [session] = await query("SELECT number, head_seq FROM ~sessions WHERE session_id = $1", [toNameKey(sessionId)]);
  if (session === undefined || afterSeq >= Number(session["head_seq"])) return [];
  const number = Number(session["number"]);
  const rows = await query(`${SELECT_LOOSE} WHERE e.run_id = ANY($1) AND e.id BETWEEN $2 AND $3 ORDER BY e.id`, [
    runIds.map(toNameKey),
    toEventKey(number, afterSeq + 1),
    toEventKey(number, MAX_SEQ),
  ]);
  return collectLoose(rows.map(toLoose), sessionId);
};

export const readInputs = async (query: Query, runId: RunId, afterSeq: number): Promise<readonly InputEvent[]> => {
  const found = await query(
    "SELECT s.number, s.session_id, s.head_seq FROM ~runs r JOIN ~sessions s ON s.number = r.session_number WHERE r.run_id = $1",
    [toNameKey(runId)],
  );
  const [run] = found;
  if (run === undefined || afterSeq >= Number(run["head_seq"])) return [];
  const number = Number(run["number"]);
  const rows = await query(
    `${SELECT_LOOSE} WHERE e.run_id = $1 AND e.id BETWEEN $2 AND $3
       AND e.type IN ('message.received', 'message.withdrawn', 'approval.answered', 'cancel.requested') ORDER BY e.id`,
    [toNameKey(runId), toEventKey(number, afterSeq + 1), toEventKey(number, MAX_SEQ)],
  );
  const sessionId = fromNameKey(String(run["session_id"]), await readLongNames(query, found)) as SessionId;
  return collectLoose(rows.map(toLoose), sessionId).filter((event) => isInput(event));
};

export const readLatestRoot = async (query: Query, sessionId: SessionId): Promise<RootRun | undefined> => {
  const rows = await query(
    `SELECT r.run_id, r.message_id, m.status FROM ~sessions s JOIN ~runs r ON r.session_number = s.number
       JOIN ~messages m ON m.id = r.message_id WHERE s.session_id = $1 AND r.is_root ORDER BY r.message_id DESC LIMIT 1`,
    [toNameKey(sessionId)],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    runId: fromNameKey(String(row["run_id"]), await readLongNames(query, rows)) as RunId,
    seq: toSeq(row["message_id"]),
    isSettled: row["status"] !== "pending" && row["status"] !== "running",
  };
};
