/** Sessions and questions as routes tell them: the rows of the record, with who works on them now. */
import type { SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { RouteOutput } from "@retinue/protocol/routes";
import type { ReadonlyDeep } from "@retinue/server";
import type { OpenApproval, SessionRow } from "@retinue/store";
import type { RetinueStore } from "../open-record.ts";
import { toWorkspaceId } from "./served-workspaces.ts";

export type SessionItem = ReadonlyDeep<RouteOutput<"getSession">>;
export type ApprovalItem = ReadonlyDeep<RouteOutput<"listApprovals">["approvals"][number]>;

export const toApprovalItem = (approval: OpenApproval): ApprovalItem => ({
  ...approval,
  workspaceId: toWorkspaceId(approval.workspace),
});

export const toSessionItems = async (store: RetinueStore, rows: readonly SessionRow[]): Promise<readonly SessionItem[]> => {
  const holders = await store.readSide.holders(rows.map(({ sessionId }) => sessionId));
  const approvals = Map.groupBy(await store.approvals(), ({ sessionId }) => sessionId);
  return rows.map((row) => ({
    ...row,
    workspaceId: toWorkspaceId(row.workspace),
    driver: holders.get(row.sessionId) ?? null,
    openApprovals: approvals.get(row.sessionId)?.length ?? 0,
  }));
};

/** Throws `session_unknown`. */
export const requireSession = async (store: Pick<RetinueStore, "readSide">, sessionId: SessionId): Promise<SessionRow> => {
  const row = await store.readSide.session(sessionId);
  if (!row) throw new RetinueError("session_unknown", `There is no session ${sessionId}.`);
  return row;
};
