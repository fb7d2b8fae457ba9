/**
 * The event log in a SQLite file: nothing to install, nothing to start, several processes on one file. Each append is
 * one place in a transaction that holds its events, the rows that follow from them and the check of its lease.
 */
import type { SessionId } from "@retinue/protocol";
import { isInput, RetinueError } from "@retinue/protocol";
import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { admitAlone, toAfterSeq, unknownRun } from "../admit.ts";
import { toArtifactRef } from "../artifact-ref.ts";
import { fromColumnText, toColumnText } from "../column-text.ts";
import type { EventLog } from "../contract.ts";
import type { HolderOptions } from "../holder.ts";
import { BEAT_EVERY_MS } from "../holder.ts";
import type { ReadSide } from "../read-side.ts";
import { toArtifactBytes } from "../stored-artifact.ts";
import { createWatchers } from "../watchers.ts";
import { readOpenApprovals } from "./approval-table.ts";
import { insertArtifact, readArtifact } from "./artifact-table.ts";
import { readEvents, readHead, readInputs, readRunEvents } from "./event-table.ts";
import { createFileCheck } from "./file-check.ts";
import { createFigureTable } from "./figure-table.ts";
import { createHolderTable } from "./holder-table.ts";
import type { Synchronous } from "./open-database.ts";
import { openAlone, openDatabase, openReader } from "./open-database.ts";
import { readFreeBytes } from "./free-room.ts";
import { leaveAtExit } from "./leave-at-exit.ts";
import { createRecorder } from "./recorder.ts";
import { createSearchIndex } from "./search-index.ts";
import { toFullError, toStoreError } from "./sqlite-errors.ts";
import { createSessionRemoval } from "./session-removal.ts";
import { createSqliteReadSide } from "./sqlite-read-side.ts";
import { readLatestRoot } from "./run-table.ts";
import { insertSnapshot, readSnapshot } from "./snapshot-table.ts";
import type { SpareRoom } from "./spare-room.ts";
import { createSpareRoom } from "./spare-room.ts";
import { createStatements } from "./statements.ts";
import { readQueuedTurns } from "./turn-table.ts";
import { createTouchedSessions } from "./touched-sessions.ts";
import { createWriteQueue } from "./write-queue.ts";

export type SqliteLogOptions = HolderOptions & {
  /** Of a file in a folder that exists. */
  readonly path: string;
  /** `NORMAL` by default: a killed process loses nothing. `FULL`: nor does a power cut. */
  readonly synchronous?: Synchronous;
  /** How long another process may hold the file before a write fails with `store_busy`; 30 s by default. */
  readonly busyMs?: number;
  /** Where the disk is full, the room that is kept beside the store is used to open it: for those who look, or remove. */
  readonly mayUseSpare?: boolean;
};

export type SqliteLog = EventLog & { readonly readSide: ReadSide };

/** How often the file is looked at for what other processes appended, while somebody watches. */
const LOOK_EVERY_MS = 20;
/** Sessions that are watched together are all looked at this often, where others write: deleted sessions can hide that one was touched. */
const SWEEP_EVERY_MS = 5_000;
/** The search index keeps up in pauses of this length … */
const PAUSE_MS = 250;
/** … a stretch at a time, … */
const STRETCH = 256;
/** … and without a pause when it is this many events behind. */
const FAR_BEHIND = 16_384;

export const createSqliteLog = (options: SqliteLogOptions): SqliteLog => {
  const { path, synchronous = "NORMAL", busyMs = 30_000, mayUseSpare = false } = options;
  const spare = createSpareRoom(path);
  const hadWal = existsSync(`${path}-wal`);
  const open = (): Opened => ({ db: openDatabase({ path, synchronous }), isAlone: false });
  const alone = (): Opened => ({ db: openAlone({ path, synchronous }), isAlone: true });
  const { db, isAlone } = mayUseSpare
    ? unlessNoRoom(open, () => (spare.release() ? unlessNoRoom(open, alone) : alone()))
    : open();
  try {
    return createLogOn({ ...options, db, isAlone, busyMs, synchronous, spare, hadWal });
  } catch (error) {
    db.close();
    throw toStoreError(error, path);
  }
};

