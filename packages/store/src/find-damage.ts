/**
 * Compares what a database holds of a session with the chain of its events: first the events with their hashes, then
 * every other row with what the events say it must be.
 */
import type { ArtifactId, RecordedEvent, RunId } from "@retinue/protocol";
import { toArtifactId } from "./artifact-ref.ts";
import { fromEventKey, toEventKey } from "./event-key.ts";
import type { MessageRow } from "./message-row.ts";
import { EMPTY_MESSAGE, isUnderWay, MESSAGE_COLUMNS } from "./message-row.ts";
import type { Operation } from "./message-operation.ts";
import type { RunProjection } from "./project.ts";
import { project, underWayOf } from "./project.ts";
import type { ApprovalOperation, ApprovalRow } from "./project-approval.ts";
import { projectApproval } from "./project-approval.ts";
import type { SessionRow } from "./project-session.ts";
import { NEW_SESSION, projectSession } from "./project-session.ts";
import { projectTurn } from "./queued-turn.ts";
import type { Damage } from "./read-side.ts";
import type { Steps } from "./steps.ts";
import type { Link, StoredEvent } from "./walk-chain.ts";
import { BrokenChain, walkChain } from "./walk-chain.ts";

/** All rows of a session, in the order of their keys. */
export type StoredSession = {
  readonly session: SessionRow;
  readonly events: Iterable<StoredEvent & { readonly runId: string; readonly type: string; readonly at: string }>;
  readonly messages: Iterable<MessageRow>;
  readonly runs: Iterable<{
    readonly runId: string;
    readonly messageId: number;
    readonly epoch: number;
    readonly isRoot: boolean;
  }>;
  readonly approvals: Iterable<ApprovalRow>;
  /** The turns that wait, in order. */
  readonly queue: Iterable<{ readonly eventId: number; readonly turnId: string }>;
  readonly artifacts: Iterable<{ readonly artifactId: string; readonly data: string | Uint8Array }>;
};

/** Rows that are looked at in one step. */
const STEP = 200;

export function* findDamage(stored: StoredSession): Steps<Damage | undefined> {
  const { session } = stored;
  const found = yield* findBrokenEvent(stored);
  if ("what" in found) return { sessionId: session.sessionId, ...found };
  const wrong =
    compareSession(session, found) ??
    (yield* compareMessages(stored, found)) ??
    compareRuns(stored, found) ??
    compareApprovals(stored, found) ??
    compareQueue(stored, found) ??
    compareArtifacts(stored, found);
  return wrong === undefined ? undefined : { sessionId: session.sessionId, ...wrong };
}

type Wrong = Omit<Damage, "sessionId">;

function* findBrokenEvent({ session, events }: StoredSession): Steps<Folded | Wrong> {
  const fold = createFold(session);
  let row: { readonly runId: string; readonly type: string; readonly at: string } | undefined;
  /** Keeps the columns of the row that the walk is at. */
  function* passing(): Generator<StoredEvent> {
    for (const stored of events) {
      row = stored;
      yield stored;
    }
  }
  try {
    for (const link of walkChain(passing(), session, 0)) {
      const { event } = link;
      if (row?.runId !== event.runId || row.type !== event.type || row.at !== event.at)
        return { seq: event.seq, what: "its columns do not fit its text" };
      const mismatch = fold.add(link);
      if (mismatch !== undefined) return { seq: event.seq, what: mismatch };
      if (event.seq % STEP === 0) yield;
    }
  } catch (error) {
    if (error instanceof BrokenChain) return { seq: error.seq, what: error.message };
    throw error;
  }
  return fold.folded();
}

const compareSession = (session: SessionRow, { session: expected }: Folded): Wrong | undefined => {
  if (expected.headSeq !== session.headSeq)
    return { seq: session.headSeq + 1, what: "it stands behind the end of the session's record" };
  for (const key of Object.keys(expected) as (keyof SessionRow)[])
    if (expected[key] !== session[key]) return { seq: null, what: `the session's ${key} is not what its events say` };
  return undefined;
};

