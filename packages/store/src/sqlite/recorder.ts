/**
 * Writes events and what follows from them. Everything here happens inside a transaction that the caller opened; rows that
 * change are written once for all that was recorded in it, when the caller says `settle`. After a rollback the caller says `forget`.
 */
import type { EventDraft, InputDraft, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { isInput, isTurnInput } from "@retinue/protocol";
import type { StatementSync } from "node:sqlite";
import type { InputTarget, KnownRecord, KnownRun } from "../admit.ts";
import { fromEventBody } from "../chain.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import { foldProjections, planAppend, toInputTarget } from "../plan-append.ts";
import type { MessageColumn } from "../message-row.ts";
import type { ColumnValue, Operation } from "../message-operation.ts";
import type { RunProjection } from "../project.ts";
import type { SessionRow } from "../project-session.ts";
import { NEW_SESSION } from "../project-session.ts";
import { applyApproval, readApproval } from "./approval-table.ts";
import { insertInput, readEvents } from "./event-table.ts";
import { fromSessionRow, INSERT_SESSION, toSessionValues, UPDATE_SESSION } from "./session-table.ts";
import { isBeingRemoved } from "./session-removal.ts";
import type { Statements } from "./statements.ts";
import { applyTurn, readQueue } from "./turn-table.ts";
import type { UnderWayRows } from "./under-way-rows.ts";
import { createUnderWayRows } from "./under-way-rows.ts";

export type Recorder = {
  /** What the database says, in this transaction. */
  readonly known: KnownRecord;
  /** `holder` is the run whose lease was shown. */
  readonly record: (sessionId: SessionId, drafts: readonly EventDraft[], holder?: RunId) => readonly RecordedEvent[];
  /** Writes the rows that follow from what was recorded: before a commit, and before anybody else reads or writes in the transaction. */
  readonly settle: () => void;
  /** The rows of model calls that have not ended. */
  readonly underWay: Pick<UnderWayRows, "isBehind" | "catchUp">;
  /** Moves the epoch on and gives the new one; undefined for an unknown run. */
  readonly takeOver: (runId: RunId) => number | undefined;
  readonly revoke: (sessionId: SessionId) => void;
  /** Others may have written: what only the database knows for sure is read from it again. */
  readonly refresh: () => void;
  /** Nothing that was learnt holds any more. */
  readonly forget: () => void;
};

type CachedProjection = { readonly epoch: number; readonly projection: RunProjection };

/** Runs that are kept in mind; more than live at one time in any sane process. */
const MAX_CACHED = 20_000;

export type RecorderOptions = {
  readonly statements: Statements;
  /** Nobody else writes to this database, so whatever was learnt stays true. */
  readonly isAlone?: boolean;
  /** Before a session is made. */
  readonly makingSession?: (sessionId: SessionId) => void;
};

export const createRecorder = ({ statements, isAlone = false, makingSession = () => {} }: RecorderOptions): Recorder => {
  const sessions = new Map<SessionId, SessionRow>();
  const runs = new Map<RunId, KnownRun>();
  /** Of a run, under the epoch for which it holds: while that lease lives, nobody else can have added to the run. */
  const projections = new Map<RunId, CachedProjection>();
  const operationStatements = new Map<Operation["columns"], StatementSync>();
  const underWay = createUnderWayRows(statements);

  const readRun = (runId: RunId): KnownRun | undefined => {
    const known = runs.get(runId);
    if (known) return known;
    const row = statements(
      "SELECT s.session_id, r.epoch FROM runs r JOIN sessions s ON s.number = r.session_number WHERE r.run_id = ?",
    ).get(toColumnText(runId));
    if (row === undefined) return undefined;
    const run = { sessionId: fromColumnText(String(row["session_id"])) as SessionId, epoch: Number(row["epoch"]) };
    runs.set(runId, run);
    return run;
  };

  /** Whoever speaks to a run may not be its driver: all of it is read anew. */
  const readTarget = (runId: RunId): InputTarget | undefined => {
    settle();
    const row = statements(
      `SELECT e.body, m.status FROM runs r JOIN events e ON e.id = r.message_id JOIN messages m ON m.id = r.message_id
         WHERE r.run_id = ? AND NOT ${isBeingRemoved("r.session_number")}`,
    ).get(toColumnText(runId));
    const identity = row === undefined ? undefined : fromEventBody(String(row["body"]));
    if (identity === undefined) return undefined;
    return { identity, isSettled: row?.["status"] !== "pending" && row?.["status"] !== "running" };
  };

  const targetOf = (input: InputDraft): RunProjection | undefined => {
    const row = statements("SELECT message_id FROM runs WHERE run_id = ?").get(toColumnText(input.runId));
    if (row === undefined) return undefined;
    const approval = input.type === "approval.answered" ? readApproval(statements, input.runId, input.approvalId) : undefined;
    return toInputTarget(input, Number(row["message_id"]), approval?.messageId);
  };

  const readSession = (sessionId: SessionId): SessionRow => {
    const known = sessions.get(sessionId);
    if (known) return known;
    const row = statements("SELECT * FROM sessions WHERE session_id = ?").get(toColumnText(sessionId));
    return row === undefined ? insertSession(sessionId) : fromSessionRow(row);
  };

  /** The session that was written to last, in the whole store. */
  let last: { readonly number: number; readonly touch: number } | undefined;
  const touch = (number: number): void => {
    if (last?.number === number) return;
    const row = statements("SELECT number, touch FROM sessions ORDER BY touch DESC, number DESC LIMIT 1").get();
    last = { number: Number(row?.["number"]), touch: Number(row?.["touch"]) };
    if (last.number === number && last.touch > 0) return;
    last = { number, touch: last.touch + 1 };
    statements("UPDATE sessions SET touch = ? WHERE number = ?").run(last.touch, number);
  };

  const insertSession = (sessionId: SessionId): SessionRow => {
    makingSession(sessionId);
    const created = statements(INSERT_SESSION).run(toColumnText(sessionId), ...toSessionValues(NEW_SESSION));
    const number = Number(created.lastInsertRowid);
    // The ids of the session's messages are given away at once, or each of them would have to be noted as the highest.
    const highest = toEventKey(number, MAX_SEQ);
    const noted = statements("UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages'").run(highest).changes;
    if (noted === 0) statements("INSERT INTO sqlite_sequence (name, seq) VALUES ('messages', ?)").run(highest);
    return { ...NEW_SESSION, sessionId, number };
  };

  /** What is known of a run without reading its events: only while it is certain that nobody else added to them. */
  const remembered = (runId: RunId, holder: RunId | undefined): RunProjection | undefined => {
    const cached = projections.get(runId);
    if (cached === undefined) return undefined;
    return isAlone || (runId === holder && cached.epoch === readRun(runId)?.epoch) ? cached.projection : undefined;
  };

  /** By the row that they concern, in the order in which the rows were first touched. */
  const pending = new Map<number, Operation>();
  const changedSessions = new Map<SessionId, SessionRow>();

  const defer = (operation: Operation): void => {
    const earlier = pending.get(operation.id);
    pending.set(operation.id, earlier ? mergeOperations(earlier, operation) : operation);
  };

  const settle = (): void => {
    if (pending.size > 0) {
      for (const operation of pending.values()) apply(operation);
      pending.clear();
    }
    if (changedSessions.size > 0) {
      for (const session of changedSessions.values()) updateSession.run(...toSessionValues(session), session.number);
      changedSessions.clear();
    }
    underWay.writeLasting();
  };

  const apply = (operation: Operation): void => {
    if (underWay.takePlace(operation.id)) statements("DELETE FROM messages WHERE id = ?").run(operation.id);
    let statement = operationStatements.get(operation.columns);
    if (!statement) operationStatements.set(operation.columns, (statement = statements(toSql(operation))));
    const values: ColumnValue[] = [];
    for (const value of operation.values) values.push(typeof value === "string" ? toColumnText(value) : value);
    if (operation.type === "update") values.push(operation.id);
    statement.run(...values);
  };

  const foldRecorded = (sessionId: SessionId, number: number): Map<RunId, RunProjection> => {
    settle();
    const folded = foldProjections(readEvents(statements, { sessionId, afterSeq: 0, limit: undefined }), number);
    for (const projection of folded.values()) underWay.doubt(projection);
    return folded;
  };

  const insertEvent = statements("INSERT INTO events (id, run_id, type, at, body, hash) VALUES (?, ?, ?, ?, ?, ?)");
  const insertRun = statements("INSERT INTO runs (run_id, session_number, message_id, epoch, is_root) VALUES (?, ?, ?, 0, ?)");
  const updateSession = statements(UPDATE_SESSION);

  /** What waits outside of memory is not remembered here either. */
  const forgetParked = ({ runId, sessionId, parentRunId }: RecordedEvent): void => {
    projections.delete(runId);
    runs.delete(runId);
    if (parentRunId !== null) return;
    settle();
    sessions.delete(sessionId);
  };

  const forget = (): void => {
    sessions.clear();
    runs.clear();
    projections.clear();
    pending.clear();
    changedSessions.clear();
    underWay.forget();
    last = undefined;
  };

  return {
    known: {
      run: readRun,
      target: readTarget,
      approval: (runId, approvalId) => readApproval(statements, runId, approvalId),
      queue: (sessionId) => {
        settle();
        return readQueue(statements, sessionId);
      },
    },
    record: (sessionId, drafts, holder) => {
      if (runs.size + sessions.size + projections.size > MAX_CACHED) {
        settle();
        forget();
      }
      const before = readSession(sessionId);
      let folded: Map<RunId, RunProjection> | undefined;
      const {
        events,
        session,
        projections: changed,
      } = planAppend({
        session: before,
        drafts,
        projectionOf: (runId) => remembered(runId, holder) ?? (folded ??= foldRecorded(sessionId, before.number)).get(runId),
        targetOf,
      });
      for (const { id, event, body, hash, operations, approvals, turn } of events) {
        const runKey = toColumnText(event.runId);
        insertEvent.run(id, runKey, event.type, toColumnText(event.at), body, hash);
        if (event.type === "run.requested") {
          insertRun.run(runKey, session.number, id, event.parentRunId === null ? 1 : 0);
          runs.set(event.runId, { sessionId, epoch: 0 });
        }
        // A parked run is driven by nobody; whoever sees what it waits for may take it up.
        if (event.type === "run.parked") statements("UPDATE runs SET holder = NULL WHERE run_id = ?").run(runKey);
        if (isInput(event) && !isTurnInput(event)) insertInput(statements, event.runId, id);
        for (const operation of operations) defer(operation);
        for (const operation of approvals) applyApproval(statements, operation);
        if (turn) applyTurn(statements, id, turn);
      }
      touch(session.number);
      changedSessions.set(sessionId, session);
      sessions.set(sessionId, session);
      for (const [runId, projection] of changed) {
        projections.set(runId, { epoch: readRun(runId)?.epoch ?? 0, projection });
        underWay.note(runId, session.number, projection);
      }
      for (const { event } of events) if (event.type === "run.parked") forgetParked(event);
      return events.map(({ event }) => event);
    },
    settle,
    underWay,
    takeOver: (runId) => {
      const row = statements(
        `UPDATE runs SET epoch = epoch + 1 WHERE run_id = ? AND NOT ${isBeingRemoved("session_number")} RETURNING epoch`,
      ).get(toColumnText(runId));
      if (row === undefined) return undefined;
      const epoch = Number(row["epoch"]);
      const cached = projections.get(runId);
      // Before the first lease nobody could write to the run, so what is known of it still holds.
      if (cached?.epoch === 0 && epoch === 1) projections.set(runId, { epoch, projection: cached.projection });
      else projections.delete(runId);
      runs.delete(runId);
      return epoch;
    },
    revoke: (sessionId) => {
      statements(
        "UPDATE runs SET epoch = epoch + 1 WHERE session_number = (SELECT number FROM sessions WHERE session_id = ?)",
      ).run(toColumnText(sessionId));
      runs.clear();
    },
    refresh: () => {
      sessions.clear();
      runs.clear();
      last = undefined;
    },
    forget,
  };
};

type Merging = {
  readonly columns: readonly MessageColumn[];
  /** Where in the earlier values a later one goes; -1 at the end. */ readonly places: readonly number[];
};

const mergings = new Map<Operation["columns"], Map<Operation["columns"], Merging>>();

/** The lists of columns are a few constants, and so are those that come of two of them. */
const mergingOf = (earlier: Operation["columns"], later: Operation["columns"]): Merging => {
  let known = mergings.get(earlier);
  if (!known) mergings.set(earlier, (known = new Map()));
  let merging = known.get(later);
  if (!merging) {
    const places = later.map((column) => earlier.indexOf(column));
    known.set(later, (merging = { columns: [...earlier, ...later.filter((_, at) => places[at] === -1)], places }));
  }
  return merging;
};

/** Two operations on one row as one. */
const mergeOperations = (earlier: Operation, later: Operation): Operation => {
  const { columns, places } = mergingOf(earlier.columns, later.columns);
  const values = [...earlier.values];
  later.values.forEach((value, at) => {
    const place = places[at] ?? -1;
    if (place === -1) values.push(value);
    else values[place] = value;
  });
  return { type: earlier.type, id: earlier.id, columns, values };
};

const toSql = ({ type, columns }: Operation): string =>
  type === "insert"
    ? `INSERT INTO messages (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`
    : `UPDATE messages SET ${columns.map((column) => `${column} = ?`).join(", ")} WHERE id = ?`;
