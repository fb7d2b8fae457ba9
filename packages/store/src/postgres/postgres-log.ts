/** The event log in a PostgreSQL database, for many processes on many machines. Same contract, same rows, same chain. */
import type { RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { hash, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { toAfterSeq, unknownRun } from "../admit.ts";
import { toArtifactRef } from "../artifact-ref.ts";
import type { EventLog } from "../contract.ts";
import type { HolderOptions } from "../holder.ts";
import { BEAT_EVERY_MS } from "../holder.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import type { ReadSide } from "../read-side.ts";
import { toArtifactBytes } from "../stored-artifact.ts";
import { collectEvents, toWalkFrom } from "../walk-chain.ts";
import { createWatchers } from "../watchers.ts";
import { readOpenApprovals } from "./approval-rows.ts";
import { insertArtifact, readArtifact } from "./artifact-rows.ts";
import type { Query } from "./database.ts";
import { openDatabase } from "./database.ts";
import { createHolderRows } from "./holder-rows.ts";
import { migrate } from "./migrate.ts";
import { fromNameKey, toNameKey } from "./name-key.ts";
import { createPostgresReadSide } from "./postgres-read-side.ts";
import { readLongNames, toSeq } from "./postgres-rows.ts";
import { readInputs, readLatestRoot, readRunEvents } from "./run-events.ts";
import type { PostgresMigration } from "./schema.ts";
import { POSTGRES_MIGRATIONS } from "./schema.ts";
import { createSessionWriter } from "./session-writer.ts";
import { insertSnapshot, readSnapshot } from "./snapshot-rows.ts";
import { readQueuedTurns } from "./turn-rows.ts";

export type PostgresLogOptions = HolderOptions & {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Where the tables are; made if it is not there. `retinue` by default. */
  readonly schema?: string;
  /** 10 by default, and one that listens. */
  readonly maxConnections?: number;
  /** How long to go on trying while the server is away; 30 s by default. */
  readonly patienceMs?: number;
  /** The same while the store is opened; as long as afterwards by default. */
  readonly openPatienceMs?: number;
  /** How long the server may take to answer a statement; 30 s by default, and longer for what goes through all that is stored. */
  readonly answerMs?: number;
  readonly migrations?: readonly PostgresMigration[];
};

export type PostgresLog = EventLog & { readonly readSide: ReadSide };

/** How long a store that is closed waits to be able to say that it holds nothing any more. */
const LEAVE_MS = 2000;

/** A notification is short, a session's name may be long. */
const topicOf = (sessionId: SessionId): string => hash("sha256", JSON.stringify(sessionId)).slice(0, 32);

export const createPostgresLog = async (options: PostgresLogOptions): Promise<PostgresLog> => {
  const { url, schema = "retinue", maxConnections = 10, patienceMs = 30_000, answerMs = 30_000 } = options;
  const { migrations = POSTGRES_MIGRATIONS } = options;
  let isOpen = false;
  const db = openDatabase({
    url,
    schema,
    maxConnections,
    answerMs,
    patienceMs: () => (isOpen ? patienceMs : (options.openPatienceMs ?? patienceMs)),
  });
  const watchers = createWatchers();
  const self = randomUUID();
  const holders = createHolderRows(options);
  let heart: NodeJS.Timeout | undefined;
  const channel = `${schema}_events`.slice(0, 63);
  try {
    await migrate(db, schema, migrations);
    await db.listen(
      channel,
      (payload) => {
        const [sender, topic] = payload.split(" ");
        if (sender === self) return;
        for (const sessionId of watchers.sessions()) if (topicOf(sessionId) === topic) watchers.wake(sessionId, true);
        for (const sessionId of watchers.together()) if (topicOf(sessionId) === topic) watchers.wakeAny(sessionId);
      },
      () => {
        for (const sessionId of watchers.sessions()) watchers.wake(sessionId, true);
        for (const sessionId of watchers.together()) watchers.wakeAny(sessionId);
      },
    );
    isOpen = true;
  } catch (error) {
    await db.close();
    throw error;
  }

  const writer = createSessionWriter({
    db,
    channel,
    announcementOf: (sessionId) => `${self} ${topicOf(sessionId)}`,
    committed: watchers.wake,
  });

  let closing: Promise<void> | undefined;
  const open = (): void => {
    if (closing) throw new RetinueError("store_unreadable", "The store was closed.", { hint: "Open it again." });
  };

  return {
    append: async (drafts, lease, appendOptions = {}) => {
      open();
      return writer.append(drafts, lease, appendOptions);
    },
    lease: async (runId, { onlyIfFree = false } = {}) => {
      open();
      const epoch = await db.transact(async (query) => {
        if (!(await lockSession(query, runId))) return undefined;
        if (onlyIfFree) await holders.refuseHeld(query, runId);
        return holders.take(query, runId);
      });
      if (epoch === undefined) throw unknownRun(runId);
      // One beat that is missed costs nothing: the next one comes soon, and what was taken over meanwhile is fenced by its epoch.
      if (!closing) heart ??= setInterval(() => void db.transact(holders.beat).catch(() => {}), BEAT_EVERY_MS).unref();
      const lease = { runId, epoch };
      writer.tookOver(lease);
      return lease;
    },
    release: async ({ runId, epoch }) => {
      open();
      await db.transact(async (query) => {
        await query("UPDATE ~runs SET holder = NULL WHERE run_id = $1 AND epoch = $2", [toNameKey(runId), epoch]);
      });
    },
    holder: async (runId) => {
      open();
      return holders.of(db.query, runId);
    },
    revoke: async (sessionId) => {
      open();
      await db.transact(async (query) => {
        const [session] = await query("SELECT number FROM ~sessions WHERE session_id = $1 FOR UPDATE", [toNameKey(sessionId)]);
        if (session !== undefined)
          await query("UPDATE ~runs SET epoch = epoch + 1, holder = NULL WHERE session_number = $1", [session["number"]]);
      });
    },
    read: async (sessionId, after, limit = MAX_SEQ) => {
      open();
      const afterSeq = toAfterSeq(after);
      const [row] = await db.query("SELECT number, head_seq, head_hash FROM ~sessions WHERE session_id = $1", [
        toNameKey(sessionId),
      ]);
      if (row === undefined || afterSeq >= Number(row["head_seq"])) return [];
      const head = { number: Number(row["number"]), headSeq: Number(row["head_seq"]), headHash: String(row["head_hash"]) };
      const rows = await db.query("SELECT id, body, hash FROM ~events WHERE id BETWEEN $1 AND $2 ORDER BY id", [
        toEventKey(head.number, toWalkFrom(afterSeq)),
        toEventKey(head.number, Math.min(MAX_SEQ, afterSeq + limit)),
      ]);
      return collectEvents(
        rows.map((event) => ({ seq: toSeq(event["id"]), body: String(event["body"]), hash: String(event["hash"]) })),
        head,
        { sessionId, afterSeq, limit },
      );
    },
    readRuns: async (sessionId, runIds, afterSeq) => {
      open();
      return readRunEvents(db.query, { sessionId, runIds, afterSeq: toAfterSeq(afterSeq) });
    },
    inputs: async (runId, afterSeq) => {
      open();
      return readInputs(db.query, runId, toAfterSeq(afterSeq));
    },
    approvals: async (query = {}) => {
      open();
      return readOpenApprovals(db.query, query);
    },
    queuedTurns: async (query = {}) => {
      open();
      return readQueuedTurns(db.query, query);
    },
    latestRoot: async (sessionId) => {
      open();
      return readLatestRoot(db.query, sessionId);
    },
    writeSnapshot: async (snapshot) => {
      open();
      return db.transact(async (query) => insertSnapshot(query, snapshot));
    },
    readSnapshot: async (runId, format) => {
      open();
      return readSnapshot(db.query, runId, format);
    },
    sessionOf: async (runId) => {
      open();
      const rows = await db.query(
        "SELECT s.session_id FROM ~runs r JOIN ~sessions s ON s.number = r.session_number WHERE r.run_id = $1",
        [toNameKey(runId)],
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      return fromNameKey(String(row["session_id"]), await readLongNames(db.query, rows)) as SessionId;
    },
    watch: (sessionId, wake) => {
      open();
      return watchers.watch(sessionId, wake);
    },
    watchAny: (sessions, wake) => {
      open();
      return watchers.watchAny(sessions, wake);
    },
    watchInputs: (sessionId, wake) => {
      open();
      return watchers.watchInputs(sessionId, wake);
    },
    writeArtifact: async (sessionId, data, mediaType) => {
      open();
      const ref = toArtifactRef(data, mediaType);
      const artifact = { artifactId: ref.artifactId, data, mediaType: mediaType ?? null };
      await db.transact(async (query) => insertArtifact(query, sessionId, artifact));
      return ref;
    },
    readArtifact: async (sessionId, artifactId) => {
      open();
      const data = (await readArtifact(db.query, sessionId, artifactId))?.data;
      return typeof data === "string" ? data : undefined;
    },
    readArtifactBytes: async (sessionId, artifactId) => {
      open();
      const artifact = await readArtifact(db.query, sessionId, artifactId);
      return artifact === undefined ? undefined : toArtifactBytes(artifact);
    },
    isAway: db.isAway,
    close: () => {
      watchers.clear();
      clearInterval(heart);
      return (closing ??= (async () => {
        // Where it cannot be written any more, silence says it too.
        if (heart) await Promise.race([db.transact(holders.leave).catch(() => {}), delay(LEAVE_MS, undefined, { ref: false })]);
        await db.close();
      })());
    },
    readSide: createPostgresReadSide({
      db,
      open,
      importSession: writer.importSession,
      holdersOf: (sessionIds) => holders.ofSessions(db.query, sessionIds),
      refuseHeldSession: holders.refuseHeldSession,
    }),
  };
};

/** Waits for whoever is writing to the session, so that nothing is written under the old epoch afterwards. False: no such run. */
const lockSession = async (query: Query, runId: RunId): Promise<boolean> => {
  const locked = await query(
    "SELECT s.number FROM ~sessions s JOIN ~runs r ON r.session_number = s.number WHERE r.run_id = $1 FOR UPDATE OF s",
    [toNameKey(runId)],
  );
  return locked.length > 0;
};