function* compareMessages(stored: StoredSession, { messages, underWay }: Folded): Steps<Wrong | undefined> {
  let at = 0;
  for (const actual of stored.messages) {
    const isOpen = isUnderWay(actual);
    const message = isOpen ? underWay.get(actual.id) : messages[at];
    if (!isOpen) at += 1;
    if (message === undefined) return { seq: fromEventKey(actual.id).seq, what: `message ${actual.id} was opened by no event` };
    const wrong = MESSAGE_COLUMNS.find((name) => message[name] !== actual[name]);
    if (wrong !== undefined) return { seq: message.seq, what: `${wrong} of message ${message.id} is not what its events say` };
    if (at % STEP === 0) yield;
  }
  const missing = messages[at];
  return missing === undefined ? undefined : { seq: missing.seq, what: `message ${missing.id} is missing` };
}

const compareRuns = ({ session, runs }: StoredSession, { epochs }: Folded): Wrong | undefined => {
  let count = 0;
  for (const { runId, messageId, epoch, isRoot } of runs) {
    count += 1;
    const run = epochs.get(runId as RunId);
    const what = `the lease of ${runId} is not what its events say`;
    if (run === undefined) return { seq: null, what };
    if (messageId !== toEventKey(session.number, run.seq) || !(epoch >= run.epoch) || isRoot !== run.isRoot)
      return { seq: run.seq, what };
  }
  return count === epochs.size ? undefined : { seq: null, what: "the lease of a run is missing" };
};

const compareApprovals = (stored: StoredSession, { approvals }: Folded): Wrong | undefined => {
  let count = 0;
  for (const row of stored.approvals) {
    count += 1;
    const expected = approvals.get(toApprovalKey(row));
    if (expected === undefined) return { seq: null, what: `question ${row.approvalId} was asked by no event` };
    if (!APPROVAL_KEYS.every((key) => expected[key] === row[key]))
      return { seq: fromEventKey(expected.eventId).seq, what: `question ${row.approvalId} is not what its events say` };
  }
  return count === approvals.size ? undefined : { seq: null, what: "a question of the session is missing" };
};

const APPROVAL_KEYS = ["eventId", "messageId", "expiresAt", "closed"] as const satisfies readonly (keyof ApprovalRow)[];

const toApprovalKey = ({ runId, approvalId }: Pick<ApprovalRow, "runId" | "approvalId">): string =>
  JSON.stringify([runId, approvalId]);

const compareQueue = (stored: StoredSession, { session, queue }: Folded): Wrong | undefined => {
  const expected = [...queue].map(([turnId, seq]) => `${toEventKey(session.number, seq)} ${turnId}`);
  const actual = Array.from(stored.queue, ({ eventId, turnId }) => `${eventId} ${turnId}`);
  return JSON.stringify(actual) === JSON.stringify(expected)
    ? undefined
    : { seq: null, what: "the queued turns are not those that its events say" };
};

const compareArtifacts = (stored: StoredSession, { artifacts }: Folded): Wrong | undefined => {
  const found = new Set<string>();
  for (const { artifactId, data } of stored.artifacts) {
    found.add(artifactId);
    if (toArtifactId(data) !== artifactId)
      return { seq: artifacts.get(artifactId as ArtifactId) ?? null, what: `artifact ${artifactId} is damaged` };
  }
  for (const [artifactId, seq] of artifacts)
    if (!found.has(artifactId)) return { seq, what: `artifact ${artifactId} is missing` };
  return undefined;
};

const applyApproval = (approvals: Map<string, ApprovalRow>, operation: ApprovalOperation): void => {
  if (operation.type === "open") {
    approvals.set(toApprovalKey(operation.row), operation.row);
    return;
  }
  const row = approvals.get(toApprovalKey(operation));
  if (row?.closed === null) approvals.set(toApprovalKey(operation), { ...row, closed: operation.as });
};

/** The rows of a session from its events alone; undefined where one of them is damaged. */
export const foldRows = (
  session: Pick<SessionRow, "sessionId" | "number" | "importedAt">,
  events: Iterable<RecordedEvent | undefined>,
): Pick<Folded, "session" | "messages"> | undefined => {
  const fold = createFold(session);
  try {
    for (const event of events) if (event === undefined || fold.add({ event, hash: "" }) !== undefined) return undefined;
  } catch {
    // The text of the event is JSON, and no event.
    return undefined;
  }
  return fold.folded();
};

