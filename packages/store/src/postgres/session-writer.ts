/**
 * Appends to the sessions of a PostgreSQL store. Writes to one session pass one queue: what waits is committed together,
 * under the lock of the session's row, which whoever takes a lease must hold too. Sessions do not wait for each other.
 */
import type { EventDraft, InputDraft, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { isInput } from "@retinue/protocol";
import type { InputTarget, KnownRun } from "../admit.ts";
import { concernsQueue, createAdmission } from "../admit.ts";
import { fromEventBody } from "../chain.ts";
import { toColumnText } from "../column-text.ts";
import type { AppendOptions, Lease } from "../contract.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import type { AppendPlan, PlannedEvent } from "../plan-append.ts";
import { foldProjections, planAppend, toInputTarget } from "../plan-append.ts";
import type { RunProjection } from "../project.ts";
import { underWayOf } from "../project.ts";
import type { SessionRow } from "../project-session.ts";
import { NEW_SESSION } from "../project-session.ts";
import { hurriedMs } from "../patience.ts";
import type { ImportedSession } from "../read-export.ts";
import { refuseExisting, toImportError } from "../read-export.ts";
import { collectEvents } from "../walk-chain.ts";
import { applyApproval, readApprovals, toApprovalKey } from "./approval-rows.ts";
import { insertArtifact } from "./artifact-rows.ts";
import type { Database, Query } from "./database.ts";
import { fromNameKey, isLongName, toNameKey } from "./name-key.ts";
import {
  fromSessionRows,
  mergeOperations,
  readLongNames,
  SESSION_COLUMNS,
  toOperationSql,
  toSeq,
  toSessionValues,
  toStoredValues,
} from "./postgres-rows.ts";
import { toWordParts } from "./said-words.ts";
import { applyTurn, readQueue } from "./turn-rows.ts";

export type SessionWriter = {
  readonly append: (
    drafts: readonly EventDraft[],
    lease: Lease | undefined,
    options: AppendOptions,
  ) => Promise<readonly RecordedEvent[]>;
  /** Records a whole session that is not there yet; inside a transaction. */
  readonly importSession: (query: Query, imported: ImportedSession) => Promise<void>;
  /** The lease of a run was taken through this log. */
  readonly tookOver: (lease: Lease) => void;
};

export type SessionWriterOptions = {
  readonly db: Database;
  /** Where appends are announced, and what is said there. */
  readonly channel: string;
  readonly announcementOf: (sessionId: SessionId) => string;
  readonly committed: (sessionId: SessionId, hasInputs: boolean) => void;
};

type Entry = {
  readonly drafts: readonly EventDraft[];
  readonly lease: Lease | undefined;
  readonly durable: boolean;
  /** How long whoever appends waits for a server that is away, where that is less than usual. */
  readonly mostMs: number | undefined;
  readonly succeed: (events: readonly RecordedEvent[]) => void;
  readonly fail: (error: unknown) => void;
};

type Outcome = { readonly events: readonly RecordedEvent[] } | { readonly refusal: unknown };

type Cached = { readonly epoch: number; readonly projection: RunProjection };

const MAX_CACHED = 20_000;

export const createSessionWriter = ({ db, channel, announcementOf, committed }: SessionWriterOptions): SessionWriter => {
  const waiting = new Map<SessionId, Entry[]>();
  const projections = new Map<RunId, Cached>();

  const work = async (sessionId: SessionId): Promise<void> => {
    for (;;) {
      const entries = waiting.get(sessionId) ?? [];
      if (entries.length === 0) break;
      waiting.set(sessionId, []);
      try {
        await settle(sessionId, entries);
      } catch (error) {
        await settleApart(sessionId, entries, error);
      }
    }
    waiting.delete(sessionId);
  };

  /** Each for itself, up to the first that fails: those asked for since rest on it, and fail with it. */
  const settleApart = async (sessionId: SessionId, entries: readonly Entry[], error: unknown): Promise<void> => {
    let broken = entries.length === 1 ? { error } : undefined;
    for (const entry of entries)
      if (broken) entry.fail(broken.error);
      else
        await settle(sessionId, [entry]).catch((thrown: unknown) => {
          broken = { error: thrown };
          entry.fail(thrown);
        });
    if (!broken) return;
    for (const entry of waiting.get(sessionId) ?? []) entry.fail(broken.error);
    waiting.set(sessionId, []);
  };

  const settle = async (sessionId: SessionId, entries: readonly Entry[]): Promise<void> => {
    const outcomes = await commit(sessionId, entries);
    for (const [at, entry] of entries.entries()) {
      const outcome = outcomes[at];
      if (outcome === undefined) continue;
      if ("refusal" in outcome) entry.fail(outcome.refusal);
      else {
        entry.succeed(outcome.events);
        committed(sessionId, entry.drafts.some(isInput));
      }
    }
  };

  const commit = async (sessionId: SessionId, entries: readonly Entry[]): Promise<readonly Outcome[]> => {
    let attempt: { readonly outcomes: readonly Outcome[]; readonly last: PlannedEvent | undefined } | undefined;
    const drivers = new Set(entries.flatMap(({ drafts }) => drafts.map((draft) => draft.runId)));
    try {
      return await db.transact(
        async (query) => {
          attempt = await write(query, sessionId, entries);
          return attempt.outcomes;
        },
        // The connection was lost while committing: the chain tells whether it went through.
        async (query) => {
          const last = attempt?.last;
          if (attempt === undefined || last === undefined) return attempt?.outcomes;
          const [row] = await query("SELECT hash FROM ~events WHERE id = $1", [last.id]);
          return row?.["hash"] === last.hash ? attempt.outcomes : undefined;
        },
        "quick",
        Math.min(...entries.map(({ mostMs = Infinity }) => mostMs)),
      );
    } catch (error) {
      for (const runId of drivers) projections.delete(runId);
      throw error;
    }
  };

  const write = async (query: Query, sessionId: SessionId, entries: readonly Entry[]) => {
    // Most servers do so anyway; one that was set to answer sooner is asked to wait for its disk.
    if (entries.some(({ durable }) => durable)) await query("SET LOCAL synchronous_commit TO on");
    const found = await lockSession(query, sessionId);
    const runs = await readRuns(query, entries);
    const inputs = entries.flatMap(({ drafts }) => drafts.filter((draft) => isInput(draft)));
    const targets = await readTargets(query, inputs);
    const approvals = await readApprovals(query, inputs);
    const isQueueAsked = found !== undefined && entries.some(({ drafts }) => drafts.some(concernsQueue));
    const queue = isQueueAsked ? await readQueue(query, found.number) : { turns: [], openRoots: [] };
    const admission = createAdmission({
      run: (runId) => runs.get(runId),
      target: (runId) => targets.get(runId),
      approval: (runId, approvalId) => approvals.get(toApprovalKey(runId, approvalId)),
      queue: () => queue,
    });
    const admitted: (Entry | undefined)[] = [];
    const outcomes: Outcome[] = [];
    for (const entry of entries) {
      try {
        admission.admit(entry.drafts, entry.lease);
        admitted.push(entry);
        outcomes.push({ events: [] });
      } catch (refusal) {
        admitted.push(undefined);
        outcomes.push({ refusal });
      }
    }
    if (admitted.every((entry) => entry === undefined)) return { outcomes, last: undefined };

    let session = found ?? (await insertSession(query, sessionId));
    const folded = await foldUnknown(query, session, admitted, runs);
    const targetOf = (input: InputDraft): RunProjection | undefined => {
      const target = targets.get(input.runId);
      if (target === undefined) return undefined;
      const asked = input.type === "approval.answered" ? approvals.get(toApprovalKey(input.runId, input.approvalId)) : undefined;
      return toInputTarget(input, target.messageId, asked?.messageId);
    };
    const planned: PlannedEvent[] = [];
    const changed = new Map<RunId, RunProjection>();
    for (const [at, entry] of admitted.entries()) {
      if (entry === undefined) continue;
      const plan = planAppend({
        session,
        drafts: entry.drafts,
        projectionOf: (runId) => changed.get(runId) ?? folded?.get(runId) ?? projections.get(runId)?.projection,
        targetOf: (input) => changed.get(input.runId) ?? targetOf(input),
      });
      session = plan.session;
      for (const [runId, projection] of plan.projections) changed.set(runId, projection);
      planned.push(...plan.events);
      outcomes[at] = { events: plan.events.map(({ event }) => event) };
    }
    await store(query, session, planned, changed.values());
    // A parked run is driven by nobody; whoever sees what it waits for may take it up.
    const parked = planned.flatMap(({ event }) => (event.type === "run.parked" ? [toNameKey(event.runId)] : []));
    if (parked.length > 0) await query("UPDATE ~runs SET holder = NULL WHERE run_id = ANY($1)", [parked]);
    await query(UPDATE_SESSION, [...toSessionValues(session), session.number, channel, announcementOf(sessionId)]);
    if (projections.size > MAX_CACHED) projections.clear();
    for (const [runId, projection] of changed) projections.set(runId, { epoch: runs.get(runId)?.epoch ?? 0, projection });
    return { outcomes, last: planned.at(-1) };
  };

  /** The projections of the session's runs, read from its events if one is needed that is not known for certain. */
  const foldUnknown = async (
    query: Query,
    session: SessionRow,
    entries: readonly (Entry | undefined)[],
    runs: ReadonlyMap<RunId, KnownRun>,
  ): Promise<ReadonlyMap<RunId, RunProjection> | undefined> => {
    const requested = new Set<RunId>();
    for (const entry of entries)
      for (const draft of entry?.drafts ?? []) {
        if (isInput(draft)) continue;
        const { runId, parentRunId, type } = draft;
        if (type === "run.requested") requested.add(runId);
        const needed = type === "run.requested" ? parentRunId : runId;
        if (needed === null || requested.has(needed)) continue;
        const cached = projections.get(needed);
        if (entry?.lease?.runId === needed && cached?.epoch === runs.get(needed)?.epoch) continue;
        return foldProjections(await readAll(query, session), session.number);
      }
    return undefined;
  };

  return {
    append: async (drafts, lease, { durable = false }) => {
      const sessionId = drafts[0]?.sessionId;
      if (sessionId === undefined) return [];
      const mostMs = hurriedMs();
      return new Promise((succeed, fail) => {
        const entry = { drafts, lease, durable, mostMs, succeed, fail };
        const queue = waiting.get(sessionId);
        if (queue) queue.push(entry);
        else {
          waiting.set(sessionId, [entry]);
          // Its errors are its entries' errors.
          void work(sessionId);
        }
      });
    },
    importSession: async (query, { sessionId, drafts, epochs, artifacts, importedAt }) => {
      const keys = new Map([...epochs.keys()].map((runId) => [toNameKey(runId), runId]));
      const known = await query("SELECT 1 FROM ~runs WHERE run_id = ANY($1) LIMIT 1", [[...keys.keys()]]);
      if ((await lockSession(query, sessionId)) !== undefined || known.length > 0) throw refuseExisting(sessionId);
      // What was in mind of runs of these ids is of a session that is gone.
      for (const runId of epochs.keys()) projections.delete(runId);
      const { session, events, projections: runs } = planImport(await insertSession(query, sessionId), drafts);
      await store(query, session, events, runs.values());
      await query(UPDATE_SESSION, [...toSessionValues(session), session.number, channel, announcementOf(sessionId)]);
      await query("UPDATE ~sessions SET imported_at = $2 WHERE number = $1", [session.number, importedAt]);
      for (const [runId, epoch] of epochs)
        await query("UPDATE ~runs SET epoch = $2 WHERE run_id = $1", [toNameKey(runId), epoch]);
      await query("DELETE FROM ~artifacts WHERE session_id = $1", [toNameKey(sessionId)]);
      for (const artifact of artifacts) await insertArtifact(query, sessionId, artifact);
    },
    tookOver: ({ runId, epoch }) => {
      const cached = projections.get(runId);
      // Before the first lease nobody could write to the run, so what is known of it still holds.
      if (cached?.epoch === 0 && epoch === 1) projections.set(runId, { epoch, projection: cached.projection });
      else projections.delete(runId);
    },
  };
};

/** Whatever cannot be worked out of the events is their fault. */
const planImport = (session: SessionRow, drafts: readonly EventDraft[]): AppendPlan => {
  try {
    return planAppend({ session, drafts, projectionOf: () => undefined, targetOf: () => undefined });
  } catch (error) {
    throw toImportError(error);
  }
};

const lockSession = async (query: Query, sessionId: SessionId): Promise<SessionRow | undefined> => {
  const rows = await query("SELECT * FROM ~sessions WHERE session_id = $1 FOR UPDATE", [toNameKey(sessionId)]);
  const [session] = await fromSessionRows(query, rows);
  return session === undefined ? undefined : { ...session, sessionId };
};

const INSERT_SESSION = `INSERT INTO ~sessions (session_id, ${SESSION_COLUMNS.join(", ")})
  VALUES ($1, ${SESSION_COLUMNS.map((_, at) => `$${at + 2}`).join(", ")}) RETURNING number`;

/** Of two that begin the same session at once, the second fails here and is tried again as one that goes on with it. */
const insertSession = async (query: Query, sessionId: SessionId): Promise<SessionRow> => {
  const key = toNameKey(sessionId);
  const [row] = await query(INSERT_SESSION, [key, ...toSessionValues(NEW_SESSION)]);
  const number = Number(row?.["number"]);
  if (isLongName(key)) await query(INSERT_NAMES, [number, [key], [toColumnText(sessionId)]]);
  return { ...NEW_SESSION, sessionId, number };
};

const readRuns = async (query: Query, entries: readonly Entry[]): Promise<Map<RunId, KnownRun>> => {
  const asked = new Map<string, RunId>();
  for (const { drafts, lease } of entries) {
    for (const { runId, parentRunId } of drafts) {
      asked.set(toNameKey(runId), runId);
      if (parentRunId !== null) asked.set(toNameKey(parentRunId), parentRunId);
    }
    if (lease !== undefined) asked.set(toNameKey(lease.runId), lease.runId);
  }
  const rows = await query(
    "SELECT r.run_id, r.epoch, s.session_id FROM ~runs r JOIN ~sessions s ON s.number = r.session_number WHERE r.run_id = ANY($1)",
    [[...asked.keys()]],
  );
  const longNames = await readLongNames(query, rows);
  const runs = new Map<RunId, KnownRun>();
  for (const row of rows) {
    const runId = asked.get(String(row["run_id"]));
    const sessionId = fromNameKey(String(row["session_id"]), longNames) as SessionId;
    if (runId !== undefined) runs.set(runId, { sessionId, epoch: Number(row["epoch"]) });
  }
  return runs;
};

/** The runs that these inputs are for, as they were requested. */
const readTargets = async (
  query: Query,
  inputs: readonly InputDraft[],
): Promise<ReadonlyMap<RunId, InputTarget & { readonly messageId: number }>> => {
  const targets = new Map<RunId, InputTarget & { readonly messageId: number }>();
  if (inputs.length === 0) return targets;
  const asked = new Map(inputs.map(({ runId }) => [toNameKey(runId), runId]));
  const rows = await query(
    `SELECT r.run_id, r.message_id, e.body, m.status FROM ~runs r JOIN ~events e ON e.id = r.message_id
       JOIN ~messages m ON m.id = r.message_id WHERE r.run_id = ANY($1)`,
    [[...asked.keys()]],
  );
  for (const row of rows) {
    const runId = asked.get(String(row["run_id"]));
    const identity = fromEventBody(String(row["body"]));
    if (runId === undefined || identity === undefined) continue;
    const isSettled = row["status"] !== "pending" && row["status"] !== "running";
    targets.set(runId, { identity, isSettled, messageId: Number(row["message_id"]) });
  }
  return targets;
};

const readAll = async (query: Query, session: SessionRow): Promise<readonly RecordedEvent[]> => {
  if (session.headSeq === 0) return [];
  const rows = await query("SELECT id, body, hash FROM ~events WHERE id BETWEEN $1 AND $2 ORDER BY id", [
    toEventKey(session.number, 1),
    toEventKey(session.number, MAX_SEQ),
  ]);
  return collectEvents(
    rows.map((row) => ({ seq: toSeq(row["id"]), body: String(row["body"]), hash: String(row["hash"]) })),
    session,
    { sessionId: session.sessionId, afterSeq: 0 },
  );
};

const INSERT_EVENTS = `INSERT INTO ~events (id, run_id, type, at, body, hash)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])`;
const INSERT_RUNS = `INSERT INTO ~runs (run_id, session_number, message_id, epoch, is_root)
  SELECT run_id, $1, message_id, 0, is_root FROM unnest($2::text[], $3::bigint[], $4::boolean[]) AS t(run_id, message_id, is_root)`;
const INSERT_NAMES = `INSERT INTO ~names (session_number, name, text)
  SELECT $1, name, text FROM unnest($2::text[], $3::text[]) AS t(name, text) ON CONFLICT DO NOTHING`;
/** Words hold no spaces. */
const INSERT_SAID = `INSERT INTO ~said (id, part, words) SELECT id, part, array_to_tsvector(string_to_array(words, ' '))
  FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS t(id, part, words)`;
const UPDATE_SESSION = `UPDATE ~sessions SET (${SESSION_COLUMNS.join(", ")}) = (${SESSION_COLUMNS.map((_, at) => `$${at + 1}`).join(", ")}),
  touch = greatest(touch, 1 + (SELECT coalesce(max(o.touch), 0) FROM ~sessions o WHERE o.number <> $${SESSION_COLUMNS.length + 1}))
  WHERE number = $${SESSION_COLUMNS.length + 1} RETURNING pg_notify($${SESSION_COLUMNS.length + 2}, $${SESSION_COLUMNS.length + 3})`;

const store = async (
  query: Query,
  session: SessionRow,
  planned: readonly PlannedEvent[],
  runs: Iterable<RunProjection>,
): Promise<void> => {
  const names = new Map<string, string>();
  const keep = (key: string, text: string): void => void names.set(key, text);
  const runKey = (runId: RunId): string => {
    const key = toNameKey(runId);
    if (isLongName(key)) keep(key, toColumnText(runId));
    return key;
  };
  await query(INSERT_EVENTS, [
    planned.map(({ id }) => id),
    planned.map(({ event }) => runKey(event.runId)),
    planned.map(({ event }) => event.type),
    planned.map(({ event }) => toColumnText(event.at)),
    planned.map(({ body }) => body),
    planned.map(({ hash }) => hash),
  ]);
  const requests = planned.filter(({ event }) => event.type === "run.requested");
  if (requests.length > 0)
    await query(INSERT_RUNS, [
      session.number,
      requests.map(({ event }) => runKey(event.runId)),
      requests.map(({ id }) => id),
      requests.map(({ event }) => event.parentRunId === null),
    ]);
  const underWay = Array.from(runs, underWayOf).filter((operation) => operation !== undefined);
  for (const operation of mergeOperations([...planned.flatMap(({ operations }) => operations), ...underWay])) {
    const values = toStoredValues(operation, keep);
    await query(toOperationSql(operation), operation.type === "insert" ? values : [...values, operation.id]);
  }
  for (const { approvals } of planned) for (const operation of approvals) await applyApproval(query, operation, keep);
  for (const { id, turn } of planned) if (turn) await applyTurn(query, id, turn);
  const said = planned.flatMap(({ id, event }) =>
    toWordParts(event).map((words, part) => ({ id, part, words: words.join(" ") })),
  );
  if (said.length > 0)
    await query(INSERT_SAID, [said.map(({ id }) => id), said.map(({ part }) => part), said.map(({ words }) => words)]);
  if (names.size > 0) await query(INSERT_NAMES, [session.number, [...names.keys()], [...names.values()]]);
};
