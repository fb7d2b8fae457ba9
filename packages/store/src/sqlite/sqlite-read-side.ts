/** The read side on a SQLite store. Everything a caller gives is bound as a parameter; orders come from a list of ours. */
import type { RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { statSync } from "node:fs";
import { basename } from "node:path";
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { fromEventBody } from "../chain.ts";
import { checkEvents } from "../check-events.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import type { Holder } from "../holder.ts";
import type { MessageRow } from "../message-row.ts";
import { findOutdated } from "../outdated-sessions.ts";
import type { SessionRow } from "../project-session.ts";
import type { ImportedSession } from "../read-export.ts";
import { readExport, refuseExisting, toImportError } from "../read-export.ts";
import { fromCursor, toAllowed, toCursor, toLimit } from "../query-checks.ts";
import type {
  Damage,
  KeptRoom,
  MessageQuery,
  Page,
  ReadSide,
  Retention,
  RunNode,
  SessionOrder,
  Verification,
} from "../read-side.ts";
import { MESSAGE_ORDERS, SESSION_ORDERS } from "../read-side.ts";
import { finishAtOnce, finishWithPauses } from "../steps.ts";
import { toTree } from "../run-tree.ts";
import { toExportedArtifact } from "../stored-artifact.ts";
import { toSystemPrompt } from "../system-prompt.ts";
import { BrokenChain, walkChain } from "../walk-chain.ts";
import { eachStoredEvent } from "./event-table.ts";
import type { HolderTable } from "./holder-table.ts";
import type { FigureTable } from "./figure-table.ts";
import { fromMessageRow, SELECT_MESSAGES } from "./message-table.ts";
import { isLittle } from "./free-room.ts";
import type { Recorder } from "./recorder.ts";
import { eachArtifact, insertArtifact } from "./artifact-table.ts";
import type { SearchIndex } from "./search-index.ts";
import type { RemovalPace, SessionRemoval } from "./session-removal.ts";
import { isThere } from "./session-removal.ts";
import { fromSessionRow } from "./session-table.ts";
import { isWorthShrinking, shrink } from "./shrink.ts";
import type { SpareRoom } from "./spare-room.ts";
import { toStoreError } from "./sqlite-errors.ts";
import { searchEvents } from "./sqlite-search.ts";
import type { Statements } from "./statements.ts";
import { readStats } from "./stats.ts";
import { verifyStore } from "./verify.ts";
import type { WriteQueue } from "./write-queue.ts";

export type SqliteReadSideOptions = {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly statements: Statements;
  readonly searchIndex: SearchIndex;
  readonly removal: SessionRemoval;
  readonly figures: FigureTable;
  readonly queue: WriteQueue;
  /** Kept for a full disk; in memory there is none. */
  readonly spare?: Pick<SpareRoom, "release">;
  /** How much may still be written to the disk. */
  readonly freeBytes?: () => number;
  /** A process that had the store open, where its write-ahead file was not there when we opened it. */
  readonly lostWalOf?: ReturnType<HolderTable["named"]>;
  readonly holdersOf: HolderTable["ofSessions"];
  readonly refuseHeldSession: HolderTable["refuseHeldSession"];
  readonly recorder: Pick<Recorder, "record" | "settle" | "known" | "forget" | "underWay">;
  /** A connection of its own for what takes long; without it, as in memory, there is no file and everything else waits. */
  readonly openReader?: (() => DatabaseSync) | undefined;
  /** This process has the file alone, since nothing can be written beside it. */
  readonly isAlone?: boolean;
  /** Throws when the store was closed. */
  readonly open: () => void;
};

const ORDER_SESSIONS: Readonly<Record<SessionOrder, { readonly after: string; readonly by: string }>> = {
  newest: { after: "number < ?1", by: "number DESC" },
  oldest: { after: "number > ?1", by: "number" },
  updated: { after: "(touch, number) < (CAST(?2 AS INTEGER), ?1)", by: "touch DESC, number DESC" },
};

export const createSqliteReadSide = (options: SqliteReadSideOptions): ReadSide => {
  const { db, path, statements, searchIndex, removal, figures, queue, holdersOf, refuseHeldSession, recorder, openReader, open } =
    options;
  const { spare, freeBytes = () => Infinity, isAlone = false } = options;

  const hasFile = openReader !== undefined || isAlone;

  const reading = <T>(act: () => T): T => {
    open();
    try {
      return act();
    } catch (error) {
      throw toStoreError(error, path);
    }
  };

  /** Model calls under way have their rows first. */
  const readingRows = <T>(act: () => T): T | Promise<T> =>
    recorder.underWay.isBehind() ? queue.write(recorder.underWay.catchUp).then(() => reading(act)) : reading(act);

  const readSession = (sessionId: SessionId): SessionRow | undefined => {
    const row = statements("SELECT * FROM sessions WHERE session_id = ?").get(toColumnText(sessionId));
    return row === undefined ? undefined : fromSessionRow(row);
  };

  const listSessions: ReadSide["listSessions"] = (query = {}) =>
    reading(() => {
      const limit = toLimit(query.limit);
      const order = toAllowed("`order`", query.order, SESSION_ORDERS, "newest");
      const cursor = fromCursor(query.after);
      const { where, values } = toConditions([
        ["status = ?", query.status],
        ["agent = ?", query.agent],
        ["workspace = ?", query.workspace],
      ]);
      const { after, by } = ORDER_SESSIONS[order];
      const rows = statements(
        `SELECT * FROM sessions WHERE (?1 IS NULL OR ${after}) AND (?2 IS NULL OR 1) AND ${where} ORDER BY ${by} LIMIT ?`,
      ).all(cursor?.key ?? null, cursor === undefined ? null : toColumnText(cursor.at), ...values, limit + 1);
      const { items, next } = toPage(rows, limit, (row) => ({
        key: Number(row["number"]),
        at: order === "updated" ? String(row["touch"]) : "",
      }));
      return { items: items.map(fromSessionRow), next };
    });

  const messages: ReadSide["messages"] = (sessionId, query: MessageQuery = {}) =>
    readingRows(() => {
      const limit = toLimit(query.limit);
      const newest = toAllowed("`order`", query.order, MESSAGE_ORDERS, "oldest") === "newest";
      const cursor = fromCursor(query.after);
      const session = readSession(sessionId);
      if (session === undefined) return { items: [], next: null };
      const from = newest || cursor === undefined ? toEventKey(session.number, 0) : cursor.key + 1;
      const to = newest && cursor !== undefined ? cursor.key - 1 : toEventKey(session.number, MAX_SEQ);
      const { where, values } = toConditions([
        ["m.run_id = ?", query.runId],
        ["m.agent_role = ?", query.agent],
        ["m.status = ?", query.status],
        ["m.request_type = ?", query.requestType],
      ]);
      const rows = statements(
        `${SELECT_MESSAGES} WHERE m.id BETWEEN max(?, ?) AND min(?, ?) AND ${where} ORDER BY m.id ${newest ? "DESC" : "ASC"} LIMIT ?`,
      ).all(from, toEventKey(session.number, 0), to, toEventKey(session.number, MAX_SEQ), ...values, limit + 1);
      return toPage(rows.map(fromMessageRow), limit, toMessageCursor);
    });

  const tree: ReadSide["tree"] = (sessionId) =>
    reading(() => {
      const session = readSession(sessionId);
      if (session === undefined) return [];
      const rows = statements(
        `SELECT m.id, m.run_id, p.run_id AS parent_run_id, m.agent_role, m.agent_depth, m.model_id, m.request_content, m.status,
           m.outcome, m.response_summary, m.bailout_reason, m.started_at, m.completed_at, m.duration_ms, m.iteration_count,
           m.prompt_tokens, m.completion_tokens, m.cost_usd
         FROM runs r JOIN messages m ON m.id = r.message_id LEFT JOIN messages p ON p.id = m.parent_message_id
         WHERE r.session_number = ? ORDER BY m.id`,
      ).all(session.number);
      return toTree(rows.map(toRunNode));
    });

  const insertSession = ({ sessionId, drafts, epochs, artifacts, importedAt }: ImportedSession): SessionRow => {
    if (readSession(sessionId) !== undefined) throw refuseExisting(sessionId);
    for (const runId of epochs.keys()) if (recorder.known.run(runId) !== undefined) throw refuseExisting(sessionId);
    statements("DELETE FROM artifacts WHERE session_id = ?").run(toColumnText(sessionId));
    recorder.record(sessionId, drafts);
    recorder.settle();
    const setEpoch = statements("UPDATE runs SET epoch = ? WHERE run_id = ?");
    for (const [runId, epoch] of epochs) setEpoch.run(epoch, toColumnText(runId));
    for (const artifact of artifacts) insertArtifact(statements, sessionId, artifact);
    statements("UPDATE sessions SET imported_at = ? WHERE session_id = ?").run(importedAt, toColumnText(sessionId));
    recorder.forget();
    const session = readSession(sessionId);
    if (session === undefined) throw new RetinueError("internal", `${sessionId} was imported and is not there.`);
    return session;
  };

  /** What was deleted also stands in the write-ahead file, until it begins anew. */
  const clearTraces = (): void => void statements("PRAGMA wal_checkpoint(TRUNCATE)").get();

  const walBytes = (): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;

  const withoutOverwriting = <T>(act: () => T): T => {
    db.exec("PRAGMA secure_delete = OFF");
    try {
      return act();
    } finally {
      db.exec("PRAGMA secure_delete = ON");
    }
  };

  /**
   * Without a write-ahead file: what a transaction changes is changed in the file, and how it was is kept in memory. Only a kill in the middle of a
   * commit could hurt the file, which `verify` would tell; without it nothing could be removed.
   */
  const inPlace = async <T>(act: () => Promise<T>): Promise<T> => {
    await queue.apart(() => db.exec("PRAGMA journal_mode = MEMORY"));
    try {
      return await act();
    } finally {
      await queue.apart(() => db.exec("PRAGMA journal_mode = WAL"));
    }
  };

  /**
   * A transaction that takes something away. On a full disk it is tried once more with an empty write-ahead file, then with the room that
   * is kept for it; what is deleted is not overwritten then, which needs less. Whoever has the file alone writes nothing beside it at last.
   */
  const removing = async (act: (isFull: boolean) => boolean, check?: () => void): Promise<boolean> => {
    const write = async (isFull: boolean) =>
      queue.write(() => (isFull ? withoutOverwriting(() => act(true)) : act(false)), {
        loose: true,
        ...(check === undefined ? {} : { check }),
      });
    const again = async (): Promise<boolean> => {
      reading(clearTraces);
      return write(true);
    };
    return unlessFull(
      () => write(false),
      () => unlessFull(again, async () => (spare?.release() === true ? again() : isAlone ? inPlace(again) : undefined)),
    );
  };

  /** False where the session is not there, or is not to go. */
  const beginRemoval = async (
    sessionId: SessionId,
    mayGo: (session: SessionRow) => boolean,
    check?: () => void,
  ): Promise<boolean> => {
    // Read before the transaction: nobody else is to wait for it.
    const before = reading(() => readSession(sessionId));
    const isDamaged = before !== undefined && reading(() => readIntact(statements, before)).damage !== undefined;
    return removing(() => {
      const session = readSession(sessionId);
      if (session === undefined || !mayGo(session)) return false;
      removal.begin(session, isDamaged);
      recorder.forget();
      return true;
    }, check);
  };

  /** Takes away what is left of all sessions that were removed, also of those whose removal was cut. */
  const endRemovals = async (): Promise<void> => {
    for (let isMore = true; isMore;) {
      const isSmall = isLittle(freeBytes());
      isMore = await removing((isFull) => removal.step(isFull ? SMALLEST_PACE : isSmall ? SMALL_PACE : PACE));
      if (isSmall || walBytes() > MAX_WAL_BYTES) reading(clearTraces);
    }
  };

  /** Nothing of what was deleted is in the index any more, so that nothing needs to be overwritten. */
  const emptyHollowIndex = async (): Promise<void> => {
    if (!reading(searchIndex.isHollow)) return;
    await removing(() => {
      withoutOverwriting(searchIndex.reset);
      return true;
    });
  };

  const catchUpIndex = async (): Promise<void> => {
    while (reading(searchIndex.isBehind)) await queue.write(() => searchIndex.catchUp(CATCH_UP));
  };

  const giveRoomBack = async (): Promise<KeptRoom | undefined> => {
    if (!hasFile) return undefined;
    await emptyHollowIndex();
    const giveBack = () => shrink({ db, path, queue, freeBytes, isInPlace: isAlone, checkpoint: () => reading(clearTraces) });
    const kept = await (isAlone ? inPlace(giveBack) : giveBack());
    // Otherwise whoever searches next does it.
    if (!isLittle(freeBytes())) await catchUpIndex();
    return kept;
  };

  return {
    listSessions,
    session: (sessionId) => reading(() => readSession(sessionId)),
    holders: (sessionIds) => reading(() => holdersOf(sessionIds)),
    tree,
    messages,
    message: (messageId) =>
      readingRows(() => {
        const row = statements(`${SELECT_MESSAGES} WHERE m.id = ? AND ${isThere("m.id")}`).get(messageId);
        return row === undefined ? undefined : fromMessageRow(row);
      }),
    systemPrompt: (id) =>
      reading(() => {
        const row = statements(
          `SELECT e.body FROM runs r JOIN messages m ON m.id = r.message_id JOIN events e ON e.id = r.message_id
             WHERE m.system_prompt_id = ? AND ${isThere("m.id")} LIMIT 1`,
        ).get(toColumnText(id));
        return row === undefined ? undefined : toSystemPrompt(fromEventBody(String(row["body"])));
      }),
    children: (messageId, page = {}) =>
      readingRows(() => {
        const limit = toLimit(page.limit);
        const rows = statements(
          `${SELECT_MESSAGES} WHERE m.parent_message_id = ? AND m.id > ? AND ${isThere("m.id")} ORDER BY m.id LIMIT ?`,
        ).all(messageId, fromCursor(page.after)?.key ?? 0, limit + 1);
        return toPage(rows.map(fromMessageRow), limit, toMessageCursor);
      }),
    search: async (text, query = {}) => {
      open();
      await catchUpIndex();
      return reading(() => searchEvents(statements, text, query));
    },
    stats: async (query) => {
      open();
      for (const number of reading(() => figures.stale(query.sessionId))) await queue.write(() => figures.count(number));
      return reading(() => readStats(statements, query));
    },
    exportSession: (sessionId) =>
      readingRows(() => {
        const session = readSession(sessionId);
        if (session === undefined) throw new RetinueError("session_unknown", `There is no session ${sessionId}.`);
        const { events, damage } = readIntact(statements, session);
        const rows = statements(`${SELECT_MESSAGES} WHERE m.id BETWEEN ? AND ? ORDER BY m.id`).all(
          toEventKey(session.number, 0),
          toEventKey(session.number, MAX_SEQ),
        );
        return {
          format: "retinue-session",
          version: 1,
          session,
          events,
          messages: rows.map(fromMessageRow),
          artifacts: Array.from(eachArtifact(statements, sessionId), toExportedArtifact),
          damage: damage ?? finishAtOnce(verifyStore(db, sessionId)).damage[0] ?? null,
        };
      }),
    importSession: async (exported) => {
      open();
      const imported = readExport(exported);
      await checkEvents(imported);
      return queue.write(() => {
        try {
          return insertSession(imported);
        } catch (error) {
          const known = toStoreError(error, path);
          throw known === error ? toImportError(error) : known;
        }
      });
    },
    deleteSession: async (sessionId, { force = false } = {}) => {
      open();
      const existed = await beginRemoval(sessionId, () => true, force ? undefined : () => refuseHeldSession(sessionId));
      if (!existed)
        await queue.write(() => statements("DELETE FROM artifacts WHERE session_id = ?").run(toColumnText(sessionId)));
      await endRemovals();
      reading(clearTraces);
      if (isLittle(freeBytes()) || reading(() => isWorthShrinking(db))) await giveRoomBack();
      return existed;
    },
    retain: async (retention, { removed, kept } = {}) => {
      open();
      await endRemovals();
      const gone: SessionId[] = [];
      for (const { sessionId, number } of reading(() => readOutdated(statements, retention))) {
        // One at a time, so that on a disk that is nearly full each makes room for the next; who has gone on with one meanwhile keeps it.
        if (!(await beginRemoval(sessionId, (session) => session.number === number && !isUnended(session.status)))) continue;
        gone.push(sessionId);
        removed?.(sessionId);
        await endRemovals();
        reading(clearTraces);
      }
      if (gone.length === 0) return gone;
      const room = await giveRoomBack();
      if (room !== undefined) kept?.(room);
      return gone;
    },
    verify: async (sessionId, told) => {
      open();
      const withLost = (verification: Verification): Verification =>
        sessionId !== undefined || options.lostWalOf === undefined
          ? verification
          : { ...verification, warnings: [toLostWal(path, options.lostWalOf)] };
      if (!openReader) return reading(() => withLost(finishAtOnce(verifyStore(db, sessionId))));
      await queue.drain();
      const reader = reading(openReader);
      try {
        return withLost(await finishWithPauses(verifyStore(reader, sessionId), told));
      } catch (error) {
        throw toStoreError(error, path);
      } finally {
        reader.close();
      }
    },
  };
};

/** Another program that opened the store since, as the shell of SQLite does, has brought the file in and removed it: then nothing is missing. */
const toLostWal = (path: string, { host, pid }: Pick<Holder, "host" | "pid">): string =>
  `Process ${pid} on ${host} did not close the store, and its write-ahead file ${basename(path)}-wal is gone. If that file was deleted or not copied, the last events are missing.`;

/** What one transaction takes away, so that nobody waits for it long … */
const PACE: RemovalPace = { rows: 256, chars: 262_144 };
/** … where the disk has little room, … */
const SMALL_PACE: RemovalPace = { rows: 16, chars: 16_384 };
/** … and where it has none. */
const SMALLEST_PACE: RemovalPace = { rows: 1, chars: 0, emptiesIndex: true };
/** The write-ahead file of a removal is brought into the store's when it has grown to this. */
const MAX_WAL_BYTES = 2_000_000;

const unlessFull = async <T>(act: () => Promise<T>, otherwise: (error: unknown) => Promise<T | undefined>): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    const other = error instanceof RetinueError && error.code === "store_full" ? await otherwise(error) : undefined;
    if (other === undefined) throw error;
    return other;
  }
};

