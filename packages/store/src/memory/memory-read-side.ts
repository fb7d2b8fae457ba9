/**
 * The read side of the log in memory. Nobody who only runs agents pays for it: the first question copies what was
 * recorded into a SQLite database in memory, later ones what came since, and that database answers.
 */
import type { ArtifactId, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import type { Holder } from "../holder.ts";
import { heldError } from "../holder.ts";
import type { ImportedSession } from "../read-export.ts";
import { readExport } from "../read-export.ts";
import type { ReadSide } from "../read-side.ts";
import type { StoredArtifact } from "../stored-artifact.ts";

/** What the log holds of a session. */
export type MemoryRecord = {
  readonly events: readonly RecordedEvent[];
  /** When it was last written to. */
  readonly touch: number;
  readonly runs: ReadonlyMap<RunId, { readonly epoch: number }>;
  readonly artifacts: ReadonlyMap<ArtifactId, StoredArtifact>;
  readonly importedAt: string | null;
};

export type MemoryReadSideOptions = {
  readonly sessions: ReadonlyMap<SessionId, MemoryRecord>;
  readonly holderOf: (sessionId: SessionId) => Holder | undefined;
  /** Of any run of the session. */
  readonly anyHolderOf: (sessionId: SessionId) => Holder | undefined;
  readonly remove: (sessionId: SessionId) => void;
  readonly insert: (imported: ImportedSession) => void;
};

type Copy = { readonly readSide: ReadSide; readonly update: () => Promise<void> };

export const createMemoryReadSide = ({ sessions, holderOf, anyHolderOf, remove, insert }: MemoryReadSideOptions): ReadSide => {
  let copy: Promise<Copy> | undefined;
  let updating: Promise<unknown> = Promise.resolve();
  const current = async (): Promise<ReadSide> => {
    const { readSide, update } = await (copy ??= createCopy(sessions));
    // One after the other: what another question is still copying is not there yet.
    const updated = updating.then(update);
    updating = updated.catch(() => undefined);
    await updated;
    return readSide;
  };
  return {
    listSessions: async (query) => (await current()).listSessions(query),
    session: async (sessionId) => (await current()).session(sessionId),
    holders: (sessionIds) => {
      const holders = new Map<SessionId, Holder>();
      for (const sessionId of sessionIds) {
        const holder = holderOf(sessionId);
        if (holder !== undefined) holders.set(sessionId, holder);
      }
      return holders;
    },
    tree: async (sessionId) => (await current()).tree(sessionId),
    messages: async (sessionId, query) => (await current()).messages(sessionId, query),
    message: async (messageId) => (await current()).message(messageId),
    systemPrompt: async (id) => (await current()).systemPrompt(id),
    children: async (messageId, page) => (await current()).children(messageId, page),
    search: async (text, query) => (await current()).search(text, query),
    stats: async (query) => (await current()).stats(query),
    exportSession: async (sessionId) => (await current()).exportSession(sessionId),
    importSession: async (exported) => {
      const readSide = await current();
      // The copy refuses what cannot be recorded before the log takes it.
      const session = await readSide.importSession(exported);
      await readSide.deleteSession(session.sessionId);
      insert(readExport(exported));
      const imported = await (await current()).session(session.sessionId);
      return imported ?? session;
    },
    deleteSession: async (sessionId, { force = false } = {}) => {
      const holder = force ? undefined : anyHolderOf(sessionId);
      if (holder !== undefined) throw heldError(sessionId, holder);
      const existed = await (await current()).deleteSession(sessionId);
      remove(sessionId);
      return existed;
    },
    retain: async (retention, hooks) => {
      const gone = await (await current()).retain(retention, hooks);
      for (const sessionId of gone) remove(sessionId);
      return gone;
    },
    verify: async (sessionId, told) => (await current()).verify(sessionId, told),
  };
};

const createCopy = async (sessions: ReadonlyMap<SessionId, MemoryRecord>): Promise<Copy> => {
  // Loaded here, so that a log without readers never loads SQLite.
  const { createMemoryDatabase } = await import("../sqlite/memory-database.ts");
  const { readSide, copy } = createMemoryDatabase();
  const copied = new Map<MemoryRecord, { events: number; artifacts: number }>();
  return {
    readSide,
    update: async () => {
      // The copy tells them apart by the order in which they come.
      for (const [sessionId, record] of [...sessions].toSorted(([, a], [, b]) => a.touch - b.touch)) {
        const before = copied.get(record) ?? { events: 0, artifacts: 0 };
        const { events, runs, artifacts, importedAt } = record;
        if (events.length === before.events && artifacts.size === before.artifacts) continue;
        copied.set(record, { events: events.length, artifacts: artifacts.size });
        await copy({
          sessionId,
          events: events.slice(before.events),
          epochs: [...runs].map(([runId, { epoch }]) => [runId, epoch]),
          artifacts: [...artifacts.values()].slice(before.artifacts),
          importedAt,
        });
      }
      const held = new Set(sessions.values());
      for (const record of copied.keys()) if (!held.has(record)) copied.delete(record);
    },
  };
};
