/** A question that waits for an answer, as whoever could answer it sees it. */
import type { ApprovalId, EventOf, ProposedAct, RunIdentity, SessionId } from "@retinue/protocol";

export type OpenApproval = RunIdentity & {
  readonly approvalId: ApprovalId;
  /** The agents from the main agent down to the one that asks. */
  readonly path: readonly string[];
  readonly act: ProposedAct;
  /** SHA-256 of the act. */
  readonly hash: string;
  readonly requestedAt: string;
  /** After this time nobody can answer any more; null: at any time. */
  readonly expiresAt: string | null;
  /** The session's workspace. */
  readonly workspace: string;
};

export type ApprovalQuery = {
  readonly sessionId?: SessionId;
  /** Open questions are the only ones that are listed. */
  readonly state?: "open";
};

export type OpenApprovalParts = {
  readonly event: EventOf<"approval.requested">;
  readonly path: readonly string[];
  readonly workspace: string;
};

export const toOpenApproval = ({ event, path, workspace }: OpenApprovalParts): OpenApproval => ({
  approvalId: event.approvalId,
  sessionId: event.sessionId,
  runId: event.runId,
  parentRunId: event.parentRunId,
  depth: event.depth,
  agent: event.agent,
  path,
  act: event.act,
  hash: event.hash,
  requestedAt: event.at,
  expiresAt: event.expiresAt ?? null,
  workspace,
});