type Opened = { readonly db: DatabaseSync; readonly isAlone: boolean };

/** Where the other way fails too, the full disk is what is told. */
const unlessNoRoom = (open: () => Opened, otherwise: () => Opened): Opened => {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof RetinueError && error.code === "store_full")) throw error;
    try {
      return otherwise();
    } catch {
      throw error;
    }
  }
};

export type LogOnOptions = HolderOptions & {
  readonly db: DatabaseSync;
  /** The database was opened for this process alone, since there was no room beside it. */
  readonly isAlone?: boolean;
  readonly path: string;
  readonly busyMs: number;
  /** As the database was opened; `NORMAL` by default. */
  readonly synchronous?: Synchronous;
  readonly spare?: SpareRoom;
  /** Whether its write-ahead file was there before it was opened. */
  readonly hadWal?: boolean;
  /** How much may still be written to the disk; as the file system says by default. */
  readonly freeBytes?: () => number;
};

/** The log on a database that is open; it is the log's from then on. */
export const createLogOn = (options: LogOnOptions): SqliteLog => {
  const {
    db,
    isAlone = false,
    path,
    busyMs,
    synchronous,
    spare = createSpareRoom(path),
    hadWal = true,
    freeBytes = () => readFreeBytes(path),
  } = options;
  const statements = createStatements(db);
  const holders = createHolderTable(statements, options);
  // Who closes a store is not written down any more, and who was killed leaves the file.
  const lostWalOf = hadWal ? undefined : holders.named();
  const searchIndex = createSearchIndex(statements);
  const removal = createSessionRemoval(statements, searchIndex);
  const recorder = createRecorder({ statements, makingSession: removal.finish });
  const figures = createFigureTable(statements);
  const watchers = createWatchers();
  const seen = new Map<SessionId, number>();

  const dataVersion = statements("PRAGMA data_version");
  const readDataVersion = (): unknown => dataVersion.get()?.["data_version"];
  let writtenVersion = readDataVersion();

  const checkFile = createFileCheck(path);
  const queue = createWriteQueue({
    db,
    path,
    busyMs,
    isDurable: synchronous === "FULL",
    began: () => {
      checkFile();
      const version = readDataVersion();
      if (version !== writtenVersion) recorder.refresh();
      writtenVersion = version;
    },
    settling: recorder.settle,
    rolledBack: recorder.forget,
  });

  let closing: Promise<void> | undefined;
  const isClosing = (): boolean => closing !== undefined;
  const open = (): void => {
    if (isClosing()) throw new RetinueError("store_unreadable", `The store ${path} was closed.`, { hint: "Open it again." });
  };
  const reading = <T>(act: () => T): T => {
    open();
    try {
      return act();
    } catch (error) {
      throw toStoreError(error, path);
    }
  };

  /** Sessions that came to rest here and are to be counted. */
  const settled = new Set<SessionId>();
  const countSettled = async (): Promise<void> => {
    for (const sessionId of settled) {
      settled.delete(sessionId);
      await queue.write(() => figures.stale(sessionId).forEach(figures.count));
    }
  };

  let behind = 0;
  let pause: NodeJS.Timeout | undefined;
  const keepUp = async (): Promise<void> => {
    pause = undefined;
    try {
      while (behind > 0 && !isClosing()) {
        await queue.write(() => searchIndex.catchUp(STRETCH));
        behind = Math.max(0, behind - STRETCH);
      }
      if (!isClosing()) await countSettled();
    } catch {
      // Costs nothing: whoever searches tries again and is told.
    }
  };
  const fellBehind = (events: number): void => {
    behind += events;
    if (behind >= FAR_BEHIND && behind - events < FAR_BEHIND) void keepUp();
    else if (pause) pause.refresh();
    else pause = setTimeout(() => void keepUp(), PAUSE_MS).unref();
  };

  /** Outside the queue, which may never come to it: at the end of the process, and where a write of the queue failed. */
  const leaveNow = (): void => {
    try {
      if (db.isTransaction) db.exec("ROLLBACK");
      db.exec("BEGIN IMMEDIATE");
      holders.leave();
      db.exec("COMMIT");
    } catch {
      // Then the write-ahead file cannot be brought in either and stays, or another process has the store open.
    }
  };

  let heart: NodeJS.Timeout | undefined;
  let stayAtExit: (() => void) | undefined;
  let isNamedInFile = false;
  const beat = (): void => {
    // One that is missed costs nothing: the next one comes soon, and what was taken over meanwhile is fenced by its epoch.
    queue.write(holders.beat).catch(() => {});
    // Once, so that the store's file says that it is open: without its write-ahead file it is then known to be incomplete.
    if (!isNamedInFile)
      queue
        .drain()
        .then(() => db.exec("PRAGMA wal_checkpoint(PASSIVE)"))
        .catch(() => {});
    isNamedInFile = true;
  };

  const forgetDead = async (): Promise<void> => {
    if (holders.hasDead()) await queue.write(holders.forgetDead);
  };

  let look: NodeJS.Timeout | undefined;
  let lookedVersion: unknown;
  const touched = createTouchedSessions(statements);
  let sweptAt = 0;
  const stopLooking = (): void => {
    clearInterval(look);
    look = undefined;
    lookedVersion = undefined;
  };
  const lookTogether = (): void => {
    const changed = touched.sinceLast();
    const isSweep = changed === null || performance.now() - sweptAt > SWEEP_EVERY_MS;
    if (isSweep) sweptAt = performance.now();
    for (const sessionId of new Set([...(changed ?? []), ...(isSweep ? watchers.together() : [])])) watchers.wakeAny(sessionId);
  };
  const lookForOthers = (): void => {
    try {
      const version = readDataVersion();
      if (version === lookedVersion) return;
      lookedVersion = version;
      for (const sessionId of watchers.sessions()) {
        const seq = readHead(statements, sessionId)?.headSeq ?? 0;
        if (seq > (seen.get(sessionId) ?? 0)) {
          seen.set(sessionId, seq);
          watchers.wake(sessionId, true);
        }
      }
      lookTogether();
    } catch {
      // Whoever watches hears of it when it reads.
      for (const sessionId of watchers.sessions()) watchers.wake(sessionId, true);
      for (const sessionId of watchers.together()) watchers.wakeAny(sessionId);
    }
  };
  const startLooking = (): void => {
    lookedVersion ??= readDataVersion();
    look ??= setInterval(lookForOthers, LOOK_EVERY_MS).unref();
  };

  const watchWith = (add: typeof watchers.watch): EventLog["watch"] => {
    return (sessionId, wake) => {
      open();
      seen.set(sessionId, seen.get(sessionId) ?? readHead(statements, sessionId)?.headSeq ?? 0);
      startLooking();
      const stop = add(sessionId, wake);
      return () => {
        stop();
        if (!watchers.has(sessionId)) seen.delete(sessionId);
        if (watchers.size() === 0) stopLooking();
      };
    };
  };

  return {
    append: async (drafts, lease, { durable = false } = {}) => {
      open();
      const sessionId = drafts[0]?.sessionId;
      if (sessionId === undefined) return [];
      return queue.write(() => recorder.record(sessionId, drafts, lease?.runId), {
        defers: true,
        failed: (error) => toFullError(error, sessionId),
        line: sessionId,
        durable,
        check: () => admitAlone(recorder.known, drafts, lease),
        committed: (events) => {
          fellBehind(events.length);
          if (events.some(({ type, parentRunId }) => type === "run.settled" && parentRunId === null)) settled.add(sessionId);
          const known = seen.get(sessionId);
          const [first, last] = [events[0], events.at(-1)];
          if (last && known !== undefined) seen.set(sessionId, Math.max(known, last.seq));
          // A number that was skipped is somebody else's event.
          const isOthers = first !== undefined && known !== undefined && first.seq > known + 1;
          watchers.wake(sessionId, isOthers || drafts.some(isInput));
        },
      });
    },
    lease: async (runId, { onlyIfFree = false } = {}) => {
      open();
      const take = (): number | undefined => {
        const epoch = recorder.takeOver(runId);
        if (epoch !== undefined) holders.take(runId);
        return epoch;
      };
      const epoch = await queue.write(take, onlyIfFree ? { check: () => holders.refuseHeld(runId) } : {});
      if (epoch === undefined) throw unknownRun(runId);
      if (!isClosing()) {
        heart ??= setInterval(beat, BEAT_EVERY_MS).unref();
        stayAtExit ??= leaveAtExit(leaveNow);
      }
      return { runId, epoch };
    },
    release: async ({ runId, epoch }) => {
      open();
      return queue.write(() => {
        statements("UPDATE runs SET holder = NULL WHERE run_id = ? AND epoch = ?").run(toColumnText(runId), epoch);
      });
    },
    holder: (runId) => reading(() => holders.of(runId)),
    revoke: async (sessionId) => {
      open();
      return queue.write(() => {
        recorder.revoke(sessionId);
        holders.release(sessionId);
      });
    },
    read: (sessionId, afterSeq, limit) =>
      reading(() => readEvents(statements, { sessionId, afterSeq: toAfterSeq(afterSeq), limit })),
    readRuns: (sessionId, runIds, afterSeq) =>
      reading(() => readRunEvents(statements, { sessionId, runIds, afterSeq: toAfterSeq(afterSeq) })),
    inputs: (runId, afterSeq) => reading(() => readInputs(statements, runId, toAfterSeq(afterSeq))),
    approvals: (query = {}) => reading(() => readOpenApprovals(statements, query)),
    queuedTurns: (query = {}) => reading(() => readQueuedTurns(statements, query)),
    latestRoot: (sessionId) => reading(() => readLatestRoot(statements, sessionId)),
    writeSnapshot: async (snapshot) => {
      open();
      return queue.write(() => insertSnapshot(statements, snapshot));
    },
    readSnapshot: (runId, format) => reading(() => readSnapshot(statements, runId, format)),
    sessionOf: (runId) =>
      reading(() => {
        const row = statements(
          "SELECT s.session_id FROM runs r JOIN sessions s ON s.number = r.session_number WHERE r.run_id = ?",
        ).get(toColumnText(runId));
        return row === undefined ? undefined : (fromColumnText(String(row["session_id"])) as SessionId);
      }),
    watch: watchWith(watchers.watch),
    watchAny: (sessions, wake) => {
      open();
      touched.mark();
      startLooking();
      const stop = watchers.watchAny(sessions, wake);
      return () => {
        stop();
        if (watchers.size() === 0) stopLooking();
      };
    },
    watchInputs: watchWith(watchers.watchInputs),
    writeArtifact: async (sessionId, data, mediaType) => {
      open();
      const ref = toArtifactRef(data, mediaType);
      return queue.write(() => {
        removal.finish(sessionId);
        insertArtifact(statements, sessionId, { artifactId: ref.artifactId, data, mediaType: mediaType ?? null });
        return ref;
      });
    },
    readArtifact: (sessionId, artifactId) =>
      reading(() => {
        const data = readArtifact(statements, sessionId, artifactId)?.data;
        return typeof data === "string" ? data : undefined;
      }),
    readArtifactBytes: (sessionId, artifactId) =>
      reading(() => {
        const artifact = readArtifact(statements, sessionId, artifactId);
        return artifact === undefined ? undefined : toArtifactBytes(artifact);
      }),
    close: () =>
      (closing ??= (async () => {
        stopLooking();
        clearInterval(heart);
        clearTimeout(pause);
        watchers.clear();
        stayAtExit?.();
        // Where it cannot be written any more, the end of the process says it too.
        if (heart) await queue.write(holders.leave).catch(leaveNow);
        // Their write-ahead file was there, and is brought into the store's now.
        if (hadWal) await forgetDead().catch(() => {});
        // Index and figures may stay behind, on a full disk for one: who asks for them next brings them up to date.
        if (behind > 0) await queue.write(() => searchIndex.catchUp(FAR_BEHIND)).catch(() => {});
        await countSettled().catch(() => {});
        await queue.drain();
        db.close();
        spare.keep();
      })()),
    readSide: createSqliteReadSide({
      db,
      path,
      statements,
      searchIndex,
      removal,
      figures,
      queue,
      spare,
      freeBytes,
      lostWalOf,
      holdersOf: holders.ofSessions,
      refuseHeldSession: holders.refuseHeldSession,
      recorder,
      // A second connection would wait for the first one for ever.
      openReader: isAlone ? undefined : () => openReader(path),
      isAlone,
      open,
    }),
  };
};
