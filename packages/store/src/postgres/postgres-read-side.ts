/** The read side on a PostgreSQL store. Everything a caller gives is bound as a parameter; orders come from a list of ours. */
import type { RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { fromEventBody } from "../chain.ts";
import { checkEvents } from "../check-events.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import type { Holder } from "../holder.ts";
import { findOutdated } from "../outdated-sessions.ts";
import type { SessionRow } from "../project-session.ts";
import { fromCursor, toAllowed, toCursor, toLimit } from "../query-checks.ts";
import type { Page, ReadSide, Retention, RunNode, SessionOrder } from "../read-side.ts";
import { MESSAGE_ORDERS, SESSION_ORDERS } from "../read-side.ts";
import { readExport } from "../read-export.ts";
import { toTree } from "../run-tree.ts";
import { toExportedArtifact } from "../stored-artifact.ts";
import { toSystemPrompt } from "../system-prompt.ts";
import { BrokenChain, walkChain } from "../walk-chain.ts";
import { readArtifacts } from "./artifact-rows.ts";
import type { Database, Query, Row } from "./database.ts";
import type { HolderRows } from "./holder-rows.ts";
import { fromNameKey, toNameKey } from "./name-key.ts";
import { fromMessageRows, fromSessionRows, readLongNames, SELECT_MESSAGES, toSeq } from "./postgres-rows.ts";
import { searchEvents } from "./postgres-search.ts";
import type { SessionWriter } from "./session-writer.ts";
import { readStats } from "./postgres-stats.ts";
import { verifyStore } from "./postgres-verify.ts";

export type PostgresReadSideOptions = {
  readonly db: Database;
  /** Throws when the store was closed. */
  readonly open: () => void;
  readonly importSession: SessionWriter["importSession"];
  readonly holdersOf: (sessionIds: readonly SessionId[]) => Promise<ReadonlyMap<SessionId, Holder>>;
  readonly refuseHeldSession: HolderRows["refuseHeldSession"];
};

const ORDER_SESSIONS: Readonly<Record<SessionOrder, { readonly after: string; readonly by: string }>> = {
  newest: { after: "number < $1", by: "number DESC" },
  oldest: { after: "number > $1", by: "number" },
  updated: { after: "(touch, number) < ($2::bigint, $1)", by: "touch DESC, number DESC" },
};

export const createPostgresReadSide = ({
  db,
  open,
  importSession,
  holdersOf,
  refuseHeldSession,
}: PostgresReadSideOptions): ReadSide => ({
  listSessions: async (options = {}) => {
    open();
    const limit = toLimit(options.limit);
    const order = toAllowed("`order`", options.order, SESSION_ORDERS, "newest");
    const cursor = fromCursor(options.after);
    const filter = createFilter([cursor?.key ?? null, toTouch(cursor), limit + 1]);
    filter.add((n) => `status = ${n}`, options.status);
    filter.add((n) => `agent = ${n}`, options.agent);
    filter.add((n) => `workspace = ${n}`, options.workspace);
    const { after, by } = ORDER_SESSIONS[order];
    const rows = await db.query(
      `SELECT * FROM ~sessions WHERE ($1::bigint IS NULL OR ${after}) AND ($2::bigint IS NULL OR true) AND ${filter.where()}
         ORDER BY ${by} LIMIT $3`,
      filter.values,
    );
    const { items, next } = toPage(rows, limit, (row) => ({
      key: Number(row["number"]),
      at: order === "updated" ? String(row["touch"]) : "",
    }));
    return { items: await fromSessionRows(db.query, items), next };
  },
  session: async (sessionId) => {
    open();
    return readSession(db.query, sessionId);
  },
  holders: async (sessionIds) => {
    open();
    return holdersOf(sessionIds);
  },
  tree: async (sessionId) => {
    open();
    const session = await readSession(db.query, sessionId);
    if (session === undefined) return [];
    const rows = await db.query(
      `SELECT m.*, p.run_id AS parent_run_id FROM ~runs r JOIN ~messages m ON m.id = r.message_id
         LEFT JOIN ~messages p ON p.id = m.parent_message_id WHERE r.session_number = $1 ORDER BY m.id`,
      [session.number],
    );
    const longNames = await readLongNames(db.query, rows);
    const messages = await fromMessageRows(db.query, rows);
    return toTree(
      messages.map((message, at): Omit<RunNode, "children"> => {
        const parent = rows[at]?.["parent_run_id"];
        return {
          // Only what the projection wrote stands in these columns.
          runId: message.run_id as RunId,
          messageId: message.id,
          parentRunId: typeof parent === "string" ? (fromNameKey(parent, longNames) as RunId) : null,
          agent: message.agent_role ?? "",
          depth: message.agent_depth,
          model: message.model_id ?? "",
          task: message.request_content ?? "",
          status: message.status,
          outcome: message.outcome,
          summary: message.response_summary,
          bailoutReason: message.bailout_reason,
          startedAt: message.started_at,
          completedAt: message.completed_at,
          durationMs: message.duration_ms,
          iterations: message.iteration_count,
          promptTokens: message.prompt_tokens,
          completionTokens: message.completion_tokens,
          costUsd: message.cost_usd,
        };
      }),
    );
  },
  messages: async (sessionId, options = {}) => {
    open();
    const limit = toLimit(options.limit);
    const newest = toAllowed("`order`", options.order, MESSAGE_ORDERS, "oldest") === "newest";
    const cursor = fromCursor(options.after);
    const session = await readSession(db.query, sessionId);
    if (session === undefined) return { items: [], next: null };
    const first = toEventKey(session.number, 0);
    const last = toEventKey(session.number, MAX_SEQ);
    const from = newest || cursor === undefined ? first : Math.max(first, cursor.key + 1);
    const to = newest && cursor !== undefined ? Math.min(last, cursor.key - 1) : last;
    const filter = createFilter([from, to, limit + 1]);
    filter.add((n) => `m.run_id = ${n}`, options.runId, toNameKey);
    filter.add((n) => `m.agent_role = ${n}`, options.agent, toNameKey);
    filter.add((n) => `m.status = ${n}`, options.status);
    filter.add((n) => `m.request_type = ${n}`, options.requestType);
    const rows = await db.query(
      `${SELECT_MESSAGES} WHERE m.id BETWEEN $1 AND $2 AND ${filter.where()} ORDER BY m.id ${newest ? "DESC" : "ASC"} LIMIT $3`,
      filter.values,
    );
    return toPage(await fromMessageRows(db.query, rows), limit, (row) => ({ key: row.id, at: "" }));
  },
  message: async (messageId) => {
    open();
    return (await fromMessageRows(db.query, await db.query(`${SELECT_MESSAGES} WHERE m.id = $1`, [messageId])))[0];
  },
  systemPrompt: async (id) => {
    open();
    const [row] = await db.query(
      `SELECT e.body FROM ~runs r JOIN ~messages m ON m.id = r.message_id JOIN ~events e ON e.id = r.message_id
         WHERE m.system_prompt_id = $1 LIMIT 1`,
      [toColumnText(id)],
    );
    return row === undefined ? undefined : toSystemPrompt(fromEventBody(String(row["body"])));
  },
  children: async (messageId, page = {}) => {
    open();
    const limit = toLimit(page.limit);
    const rows = await db.query(`${SELECT_MESSAGES} WHERE m.parent_message_id = $1 AND m.id > $2 ORDER BY m.id LIMIT $3`, [
      messageId,
      fromCursor(page.after)?.key ?? 0,
      limit + 1,
    ]);
    return toPage(await fromMessageRows(db.query, rows), limit, (row) => ({ key: row.id, at: "" }));
  },
  search: async (text, options = {}) => {
    open();
    return searchEvents(db.query, text, options);
  },
  stats: async (options) => {
    open();
    return readStats(db.query, options);
  },
  exportSession: async (sessionId) => {
    open();
    return db.snapshot(async (query) => {
      const session = await readSession(query, sessionId);
      if (session === undefined) throw new RetinueError("session_unknown", `There is no session ${sessionId}.`);
      const range = [toEventKey(session.number, 0), toEventKey(session.number, MAX_SEQ)];
      const messages = await query(`${SELECT_MESSAGES} WHERE m.id BETWEEN $1 AND $2 ORDER BY m.id`, range);
      const artifacts = await readArtifacts(query, sessionId);
      return {
        format: "retinue-session" as const,
        version: 1 as const,
        session,
        events: readIntact(
          await query("SELECT id, body, hash FROM ~events WHERE id BETWEEN $1 AND $2 ORDER BY id", range),
          session,
        ),
        messages: await fromMessageRows(query, messages),
        artifacts: artifacts.map(toExportedArtifact),
        damage: (await verifyStore(query, sessionId)).damage[0] ?? null,
      };
    });
  },
  importSession: async (exported) => {
    open();
    const imported = readExport(exported);
    await checkEvents(imported);
    return db.transact(async (query) => {
      await importSession(query, imported);
      const session = await readSession(query, imported.sessionId);
      if (session === undefined) throw new RetinueError("internal", `${imported.sessionId} was imported and is not there.`);
      return session;
    });
  },
  deleteSession: async (sessionId, { force = false } = {}) => {
    open();
    return db.transact(async (query) => {
      const session = await readSession(query, sessionId, " FOR UPDATE");
      if (!force) await refuseHeldSession(query, sessionId);
      if (session !== undefined) await removeSession(query, session);
      else await query("DELETE FROM ~artifacts WHERE session_id = $1", [toNameKey(sessionId)]);
      return session !== undefined;
    });
  },
  retain: async (retention, { removed } = {}) => {
    open();
    const gone = await db.transact(async (query) => {
      const sessions = await readOutdated(query, retention);
      for (const session of sessions) await removeSession(query, session);
      return sessions.map((session) => session.sessionId);
    });
    if (removed !== undefined) for (const sessionId of gone) removed(sessionId);
    return gone;
  },
  verify: async (sessionId, told) => {
    open();
    return db.snapshot(async (query) => verifyStore(query, sessionId, told));
  },
});

const readSession = async (query: Query, sessionId: SessionId, lock = ""): Promise<SessionRow | undefined> => {
  const rows = await query(`SELECT * FROM ~sessions WHERE session_id = $1${lock}`, [toNameKey(sessionId)]);
  return (await fromSessionRows(query, rows))[0];
};

/** Conditions with their values; the first values are the caller's. */
const createFilter = (first: readonly unknown[]) => {
  const values: unknown[] = [...first];
  const conditions: string[] = [];
  return {
    values,
    where: (): string => (conditions.length === 0 ? "true" : conditions.join(" AND ")),
    add: (condition: (parameter: string) => string, value: string | undefined, encode = toColumnText): void => {
      if (value === undefined) return;
      values.push(encode(value));
      conditions.push(condition(`$${values.length}`));
    },
  };
};

const toPage = <T>(rows: readonly T[], limit: number, cursorOf: (row: T) => { key: number; at: string }): Page<T> => {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { items: rows.slice(0, limit), next: last === undefined ? null : toCursor(cursorOf(last)) };
};

/** The events up to the first that does not verify. */
const readIntact = (rows: readonly Row[], session: SessionRow): readonly RecordedEvent[] => {
  const events: RecordedEvent[] = [];
  const stored = rows.map((row) => ({ seq: toSeq(row["id"]), body: String(row["body"]), hash: String(row["hash"]) }));
  try {
    for (const { event } of walkChain(stored, session, 0)) events.push(event);
  } catch (error) {
    if (!(error instanceof BrokenChain)) throw error;
  }
  return events;
};

const removeSession = async (query: Query, { sessionId, number }: SessionRow): Promise<void> => {
  const range = [toEventKey(number, 0), toEventKey(number, MAX_SEQ)];
  await query("DELETE FROM ~said WHERE id BETWEEN $1 AND $2", range);
  await query("DELETE FROM ~approvals WHERE event_id BETWEEN $1 AND $2", range);
  await query("DELETE FROM ~queued_turns WHERE event_id BETWEEN $1 AND $2", range);
  await query("DELETE FROM ~snapshots WHERE event_id BETWEEN $1 AND $2", range);
  await query("DELETE FROM ~messages WHERE id BETWEEN $1 AND $2", range);
  await query("DELETE FROM ~events WHERE id BETWEEN $1 AND $2", range);
  await query("DELETE FROM ~runs WHERE session_number = $1", [number]);
  await query("DELETE FROM ~names WHERE session_number = $1", [number]);
  await query("DELETE FROM ~artifacts WHERE session_id = $1", [toNameKey(sessionId)]);
  await query("DELETE FROM ~sessions WHERE number = $1", [number]);
};

const readOutdated = async (query: Query, retention: Retention): Promise<readonly SessionRow[]> => {
  const dated = await query("SELECT number, updated_at, status FROM ~sessions ORDER BY touch, number");
  const outdated = findOutdated(
    dated.map((row) => ({
      number: Number(row["number"]),
      updatedAt: fromColumnText(String(row["updated_at"])),
      status: String(row["status"]),
    })),
    retention,
  );
  // Who has gone on with one meanwhile keeps it.
  const rows = await query(
    "SELECT * FROM ~sessions WHERE number = ANY($1) AND status NOT IN ('pending', 'running') ORDER BY number FOR UPDATE",
    [outdated],
  );
  return fromSessionRows(query, rows);
};

/** The place of a cursor in the order of writing; what is none is before everything. */
const toTouch = (cursor: { readonly at: string } | undefined): number | null => {
  if (cursor === undefined) return null;
  const touch = Number(cursor.at);
  return Number.isSafeInteger(touch) ? touch : 0;
};
