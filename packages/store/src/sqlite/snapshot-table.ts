/** Snapshots of runs in `snapshots`, one a run. */
import type { RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { unknownRun } from "../admit.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import type { Snapshot } from "../snapshot.ts";
import { toSnapshotDigest } from "../snapshot.ts";
import type { Statements } from "./statements.ts";

/** Inside a transaction that the caller opened. */
export const insertSnapshot = (statements: Statements, snapshot: Snapshot): void => {
  const { sessionId, runId, seq, format, state } = snapshot;
  const run = statements(
    "SELECT r.session_number FROM runs r JOIN sessions s ON s.number = r.session_number WHERE r.run_id = ? AND s.session_id = ?",
  ).get(toColumnText(runId), toColumnText(sessionId));
  if (run === undefined) throw unknownRun(runId);
  const eventId = toEventKey(Number(run["session_number"]), seq);
  const hash = statements("SELECT hash FROM events WHERE id = ?").get(eventId)?.["hash"];
  if (hash === undefined) throw new RetinueError("internal", `${sessionId} has no event ${seq} for a snapshot to be taken at.`);
  statements(
    `INSERT INTO snapshots (run_id, event_id, format, state, digest) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (run_id) DO UPDATE SET event_id = excluded.event_id, format = excluded.format, state = excluded.state,
         digest = excluded.digest WHERE excluded.event_id >= event_id`,
  ).run(toColumnText(runId), eventId, toColumnText(format), toColumnText(state), toSnapshotDigest(snapshot, String(hash)));
};

export const readSnapshot = (statements: Statements, runId: RunId, format: string): Snapshot | undefined => {
  const row = statements(
    `SELECT s.session_id, n.event_id - n.event_id / ${MAX_SEQ + 1} * ${MAX_SEQ + 1} AS seq, n.state, n.digest, e.hash
       FROM snapshots n JOIN events e ON e.id = n.event_id JOIN sessions s ON s.number = n.event_id / ${MAX_SEQ + 1}
       WHERE n.run_id = ? AND n.format = ?`,
  ).get(toColumnText(runId), toColumnText(format));
  if (row === undefined) return undefined;
  const snapshot = {
    sessionId: fromColumnText(String(row["session_id"])) as SessionId,
    runId,
    seq: Number(row["seq"]),
    format,
    state: fromColumnText(String(row["state"])),
  };
  return toSnapshotDigest(snapshot, String(row["hash"])) === row["digest"] ? snapshot : undefined;
};
