/** Questions in `approvals`. What writes happens inside a transaction that the caller opened. */
import type { ApprovalId, EventOf, RunId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { SQLOutputValue } from "node:sqlite";
import type { KnownApproval } from "../admit.ts";
import { fromEventBody } from "../chain.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { fromEventKey, MAX_SEQ, toEventKey } from "../event-key.ts";
import type { ApprovalQuery, OpenApproval } from "../open-approval.ts";
import { toOpenApproval } from "../open-approval.ts";
import type { ApprovalOperation, ApprovalRow } from "../project-approval.ts";
import { readHead } from "./event-table.ts";
import { isBeingRemoved } from "./session-removal.ts";
import type { Statements } from "./statements.ts";

export const applyApproval = (statements: Statements, operation: ApprovalOperation): void => {
  if (operation.type === "open") {
    const { runId, approvalId, eventId, messageId, expiresAt } = operation.row;
    statements(
      `INSERT OR REPLACE INTO approvals (run_id, approval_id, event_id, message_id, expires_at, closed) VALUES (?, ?, ?, ?, ?, NULL)`,
    ).run(toColumnText(runId), toColumnText(approvalId), eventId, messageId, expiresAt === null ? null : toColumnText(expiresAt));
    return;
  }
  statements("UPDATE approvals SET closed = ? WHERE run_id = ? AND approval_id = ? AND closed IS NULL").run(
    operation.as,
    toColumnText(operation.runId),
    toColumnText(operation.approvalId),
  );
};

export type StoredApproval = KnownApproval & { readonly messageId: number };

export const readApproval = (statements: Statements, runId: RunId, approvalId: ApprovalId): StoredApproval | undefined => {
  const row = statements("SELECT message_id, expires_at, closed FROM approvals WHERE run_id = ? AND approval_id = ?").get(
    toColumnText(runId),
    toColumnText(approvalId),
  );
  if (row === undefined) return undefined;
  return { messageId: Number(row["message_id"]), ...toState(row) };
};

const toState = (row: Record<string, SQLOutputValue>): KnownApproval => ({
  expiresAt: typeof row["expires_at"] === "string" ? fromColumnText(row["expires_at"]) : null,
  // Only what `applyApproval` wrote stands in this column.
  closed: row["closed"] as KnownApproval["closed"],
});

/** All questions of a session, for who compares them with its events. */
export function* eachApproval(statements: Statements, sessionNumber: number): Generator<ApprovalRow> {
  const rows = statements("SELECT * FROM approvals WHERE event_id BETWEEN ? AND ?").iterate(
    toEventKey(sessionNumber, 0),
    toEventKey(sessionNumber, MAX_SEQ),
  );
  for (const row of rows)
    yield {
      runId: fromColumnText(String(row["run_id"])) as RunId,
      approvalId: fromColumnText(String(row["approval_id"])) as ApprovalId,
      eventId: Number(row["event_id"]),
      messageId: Number(row["message_id"]),
      ...toState(row),
    };
}

const SELECT_OPEN = `SELECT a.event_id, e.body, r.message_id AS run_message_id FROM approvals a
  JOIN events e ON e.id = a.event_id JOIN runs r ON r.run_id = a.run_id
  WHERE a.closed IS NULL AND NOT ${isBeingRemoved("r.session_number")}`;

export const readOpenApprovals = (statements: Statements, { sessionId }: ApprovalQuery): readonly OpenApproval[] => {
  const head = sessionId === undefined ? undefined : readHead(statements, sessionId);
  if (sessionId !== undefined && head === undefined) return [];
  const rows =
    head === undefined
      ? statements(`${SELECT_OPEN} ORDER BY a.event_id`).all()
      : statements(`${SELECT_OPEN} AND a.event_id BETWEEN ? AND ? ORDER BY a.event_id`).all(
          toEventKey(head.number, 0),
          toEventKey(head.number, MAX_SEQ),
        );
  const pathOf = createPaths(statements);
  const workspaceOf = createWorkspaces(statements);
  return rows.map((row) => {
    const eventId = Number(row["event_id"]);
    return toOpenApproval({
      event: toRequest(String(row["body"]), eventId),
      path: pathOf(Number(row["run_message_id"])),
      workspace: workspaceOf(fromEventKey(eventId).sessionNumber),
    });
  });
};

export const toRequest = (body: string, eventId: number): EventOf<"approval.requested"> => {
  const event = fromEventBody(body);
  if (event?.type !== "approval.requested")
    throw new RetinueError("store_corrupt", `Event ${fromEventKey(eventId).seq} of a session is not the question that it was.`);
  return event;
};

/** The agents from the main agent down to the run of a row; rows that many questions share are read once. */
const createPaths = (statements: Statements): ((messageId: number) => readonly string[]) => {
  const paths = new Map<number, readonly string[]>();
  const select = statements(
    `SELECT m.agent_role, q.message_id AS parent FROM messages m LEFT JOIN messages p ON p.id = m.parent_message_id
       LEFT JOIN runs q ON q.run_id = p.run_id WHERE m.id = ?`,
  );
  const pathOf = (messageId: number): readonly string[] => {
    const known = paths.get(messageId);
    if (known !== undefined) return known;
    const row = select.get(messageId);
    const above = typeof row?.["parent"] === "number" && row["parent"] < messageId ? pathOf(row["parent"]) : [];
    const path = [...above, fromColumnText(String(row?.["agent_role"] ?? ""))];
    paths.set(messageId, path);
    return path;
  };
  return pathOf;
};

const createWorkspaces = (statements: Statements): ((sessionNumber: number) => string) => {
  const workspaces = new Map<number, string>();
  return (number) => {
    let workspace = workspaces.get(number);
    if (workspace === undefined) {
      const row = statements("SELECT workspace FROM sessions WHERE number = ?").get(number);
      workspaces.set(number, (workspace = fromColumnText(String(row?.["workspace"] ?? ""))));
    }
    return workspace;
  };
};
