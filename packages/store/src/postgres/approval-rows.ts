/** Questions in `approvals`, in PostgreSQL. What writes happens inside a transaction that the caller opened. */
import type { ApprovalId, InputDraft, RunId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { KnownApproval } from "../admit.ts";
import { fromEventBody } from "../chain.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import type { ApprovalQuery, OpenApproval } from "../open-approval.ts";
import { toOpenApproval } from "../open-approval.ts";
import type { ApprovalOperation, ApprovalRow } from "../project-approval.ts";
import type { Query, Row } from "./database.ts";
import { fromNameKey, isLongName, toNameKey } from "./name-key.ts";
import { readLongNames, toSeq } from "./postgres-rows.ts";

/** Long names are handed to `keep`. */
export const applyApproval = async (
  query: Query,
  operation: ApprovalOperation,
  keep: (key: string, text: string) => void,
): Promise<void> => {
  if (operation.type === "open") {
    const { runId, approvalId, eventId, messageId, expiresAt } = operation.row;
    const approvalKey = toNameKey(approvalId);
    if (isLongName(approvalKey)) keep(approvalKey, toColumnText(approvalId));
    await query(
      `INSERT INTO ~approvals (run_id, approval_id, event_id, message_id, expires_at, closed) VALUES ($1, $2, $3, $4, $5, NULL)
         ON CONFLICT (run_id, approval_id) DO UPDATE SET event_id = excluded.event_id, message_id = excluded.message_id,
           expires_at = excluded.expires_at, closed = NULL`,
      [toNameKey(runId), approvalKey, eventId, messageId, expiresAt === null ? null : toColumnText(expiresAt)],
    );
    return;
  }
  await query("UPDATE ~approvals SET closed = $3 WHERE run_id = $1 AND approval_id = $2 AND closed IS NULL", [
    toNameKey(operation.runId),
    toNameKey(operation.approvalId),
    operation.as,
  ]);
};

export type StoredApproval = KnownApproval & { readonly messageId: number };

/** By `toApprovalKey`. */
export type KnownApprovals = ReadonlyMap<string, StoredApproval>;

export const toApprovalKey = (runId: RunId, approvalId: ApprovalId): string => JSON.stringify([runId, approvalId]);

/** The questions that these inputs answer. */
export const readApprovals = async (query: Query, inputs: readonly InputDraft[]): Promise<KnownApprovals> => {
  const found = new Map<string, StoredApproval>();
  for (const input of inputs) {
    if (input.type !== "approval.answered") continue;
    const { runId, approvalId } = input;
    const [row] = await query("SELECT message_id, expires_at, closed FROM ~approvals WHERE run_id = $1 AND approval_id = $2", [
      toNameKey(runId),
      toNameKey(approvalId),
    ]);
    if (row !== undefined) found.set(toApprovalKey(runId, approvalId), { messageId: Number(row["message_id"]), ...toState(row) });
  }
  return found;
};

const toState = (row: Row): KnownApproval => ({
  expiresAt: typeof row["expires_at"] === "string" ? fromColumnText(row["expires_at"]) : null,
  // Only what `applyApproval` wrote stands in this column.
  closed: row["closed"] as KnownApproval["closed"],
});

/** All questions of a session, for who compares them with its events. */
export const readSessionApprovals = async (query: Query, sessionNumber: number): Promise<readonly ApprovalRow[]> => {
  const rows = await query("SELECT * FROM ~approvals WHERE event_id BETWEEN $1 AND $2", [
    toEventKey(sessionNumber, 0),
    toEventKey(sessionNumber, MAX_SEQ),
  ]);
  const longNames = await readLongNames(query, rows);
  return rows.map((row) => ({
    runId: fromNameKey(String(row["run_id"]), longNames) as RunId,
    approvalId: fromNameKey(String(row["approval_id"]), longNames) as ApprovalId,
    eventId: Number(row["event_id"]),
    messageId: Number(row["message_id"]),
    ...toState(row),
  }));
};

/** Each open question with the agents from its run up to the main agent, `up` 0 being the run itself. */
const SELECT_OPEN = `WITH RECURSIVE open AS (
    SELECT event_id, run_id FROM ~approvals WHERE closed IS NULL AND ($1::bigint IS NULL OR event_id BETWEEN $1 AND $2)
  ), above AS (
    SELECT o.event_id, 0 AS up, m.agent_role, m.parent_message_id, m.id
      FROM open o JOIN ~runs r ON r.run_id = o.run_id JOIN ~messages m ON m.id = r.message_id
    UNION ALL
    SELECT a.event_id, a.up + 1, m.agent_role, m.parent_message_id, m.id
      FROM above a JOIN ~messages p ON p.id = a.parent_message_id JOIN ~runs r ON r.run_id = p.run_id
        JOIN ~messages m ON m.id = r.message_id WHERE m.id < a.id
  )
  SELECT a.event_id, a.agent_role, e.body, s.workspace FROM above a
    LEFT JOIN ~events e ON e.id = a.event_id AND a.up = 0
    LEFT JOIN ~sessions s ON s.number = a.event_id / ${MAX_SEQ + 1} AND a.up = 0
    ORDER BY a.event_id, a.up`;

export const readOpenApprovals = async (query: Query, { sessionId }: ApprovalQuery): Promise<readonly OpenApproval[]> => {
  let range: readonly (number | null)[] = [null, null];
  if (sessionId !== undefined) {
    const [session] = await query("SELECT number FROM ~sessions WHERE session_id = $1", [toNameKey(sessionId)]);
    if (session === undefined) return [];
    range = [toEventKey(Number(session["number"]), 0), toEventKey(Number(session["number"]), MAX_SEQ)];
  }
  const rows = await query(SELECT_OPEN, range);
  const longNames = await readLongNames(
    query,
    rows.map((row) => ({ name: row["agent_role"] })),
  );
  const questions = new Map<number, { readonly first: Row; readonly path: string[] }>();
  for (const row of rows) {
    const eventId = Number(row["event_id"]);
    const question = questions.get(eventId) ?? { first: row, path: [] };
    question.path.unshift(fromNameKey(String(row["agent_role"]), longNames));
    questions.set(eventId, question);
  }
  return [...questions].map(([eventId, { first, path }]) => {
    const event = fromEventBody(String(first["body"]));
    if (event?.type !== "approval.requested")
      throw new RetinueError("store_corrupt", `Event ${toSeq(eventId)} of a session is not the question that it was.`);
    return toOpenApproval({ event, path, workspace: fromColumnText(String(first["workspace"])) });
  });
};
