/** What may be appended, decided in one place for every implementation of the log. */
import type { EventDraft, RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { Lease } from "./contract.ts";

/** What a log knows of a run. */
export type KnownRun = { readonly sessionId: SessionId; readonly epoch: number };

/**
 * Throws unless the drafts may be appended: one session for all of them, each run requested exactly once and first,
 * and a lease that still holds for everything else. Gives the session they belong to.
 */
export const admit = (
  drafts: readonly EventDraft[],
  lease: Lease | undefined,
  known: (runId: RunId) => KnownRun | undefined,
): SessionId => {
  const sessionId = drafts[0]?.sessionId;
  if (sessionId === undefined) throw new RetinueError("internal", "An empty append belongs to no session.");
  if (lease !== undefined) admitLease(lease, known(lease.runId));
  for (const draft of drafts) {
    if (draft.sessionId !== sessionId)
      throw new RetinueError("internal", `One append holds events of ${sessionId} and of ${draft.sessionId}.`);
    if (draft.type === "run.requested") {
      if (known(draft.runId) !== undefined)
        throw new RetinueError("run_exists", `Run ${draft.runId} was requested before; nothing was written.`);
      for (const other of drafts) {
        if (other === draft) break;
        if (other.runId === draft.runId)
          throw new RetinueError("run_exists", `Run ${draft.runId} is requested twice in one append; nothing was written.`);
      }
      continue;
    }
    if (lease === undefined)
      throw new RetinueError("internal", `A ${draft.type} of ${draft.runId} was to be appended without a lease.`);
    if (draft.runId !== lease.runId)
      throw new RetinueError("internal", `The lease of ${lease.runId} cannot write a ${draft.type} of ${draft.runId}.`);
    if (known(draft.runId)?.sessionId !== sessionId)
      throw new RetinueError("internal", `Run ${draft.runId} does not belong to ${sessionId}.`);
  }
  return sessionId;
};

const admitLease = (lease: Lease, run: KnownRun | undefined): void => {
  if (run === undefined) throw unknownRun(lease.runId);
  if (run.epoch !== lease.epoch)
    throw new RetinueError(
      "lease_lost",
      `Run ${lease.runId} is driven under epoch ${run.epoch} now; what epoch ${lease.epoch} wanted to write was refused.`,
    );
};

export const unknownRun = (runId: RunId): RetinueError => new RetinueError("run_unknown", `No run ${runId} was ever requested.`);

/** The number to read after: whatever a caller sends, a whole number that is not negative. */
export const toAfterSeq = (afterSeq: number | undefined): number =>
  afterSeq === undefined || Number.isNaN(afterSeq) ? 0 : Math.min(Math.max(0, Math.trunc(afterSeq)), Number.MAX_SAFE_INTEGER);
