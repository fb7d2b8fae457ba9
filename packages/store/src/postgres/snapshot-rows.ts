/** Snapshots of runs in `snapshots`, one a run, in PostgreSQL. */
import type { RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { unknownRun } from "../admit.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import type { Snapshot } from "../snapshot.ts";
import { toSnapshotDigest } from "../snapshot.ts";
import type { Query } from "./database.ts";
import { fromNameKey, toNameKey } from "./name-key.ts";
import { readLongNames, toSeq } from "./postgres-rows.ts";

/** Inside a transaction that the caller opened. */
export const insertSnapshot = async (query: Query, snapshot: Snapshot): Promise<void> => {
  const { sessionId, runId, seq, format, state } = snapshot;
  // Nobody may delete the session meanwhile.
  const [run] = await query(
    `SELECT r.session_number FROM ~runs r JOIN ~sessions s ON s.number = r.session_number
       WHERE r.run_id = $1 AND s.session_id = $2 FOR SHARE OF s`,
    [toNameKey(runId), toNameKey(sessionId)],
  );
  if (run === undefined) throw unknownRun(runId);
  const eventId = toEventKey(Number(run["session_number"]), seq);
  const [event] = await query("SELECT hash FROM ~events WHERE id = $1", [eventId]);
  if (event === undefined) throw new RetinueError("internal", `${sessionId} has no event ${seq} for a snapshot to be taken at.`);
  await query(
    `INSERT INTO ~snapshots AS old (run_id, event_id, format, state, digest) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (run_id) DO UPDATE SET event_id = excluded.event_id, format = excluded.format, state = excluded.state,
         digest = excluded.digest WHERE excluded.event_id >= old.event_id`,
    [toNameKey(runId), eventId, toColumnText(format), toColumnText(state), toSnapshotDigest(snapshot, String(event["hash"]))],
  );
};

export const readSnapshot = async (query: Query, runId: RunId, format: string): Promise<Snapshot | undefined> => {
  const rows = await query(
    `SELECT s.session_id, n.event_id, n.state, n.digest, e.hash FROM ~snapshots n JOIN ~events e ON e.id = n.event_id
       JOIN ~sessions s ON s.number = n.event_id / ${MAX_SEQ + 1} WHERE n.run_id = $1 AND n.format = $2`,
    [toNameKey(runId), toColumnText(format)],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const longNames = await readLongNames(query, [{ name: row["session_id"] }]);
  const snapshot = {
    sessionId: fromNameKey(String(row["session_id"]), longNames) as SessionId,
    runId,
    seq: toSeq(row["event_id"]),
    format,
    state: fromColumnText(String(row["state"])),
  };
  return toSnapshotDigest(snapshot, String(row["hash"])) === row["digest"] ? snapshot : undefined;
};
