/** Who holds which run, in SQLite. Everything that writes happens inside a transaction that the caller opened. */
import type { RunId, SessionId } from "@retinue/protocol";
import { randomUUID } from "node:crypto";
import type { SQLOutputValue } from "node:sqlite";
import { fromColumnText, toColumnText } from "../column-text.ts";
import type { Holder, HolderOptions } from "../holder.ts";
import { FORGET_MS, heldError, isLiving, SILENCE_MS } from "../holder.ts";
import { thisProcess } from "../process-identity.ts";
import type { Statements } from "./statements.ts";

export type HolderTable = {
  /** The living holder of a run that has not settled. */
  readonly of: (runId: RunId) => Holder | undefined;
  /** Of the latest main runs of these sessions. */
  readonly ofSessions: (sessionIds: readonly SessionId[]) => ReadonlyMap<SessionId, Holder>;
  /** Throws `session_running` where another holds it and lives. */
  readonly refuseHeld: (runId: RunId) => void;
  /** Throws `session_running` where anybody who lives holds a run of the session, we ourselves too. */
  readonly refuseHeldSession: (sessionId: SessionId) => void;
  /** The run is ours from now on. */
  readonly take: (runId: RunId) => void;
  /** Nobody holds a run of the session any more. */
  readonly release: (sessionId: SessionId) => void;
  /** Says that we live. */
  readonly beat: () => void;
  /** Who is written down as having the store open, living or not; a store that was closed names nobody. */
  readonly named: () => Pick<Holder, "host" | "pid"> | undefined;
  /** Whether somebody is written down who does not live any more. */
  readonly hasDead: () => boolean;
  readonly forgetDead: () => void;
  /** We are gone, and hold nothing. */
  readonly leave: () => void;
};

type Row = Record<string, SQLOutputValue>;

const SELECT = `SELECT r.held_since, h.holder, h.host, h.space, h.pid, h.started, h.beat_at, s.session_id
  FROM runs r JOIN holders h ON h.holder = r.holder JOIN messages m ON m.id = r.message_id JOIN sessions s ON s.number = r.session_number`;

const toName = (row: Row) => ({ host: fromColumnText(String(row["host"])), pid: Number(row["pid"]) });

export const createHolderTable = (
  statements: Statements,
  { self = thisProcess(), silenceMs = SILENCE_MS }: HolderOptions,
): HolderTable => {
  const id = randomUUID();

  const lives = (row: Row): boolean => {
    const identity = { ...toName(row), space: String(row["space"]), started: String(row["started"]) };
    return row["holder"] === id || isLiving(identity, Date.now() - Number(row["beat_at"]), silenceMs);
  };
  const toHolder = (row: Row | undefined): Holder | undefined =>
    row === undefined || !lives(row)
      ? undefined
      : { ...toName(row), since: String(row["held_since"]), isSelf: row["holder"] === id };
  const dead = (): readonly Row[] =>
    statements("SELECT * FROM holders")
      .all()
      .filter((row) => !lives(row));
  const readRow = (runId: RunId) =>
    statements(`${SELECT} WHERE r.run_id = ? AND m.status IN ('pending', 'running')`).get(toColumnText(runId));

  const beat = (): void => {
    statements(
      `INSERT INTO holders (holder, host, space, pid, started, beat_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (holder) DO UPDATE SET beat_at = excluded.beat_at`,
    ).run(id, toColumnText(self.host), self.space, self.pid, self.started, Date.now());
  };

  return {
    of: (runId) => toHolder(readRow(runId)),
    ofSessions: (sessionIds) => {
      const holders = new Map<SessionId, Holder>();
      const latest = statements(
        `${SELECT} WHERE s.session_id = ? AND s.status IN ('pending', 'running') AND m.agent_depth = 0
           AND m.status IN ('pending', 'running') ORDER BY m.id DESC LIMIT 1`,
      );
      for (const sessionId of sessionIds) {
        const holder = toHolder(latest.get(toColumnText(sessionId)));
        if (holder !== undefined) holders.set(sessionId, holder);
      }
      return holders;
    },
    refuseHeld: (runId) => {
      const row = readRow(runId);
      const holder = toHolder(row);
      if (row !== undefined && holder !== undefined && !holder.isSelf)
        throw heldError(fromColumnText(String(row["session_id"])) as SessionId, holder);
    },
    refuseHeldSession: (sessionId) => {
      const rows = statements(`${SELECT} WHERE s.session_id = ? AND m.status IN ('pending', 'running')`).all(
        toColumnText(sessionId),
      );
      for (const row of rows) {
        const holder = toHolder(row);
        if (holder !== undefined) throw heldError(sessionId, holder);
      }
    },
    take: (runId) => {
      if (statements("SELECT 1 FROM holders WHERE holder = ?").get(id) === undefined) {
        statements("DELETE FROM holders WHERE beat_at < ?").run(Date.now() - FORGET_MS);
        beat();
      }
      statements("UPDATE runs SET holder = ?, held_since = ? WHERE run_id = ?").run(
        id,
        new Date().toISOString(),
        toColumnText(runId),
      );
    },
    release: (sessionId) => {
      statements("UPDATE runs SET holder = NULL WHERE session_number = (SELECT number FROM sessions WHERE session_id = ?)").run(
        toColumnText(sessionId),
      );
    },
    beat,
    named: () => {
      const row = statements("SELECT host, pid FROM holders LIMIT 1").get();
      return row && toName(row);
    },
    hasDead: () => dead().length > 0,
    forgetDead: () => {
      for (const { holder } of dead()) statements("DELETE FROM holders WHERE holder = ?").run(holder ?? null);
    },
    leave: () => void statements("DELETE FROM holders WHERE holder = ?").run(id),
  };
};
