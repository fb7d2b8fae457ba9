/**
 * The event log in this process's memory: gone with it, and so cheap that a run pays nothing for being recorded.
 * Everything returns at once, without promises.
 */
import type {
  ArtifactId,
  ArtifactRef,
  EventDraft,
  EventOf,
  InputEvent,
  RecordedEvent,
  RunId,
  SessionId,
  TurnId,
} from "@retinue/protocol";
import { isInput, RetinueError } from "@retinue/protocol";
import type { KnownRecord } from "../admit.ts";
import { admitAlone, toAfterSeq, unknownRun } from "../admit.ts";
import { toArtifactRef } from "../artifact-ref.ts";
import type { AppendOptions, EventLog, Lease, RootRun } from "../contract.ts";
import type { Holder } from "../holder.ts";
import type { ApprovalQuery, OpenApproval } from "../open-approval.ts";
import { toOpenApproval } from "../open-approval.ts";
import { thisProcess } from "../process-identity.ts";
import type { QueuedTurn, QueueQuery } from "../queued-turn.ts";
import { projectTurn, toQueuedTurn } from "../queued-turn.ts";
import type { ReadSide } from "../read-side.ts";
import type { Snapshot } from "../snapshot.ts";
import type { ArtifactBytes, StoredArtifact } from "../stored-artifact.ts";
import { toArtifactBytes } from "../stored-artifact.ts";
import { createWatchers } from "../watchers.ts";
import { createMemoryReadSide } from "./memory-read-side.ts";
import type { MemoryRun } from "./memory-run.ts";
import { addToRun, createMemoryRun, toAgentPath } from "./memory-run.ts";

type MemorySession = {
  readonly events: RecordedEvent[];
  readonly runs: Map<RunId, MemoryRun>;
  readonly artifacts: Map<ArtifactId, StoredArtifact>;
  /** The turns that wait, in order. */
  readonly queue: Map<TurnId, EventOf<"turn.queued">>;
  latestRoot: MemoryRun | undefined;
  /** When it was last written to, by the count of all appends to this log. */
  touch: number;
  importedAt: string | null;
};