/** Events that a search indexes at a time, before it looks whether there are more. */
const CATCH_UP = 4096;

const toConditions = (filters: readonly (readonly [condition: string, value: string | undefined])[]) => {
  const used = filters.filter((filter) => filter[1] !== undefined);
  return {
    where: used.length === 0 ? "1" : used.map(([condition]) => condition).join(" AND "),
    values: used.map(([, value]): SQLInputValue => toColumnText(value ?? "")),
  };
};

const toPage = <T>(rows: readonly T[], limit: number, cursorOf: (row: T) => { key: number; at: string }): Page<T> => {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { items: rows.slice(0, limit), next: last === undefined ? null : toCursor(cursorOf(last)) };
};

const toMessageCursor = (row: MessageRow): { key: number; at: string } => ({ key: row.id, at: "" });

/** The events up to the first that does not verify. */
const readIntact = (
  statements: Statements,
  session: SessionRow,
): { readonly events: readonly RecordedEvent[]; readonly damage: Damage | undefined } => {
  const events: RecordedEvent[] = [];
  try {
    for (const { event } of walkChain(eachStoredEvent(statements, session.number, 0), session, 0)) events.push(event);
    return { events, damage: undefined };
  } catch (error) {
    if (!(error instanceof BrokenChain)) throw error;
    return { events, damage: { sessionId: session.sessionId, seq: error.seq, what: error.message } };
  }
};

