/** Which sessions are a workspace's own, and which of them came from an export. */
import type { ApprovalId, RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { RetinueStore } from "../open-record.ts";

export type OwnSessions = {
  /** Throws `session_elsewhere` for a session of another folder. One that was imported says nothing of folders that is believed. */
  readonly require: (sessionId: SessionId) => Promise<void>;
  readonly requireRun: (runId: RunId) => Promise<void>;
  readonly requireApproval: (approvalId: ApprovalId) => Promise<void>;
  /** Asked once a session; of those that began here it is known. */
  readonly isImported: (sessionId: SessionId) => Promise<boolean>;
  readonly beganHere: (sessionId: SessionId) => void;
  /** Whether it was asked before. */
  readonly isKnown: (sessionId: SessionId) => boolean;
};

export const createOwnSessions = (store: RetinueStore, folder: string): OwnSessions => {
  const imports = new Map<SessionId, boolean>();
  const own = new Set<SessionId>();

  const require = async (sessionId: SessionId): Promise<void> => {
    if (own.has(sessionId)) return;
    const session = await store.readSide.session(sessionId);
    if (session?.importedAt === null && session.workspace !== folder)
      throw new RetinueError("session_elsewhere", `Session ${sessionId} works in ${session.workspace}, not in ${folder}.`);
    if (session) own.add(sessionId);
  };

  const requireRun = async (runId: RunId): Promise<void> => {
    const sessionId = await store.sessionOf(runId);
    if (sessionId !== undefined) await require(sessionId);
  };

  return {
    require,
    requireRun,
    requireApproval: async (approvalId) => {
      const open = (await store.approvals()).find((one) => one.approvalId === approvalId);
      if (open) await require(open.sessionId);
    },
    isImported: async (sessionId) => {
      const known = imports.get(sessionId) ?? (await store.readSide.session(sessionId))?.importedAt !== null;
      imports.set(sessionId, known);
      return known;
    },
    beganHere: (sessionId) => {
      own.add(sessionId);
      imports.set(sessionId, false);
    },
    isKnown: (sessionId) => imports.has(sessionId),
  };
};
