/** Works out the rows of `approvals` for sessions that were recorded before there was that table. */
import type { DatabaseSync } from "node:sqlite";
import { fromEventBody } from "../chain.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import type { RunProjection } from "../project.ts";
import { project } from "../project.ts";
import { projectApproval } from "../project-approval.ts";
import { applyApproval } from "./approval-table.ts";
import type { Statements } from "./statements.ts";
import { createStatements } from "./statements.ts";

export const fillApprovals = (db: DatabaseSync): void => {
  const statements = createStatements(db);
  const asking = statements(`SELECT DISTINCT id / ${MAX_SEQ + 1} AS number FROM events WHERE type = 'approval.requested'`).all();
  for (const row of asking) fillSession(statements, Number(row["number"]));
};

const fillSession = (statements: Statements, number: number): void => {
  const projections = new Map<string, RunProjection>();
  const rows = statements("SELECT id, body FROM events WHERE id BETWEEN ? AND ? ORDER BY id").all(
    toEventKey(number, 0),
    toEventKey(number, MAX_SEQ),
  );
  for (const { id, body } of rows) {
    const event = fromEventBody(String(body));
    // A session that is damaged from here on stays as it is: `verify` tells of it.
    if (event === undefined) return;
    const before = projections.get(event.runId);
    if (before === undefined && event.type !== "run.requested") return;
    const parent = event.parentRunId === null ? undefined : projections.get(event.parentRunId);
    const { run: after } = project({ event, sessionNumber: number, run: before, parent });
    projections.set(event.runId, after);
    for (const operation of projectApproval({ event, id: Number(id), before, after })) applyApproval(statements, operation);
  }
};
