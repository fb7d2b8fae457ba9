/** Reading `runs`. */
import type { RunId, SessionId } from "@retinue/protocol";
import { fromColumnText, toColumnText } from "../column-text.ts";
import type { RootRun } from "../contract.ts";
import { fromEventKey } from "../event-key.ts";
import type { Statements } from "./statements.ts";

export const readLatestRoot = (statements: Statements, sessionId: SessionId): RootRun | undefined => {
  const row = statements(
    `SELECT r.run_id, r.message_id, m.status FROM sessions s JOIN runs r ON r.session_number = s.number
       JOIN messages m ON m.id = r.message_id WHERE s.session_id = ? AND r.is_root = 1 ORDER BY r.message_id DESC LIMIT 1`,
  ).get(toColumnText(sessionId));
  if (row === undefined) return undefined;
  return {
    runId: fromColumnText(String(row["run_id"])) as RunId,
    seq: fromEventKey(Number(row["message_id"])).seq,
    isSettled: row["status"] !== "pending" && row["status"] !== "running",
  };
};