/** What a session's tables must hold, from its events alone. */
type Folded = {
  readonly session: SessionRow;
  readonly messages: readonly MessageRow[];
  /** Model calls that have not ended: their rows may be there. */
  readonly underWay: ReadonlyMap<number, MessageRow>;
  /** Of every run: the event that requested it, and the highest epoch that it was started under. */
  readonly epochs: ReadonlyMap<RunId, FoldedRun>;
  readonly approvals: ReadonlyMap<string, ApprovalRow>;
  /** The turns that wait, with the events that queued them. */
  readonly queue: ReadonlyMap<string, number>;
  /** Artifacts that events refer to, with the last event that does. */
  readonly artifacts: ReadonlyMap<ArtifactId, number>;
};

type FoldedRun = { readonly seq: number; readonly epoch: number; readonly isRoot: boolean };

const createFold = ({ sessionId, number, importedAt }: Pick<SessionRow, "sessionId" | "number" | "importedAt">) => {
  const projections = new Map<RunId, RunProjection>();
  const rows = new Map<number, Record<string, string | number | null>>();
  const epochs = new Map<RunId, FoldedRun>();
  const approvals = new Map<string, ApprovalRow>();
  const queue = new Map<string, number>();
  const artifacts = new Map<ArtifactId, number>();
  let session: SessionRow = { ...NEW_SESSION, sessionId, number, importedAt };

  const note = (event: RecordedEvent): string | undefined => {
    if (event.sessionId !== sessionId) return "it is of another session";
    if (event.type === "run.requested") epochs.set(event.runId, { seq: event.seq, epoch: 0, isRoot: event.parentRunId === null });
    const run = epochs.get(event.runId);
    if (run === undefined) return "it is of a run that was never requested";
    if (event.type === "run.started") epochs.set(event.runId, { ...run, epoch: Math.max(run.epoch, event.epoch) });
    if (event.type === "tool.settled" && event.artifact !== undefined) artifacts.set(event.artifact.artifactId, event.seq);
    return undefined;
  };

  return {
    /** Says what is wrong with the event, if anything is. */
    add: ({ event, hash }: Link): string | undefined => {
      const mismatch = note(event);
      if (mismatch !== undefined) return mismatch;
      const parent = event.parentRunId === null ? undefined : projections.get(event.parentRunId);
      const before = projections.get(event.runId);
      const projected = project({ event, sessionNumber: number, run: before, parent });
      projections.set(event.runId, projected.run);
      const id = toEventKey(number, event.seq);
      for (const operation of projectApproval({ event, id, before, after: projected.run })) applyApproval(approvals, operation);
      const turn = projectTurn(event);
      if (turn?.type === "open") queue.set(turn.turnId, event.seq);
      else if (turn) queue.delete(turn.turnId);
      let opened = 0;
      for (const operation of projected.operations) {
        const row = operation.type === "insert" ? { ...EMPTY_MESSAGE } : rows.get(operation.id);
        if (row === undefined) return "it changes a message that was never opened";
        rows.set(operation.id, applyOperation(row, operation));
        if (operation.type === "insert") opened += 1;
      }
      session = projectSession({ event, previous: session, opened, hash });
      return undefined;
    },
    folded: (): Folded => ({
      session,
      // Filled column by column from operations, which name only columns of this row.
      messages: [...rows].toSorted(([a], [b]) => a - b).map(([, row]) => row as unknown as MessageRow),
      underWay: new Map(
        [...projections.values()].flatMap((projection) => {
          const operation = underWayOf(projection);
          if (operation === undefined) return [];
          return [[operation.id, applyOperation({ ...EMPTY_MESSAGE }, operation) as unknown as MessageRow]];
        }),
      ),
      epochs,
      approvals,
      queue,
      artifacts,
    }),
  };
};

const applyOperation = (row: Record<string, string | number | null>, { columns, values }: Operation) => {
  for (const [at, column] of columns.entries()) row[column] = values[at] ?? null;
  return row;
};
