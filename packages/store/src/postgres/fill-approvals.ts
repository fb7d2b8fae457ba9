/** Works out the rows of `approvals` for sessions that were recorded before there was that table. */
import { fromEventBody } from "../chain.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import type { RunProjection } from "../project.ts";
import { project } from "../project.ts";
import { projectApproval } from "../project-approval.ts";
import { applyApproval } from "./approval-rows.ts";
import type { Query } from "./database.ts";

export const fillApprovals = async (query: Query): Promise<void> => {
  const asking = await query(`SELECT DISTINCT id / ${MAX_SEQ + 1} AS number FROM ~events WHERE type = 'approval.requested'`);
  for (const row of asking) await fillSession(query, Number(row["number"]));
};

const fillSession = async (query: Query, number: number): Promise<void> => {
  const projections = new Map<string, RunProjection>();
  const rows = await query("SELECT id, body FROM ~events WHERE id BETWEEN $1 AND $2 ORDER BY id", [
    toEventKey(number, 0),
    toEventKey(number, MAX_SEQ),
  ]);
  for (const { id, body } of rows) {
    const event = fromEventBody(String(body));
    // A session that is damaged from here on stays as it is: `verify` tells of it.
    if (event === undefined) return;
    const before = projections.get(event.runId);
    if (before === undefined && event.type !== "run.requested") return;
    const parent = event.parentRunId === null ? undefined : projections.get(event.parentRunId);
    const { run: after } = project({ event, sessionNumber: number, run: before, parent });
    projections.set(event.runId, after);
    for (const operation of projectApproval({ event, id: Number(id), before, after })) {
      const names = new Map<string, string>();
      await applyApproval(query, operation, (key, text) => void names.set(key, text));
      for (const [name, text] of names)
        await query("INSERT INTO ~names (session_number, name, text) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [
          number,
          name,
          text,
        ]);
    }
  }
};
