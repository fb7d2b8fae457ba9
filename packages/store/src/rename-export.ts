/** An exported session under new ids, as if it had been recorded under them: for a store that holds the one it came from. */
import type { RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { CHAIN_START, toChainHash, toEventBody } from "./chain.ts";
import { readExport } from "./read-export.ts";
import type { SessionExport } from "./read-side.ts";

export type RenameOptions = {
  readonly sessionId: SessionId;
  /** The new id of a run; its parent has its own already. */
  readonly runIdOf: (requested: RecordedEvent & { readonly type: "run.requested" }, newParent: RunId | null) => RunId;
};

/** Throws `import_invalid` where the export is not as it was made. What texts say of ids stays as it was said. */
export const renameExport = (exported: unknown, { sessionId, runIdOf }: RenameOptions): SessionExport => {
  const { drafts } = readExport(exported);
  const ids = new Map<RunId, RunId>();
  const renamed = (runId: RunId): RunId => ids.get(runId) ?? runId;
  let hash = CHAIN_START;
  const events = drafts.map((draft, at): RecordedEvent => {
    const seq = at + 1;
    const parentRunId = draft.parentRunId === null ? null : renamed(draft.parentRunId);
    if (draft.type === "run.requested") ids.set(draft.runId, runIdOf({ ...draft, seq }, parentRunId));
    const moved = {
      ...draft,
      sessionId,
      runId: renamed(draft.runId),
      parentRunId,
      ...(draft.type === "run.requested" && draft.continues !== undefined ? { continues: renamed(draft.continues) } : {}),
      ...(draft.type === "tool.settled" && draft.transferred
        ? { transferred: { ...draft.transferred, runId: renamed(draft.transferred.runId) } }
        : {}),
      ...(draft.type === "run.settled" && draft.result.transferredTo
        ? {
            result: {
              ...draft.result,
              transferredTo: { ...draft.result.transferredTo, runId: renamed(draft.result.transferredTo.runId) },
            },
          }
        : {}),
      ...(draft.type === "message.received" && draft.from !== "human" ? { from: renamed(draft.from) } : {}),
    };
    hash = toChainHash(hash, toEventBody(moved, seq));
    return { seq, ...moved };
  });
  // `readExport` has seen that it is one.
  const whole = exported as SessionExport;
  return { ...whole, session: { ...whole.session, sessionId, headHash: hash }, events };
};
