/**
 * The event log in this process's memory: gone with it, and so cheap that a run pays nothing for being recorded.
 * Everything returns at once, without promises.
 */
import type { ArtifactId, ArtifactRef, EventDraft, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { admit, toAfterSeq, unknownRun } from "../admit.ts";
import { toArtifactRef } from "../artifact-ref.ts";
import type { EventLog, Lease } from "../contract.ts";
import type { Holder } from "../holder.ts";
import { thisProcess } from "../process-identity.ts";
import type { ReadSide } from "../read-side.ts";
import { createWatchers } from "../watchers.ts";
import { createMemoryReadSide } from "./memory-read-side.ts";

type MemoryRun = { readonly sessionId: SessionId; readonly isMain: boolean; epoch: number; heldSince: string | null };
type MemorySession = {
  readonly events: RecordedEvent[];
  readonly runs: Map<RunId, MemoryRun>;
  readonly artifacts: Map<ArtifactId, string>;
  importedAt: string | null;
};

/** The log with its synchronous return values visible. */
export type MemoryLog = {
  readonly append: (drafts: readonly EventDraft[], lease?: Lease) => readonly RecordedEvent[];
  readonly lease: (runId: RunId) => Lease;
  readonly holder: (runId: RunId) => Holder | undefined;
  readonly revoke: (sessionId: SessionId) => void;
  readonly read: (sessionId: SessionId, afterSeq?: number) => readonly RecordedEvent[];
  readonly sessionOf: (runId: RunId) => SessionId | undefined;
  readonly watch: EventLog["watch"];
  readonly writeArtifact: (sessionId: SessionId, text: string) => ArtifactRef;
  readonly readArtifact: (sessionId: SessionId, artifactId: ArtifactId) => string | undefined;
  readonly close: () => void;
  readonly readSide: ReadSide;
};

/** Whoever drives a run of this log is in this process. */
const toHolder = (run: MemoryRun | undefined): Holder | undefined => {
  if (run === undefined || run.heldSince === null) return undefined;
  const { host, pid } = thisProcess();
  return { host, pid, since: run.heldSince, isSelf: true };
};

export const createMemoryLog = (): MemoryLog => {
  const sessions = new Map<SessionId, MemorySession>();
  const runs = new Map<RunId, MemoryRun>();
  const watchers = createWatchers();

  const known = (runId: RunId): MemoryRun | undefined => runs.get(runId);
  const sessionFor = (sessionId: SessionId): MemorySession => {
    let session = sessions.get(sessionId);
    if (!session) sessions.set(sessionId, (session = { events: [], runs: new Map(), artifacts: new Map(), importedAt: null }));
    return session;
  };

  return {
    append: (drafts, lease) => {
      if (drafts.length === 0) return [];
      const sessionId = admit(drafts, lease, known);
      const session = sessionFor(sessionId);
      const appended: RecordedEvent[] = [];
      for (const draft of drafts) {
        if (draft.type === "run.requested") {
          const run = { sessionId, isMain: draft.parentRunId === null, epoch: 0, heldSince: null };
          runs.set(draft.runId, run);
          session.runs.set(draft.runId, run);
        } else if (draft.type === "run.settled") {
          const run = runs.get(draft.runId);
          if (run) run.heldSince = null;
        }
        const event: RecordedEvent = { ...draft, seq: session.events.length + 1 };
        session.events.push(event);
        appended.push(event);
      }
      watchers.wake(sessionId);
      return appended;
    },
    lease: (runId) => {
      const run = runs.get(runId);
      if (!run) throw unknownRun(runId);
      run.epoch += 1;
      run.heldSince = new Date().toISOString();
      return { runId, epoch: run.epoch };
    },
    holder: (runId) => toHolder(runs.get(runId)),
    revoke: (sessionId) => {
      for (const run of sessions.get(sessionId)?.runs.values() ?? []) {
        run.epoch += 1;
        run.heldSince = null;
      }
    },
    read: (sessionId, afterSeq) => sessions.get(sessionId)?.events.slice(toAfterSeq(afterSeq)) ?? [],
    sessionOf: (runId) => runs.get(runId)?.sessionId,
    watch: watchers.watch,
    writeArtifact: (sessionId, text) => {
      const ref = toArtifactRef(text);
      sessionFor(sessionId).artifacts.set(ref.artifactId, text);
      return ref;
    },
    readArtifact: (sessionId, artifactId) => sessions.get(sessionId)?.artifacts.get(artifactId),
    close: () => watchers.clear(),
    readSide: createMemoryReadSide({
      sessions,
      holderOf: (sessionId) => toHolder([...(sessions.get(sessionId)?.runs.values() ?? [])].findLast(({ isMain }) => isMain)),
      insert: ({ sessionId, drafts, epochs, artifacts, importedAt }) => {
        const session = sessionFor(sessionId);
        session.importedAt = importedAt;
        for (const draft of drafts) {
          if (draft.type === "run.requested") {
            const isMain = draft.parentRunId === null;
            const run = { sessionId, isMain, epoch: epochs.get(draft.runId) ?? 0, heldSince: null };
            runs.set(draft.runId, run);
            session.runs.set(draft.runId, run);
          }
          session.events.push({ ...draft, seq: session.events.length + 1 });
        }
        for (const { artifactId, text } of artifacts) session.artifacts.set(artifactId, text);
        watchers.wake(sessionId);
      },
      remove: (sessionId) => {
        for (const runId of sessions.get(sessionId)?.runs.keys() ?? []) runs.delete(runId);
        sessions.delete(sessionId);
      },
    }),
  };
};