const isUnended = (status: SessionRow["status"]): boolean => status === "pending" || status === "running";

const readOutdated = (statements: Statements, retention: Retention): readonly SessionRow[] => {
  const dated = statements("SELECT number, updated_at, status FROM sessions ORDER BY touch, number")
    .all()
    .map((row) => ({
      number: Number(row["number"]),
      updatedAt: fromColumnText(String(row["updated_at"])),
      status: String(row["status"]),
    }));
  const select = statements("SELECT * FROM sessions WHERE number = ?");
  return findOutdated(dated, retention).flatMap((number) => {
    const row = select.get(number);
    return row === undefined ? [] : [fromSessionRow(row)];
  });
};

const textOrNull = (value: SQLOutputValue | undefined): string | null =>
  typeof value === "string" ? fromColumnText(value) : null;
const numberOrNull = (value: SQLOutputValue | undefined): number | null => (typeof value === "number" ? value : null);

const toRunNode = (row: Record<string, SQLOutputValue>): Omit<RunNode, "children"> => ({
  // Only what the projection wrote stands in these columns.
  runId: textOrNull(row["run_id"]) as RunId,
  messageId: Number(row["id"]),
  parentRunId: textOrNull(row["parent_run_id"]) as RunId | null,
  agent: textOrNull(row["agent_role"]) ?? "",
  depth: Number(row["agent_depth"]),
  model: textOrNull(row["model_id"]) ?? "",
  task: textOrNull(row["request_content"]) ?? "",
  status: textOrNull(row["status"]) as RunNode["status"],
  outcome: textOrNull(row["outcome"]),
  summary: textOrNull(row["response_summary"]),
  bailoutReason: textOrNull(row["bailout_reason"]),
  startedAt: textOrNull(row["started_at"]) ?? "",
  completedAt: textOrNull(row["completed_at"]),
  durationMs: numberOrNull(row["duration_ms"]),
  iterations: Number(row["iteration_count"]),
  promptTokens: numberOrNull(row["prompt_tokens"]),
  completionTokens: numberOrNull(row["completion_tokens"]),
  costUsd: numberOrNull(row["cost_usd"]),
});