/** The log with its synchronous return values visible. */
export type MemoryLog = {
  readonly append: (drafts: readonly EventDraft[], lease?: Lease, options?: AppendOptions) => readonly RecordedEvent[];
  readonly lease: (runId: RunId) => Lease;
  readonly release: (lease: Lease) => void;
  readonly holder: (runId: RunId) => Holder | undefined;
  readonly revoke: (sessionId: SessionId) => void;
  readonly read: (sessionId: SessionId, afterSeq?: number, limit?: number) => readonly RecordedEvent[];
  readonly readRuns: (sessionId: SessionId, runIds: readonly RunId[], afterSeq?: number) => readonly RecordedEvent[];
  readonly inputs: (runId: RunId, afterSeq?: number) => readonly InputEvent[];
  readonly approvals: (query?: ApprovalQuery) => readonly OpenApproval[];
  readonly queuedTurns: (query?: QueueQuery) => readonly QueuedTurn[];
  readonly latestRoot: (sessionId: SessionId) => RootRun | undefined;
  readonly writeSnapshot: (snapshot: Snapshot) => void;
  readonly readSnapshot: (runId: RunId, format: string) => Snapshot | undefined;
  readonly sessionOf: (runId: RunId) => SessionId | undefined;
  readonly watch: EventLog["watch"];
  readonly watchAny: EventLog["watchAny"];
  readonly watchInputs: EventLog["watchInputs"];
  readonly writeArtifact: (sessionId: SessionId, data: string | Uint8Array, mediaType?: string) => ArtifactRef;
  readonly readArtifact: (sessionId: SessionId, artifactId: ArtifactId) => string | undefined;
  readonly readArtifactBytes: (sessionId: SessionId, artifactId: ArtifactId) => ArtifactBytes | undefined;
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
  let touches = 0;

  const known: KnownRecord = {
    run: (runId) => {
      const run = runs.get(runId);
      return run && { sessionId: run.request.sessionId, epoch: run.epoch };
    },
    target: (runId) => {
      const run = runs.get(runId);
      return run && { identity: run.request, isSettled: run.isSettled };
    },
    approval: (runId, approvalId) => {
      const approval = runs.get(runId)?.approvals.get(approvalId);
      return approval && { closed: approval.closed, expiresAt: approval.event.expiresAt ?? null };
    },
    queue: (sessionId) => {
      const session = sessions.get(sessionId);
      const roots = [...(session?.runs.values() ?? [])].filter(({ request, isSettled }) => request.depth === 0 && !isSettled);
      return { turns: [...(session?.queue.keys() ?? [])], openRoots: roots.map(({ request }) => request.runId) };
    },
  };
  const sessionFor = (sessionId: SessionId): MemorySession => {
    let session = sessions.get(sessionId);
    if (!session)
      sessions.set(
        sessionId,
        (session = {
          events: [],
          runs: new Map(),
          artifacts: new Map(),
          queue: new Map(),
          latestRoot: undefined,
          touch: 0,
          importedAt: null,
        }),
      );
    return session;
  };
  const record = (session: MemorySession, draft: EventDraft): RecordedEvent => {
    const event: RecordedEvent = { ...draft, seq: session.events.length + 1 };
    session.events.push(event);
    session.touch = touches += 1;
    if (event.type === "turn.queued") session.queue.set(event.turnId, event);
    else {
      const turn = projectTurn(event);
      if (turn) session.queue.delete(turn.turnId);
    }
    if (event.type === "run.requested") {
      const run = createMemoryRun(event);
      runs.set(event.runId, run);
      session.runs.set(event.runId, run);
      if (event.parentRunId === null) session.latestRoot = run;
    } else {
      const run = runs.get(event.runId);
      if (run) addToRun(run, event);
    }
    return event;
  };

  return {
    append: (drafts, lease) => {
      if (drafts.length === 0) return [];
      const sessionId = admitAlone(known, drafts, lease);
      const session = sessionFor(sessionId);
      const appended = drafts.map((draft) => record(session, draft));
      watchers.wake(sessionId, drafts.some(isInput));
      return appended;
    },
    lease: (runId) => {
      const run = runs.get(runId);
      if (!run) throw unknownRun(runId);
      run.epoch += 1;
      run.heldSince = new Date().toISOString();
      return { runId, epoch: run.epoch };
    },
    release: ({ runId, epoch }) => {
      const run = runs.get(runId);
      if (run?.epoch === epoch) run.heldSince = null;
    },
    holder: (runId) => toHolder(runs.get(runId)),
    revoke: (sessionId) => {
      for (const run of sessions.get(sessionId)?.runs.values() ?? []) {
        run.epoch += 1;
        run.heldSince = null;
      }
    },
    read: (sessionId, afterSeq, limit = Infinity) => {
      const from = toAfterSeq(afterSeq);
      return sessions.get(sessionId)?.events.slice(from, from + limit) ?? [];
    },
    readRuns: (sessionId, runIds, afterSeq) => {
      const session = sessions.get(sessionId);
      const lists = [...new Set(runIds)].map((runId) => after(session?.runs.get(runId)?.events ?? [], toAfterSeq(afterSeq)));
      return lists.flat().toSorted((a, b) => a.seq - b.seq);
    },
    inputs: (runId, afterSeq) => after(runs.get(runId)?.inputs ?? [], toAfterSeq(afterSeq)),
    approvals: ({ sessionId } = {}) => {
      const open: OpenApproval[] = [];
      for (const [id, session] of sessions) {
        if (sessionId !== undefined && id !== sessionId) continue;
        open.push(...toOpenApprovals(session, (runId) => runs.get(runId)));
      }
      return open;
    },
    queuedTurns: ({ sessionId } = {}) =>
      [...sessions].flatMap(([id, session]) =>
        sessionId !== undefined && id !== sessionId
          ? []
          : Array.from(session.queue.values(), (event) => toQueuedTurn(event, toWorkspace(session))),
      ),
    latestRoot: (sessionId) => {
      const run = sessions.get(sessionId)?.latestRoot;
      return run && { runId: run.request.runId, seq: run.request.seq, isSettled: run.isSettled };
    },
    writeSnapshot: (snapshot) => {
      const { sessionId, runId, seq } = snapshot;
      const run = sessions.get(sessionId)?.runs.get(runId);
      if (run === undefined) throw unknownRun(runId);
      if (sessions.get(sessionId)?.events[seq - 1] === undefined)
        throw new RetinueError("internal", `${sessionId} has no event ${seq} for a snapshot to be taken at.`);
      if (run.snapshot === undefined || seq >= run.snapshot.seq) run.snapshot = snapshot;
    },
    readSnapshot: (runId, format) => {
      const snapshot = runs.get(runId)?.snapshot;
      return snapshot?.format === format ? snapshot : undefined;
    },
    sessionOf: (runId) => runs.get(runId)?.request.sessionId,
    watch: watchers.watch,
    watchAny: watchers.watchAny,
    watchInputs: watchers.watchInputs,
    writeArtifact: (sessionId, data, mediaType) => {
      const ref = toArtifactRef(data, mediaType);
      const { artifacts } = sessionFor(sessionId);
      const { artifactId } = ref;
      // The bytes are the caller's, who may write into them afterwards.
      const own = typeof data === "string" ? data : data.slice();
      if (!artifacts.has(artifactId)) artifacts.set(artifactId, { artifactId, data: own, mediaType: mediaType ?? null });
      return ref;
    },
    readArtifact: (sessionId, artifactId) => {
      const data = sessions.get(sessionId)?.artifacts.get(artifactId)?.data;
      return typeof data === "string" ? data : undefined;
    },
    readArtifactBytes: (sessionId, artifactId) => {
      const artifact = sessions.get(sessionId)?.artifacts.get(artifactId);
      return artifact && toArtifactBytes(artifact);
    },
    close: () => watchers.clear(),
    readSide: createMemoryReadSide({
      sessions,
      holderOf: (sessionId) => toHolder(sessions.get(sessionId)?.latestRoot),
      anyHolderOf: (sessionId) =>
        toHolder([...(sessions.get(sessionId)?.runs.values() ?? [])].find(({ heldSince }) => heldSince !== null)),
      insert: ({ sessionId, drafts, epochs, artifacts, importedAt }) => {
        const session = sessionFor(sessionId);
        session.importedAt = importedAt;
        for (const draft of drafts) record(session, draft);
        for (const [runId, epoch] of epochs) {
          const run = session.runs.get(runId);
          if (run) run.epoch = epoch;
        }
        for (const artifact of artifacts) session.artifacts.set(artifact.artifactId, artifact);
        watchers.wake(sessionId, true);
      },
      remove: (sessionId) => {
        for (const runId of sessions.get(sessionId)?.runs.keys() ?? []) runs.delete(runId);
        sessions.delete(sessionId);
      },
    }),
  };
};

/** Those with a later number, of a list in order. */
const after = <E extends RecordedEvent>(events: readonly E[], seq: number): readonly E[] => {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.seq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return events.slice(low);
};

const toWorkspace = ({ events: [first] }: MemorySession): string => {
  const spec = first?.type === "run.requested" ? first.spec : undefined;
  return spec?.worktree?.of ?? spec?.workspace ?? "";
};

const toOpenApprovals = (session: MemorySession, runOf: (runId: RunId) => MemoryRun | undefined): readonly OpenApproval[] => {
  const workspace = toWorkspace(session);
  const open: { readonly seq: number; readonly approval: OpenApproval }[] = [];
  for (const run of session.runs.values())
    for (const { event, closed } of run.approvals.values())
      if (closed === null)
        open.push({ seq: event.seq, approval: toOpenApproval({ event, path: toAgentPath(run, runOf), workspace }) });
  return open.toSorted((a, b) => a.seq - b.seq).map(({ approval }) => approval);
};
