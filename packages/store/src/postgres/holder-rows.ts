/** Who holds which run, in PostgreSQL. What writes happens inside a transaction that the caller opened. */
import type { RunId, SessionId } from "@retinue/protocol";
import { randomUUID } from "node:crypto";
import { fromColumnText, toColumnText } from "../column-text.ts";
import type { Holder, HolderOptions } from "../holder.ts";
import { FORGET_MS, heldError, isLiving, SILENCE_MS } from "../holder.ts";
import { thisProcess } from "../process-identity.ts";
import type { Query, Row } from "./database.ts";
import { fromNameKey, toNameKey } from "./name-key.ts";
import { readLongNames } from "./postgres-rows.ts";

export type HolderRows = {
  /** The living holder of a run that has not settled. */
  readonly of: (query: Query, runId: RunId) => Promise<Holder | undefined>;
  /** Of the latest main runs of these sessions. */
  readonly ofSessions: (query: Query, sessionIds: readonly SessionId[]) => Promise<ReadonlyMap<SessionId, Holder>>;
  /** Throws `session_running` where another holds it and lives. */
  readonly refuseHeld: (query: Query, runId: RunId) => Promise<void>;
  /** Throws `session_running` where anybody who lives holds a run of the session, we ourselves too. */
  readonly refuseHeldSession: (query: Query, sessionId: SessionId) => Promise<void>;
  /** The run is ours from now on; gives its new epoch. */
  readonly take: (query: Query, runId: RunId) => Promise<number | undefined>;
  /** Says that we live. */
  readonly beat: (query: Query) => Promise<void>;
  /** We are gone, and hold nothing. */
  readonly leave: (query: Query) => Promise<void>;
};

const COLUMNS = `r.held_since, h.holder, h.host, h.space, h.pid, h.started, s.session_id,
    (extract(epoch FROM clock_timestamp() - h.beat_at) * 1000)::bigint AS silent_ms`;
const FROM = `FROM ~runs r JOIN ~holders h ON h.holder = r.holder JOIN ~messages m ON m.id = r.message_id
    JOIN ~sessions s ON s.number = r.session_number`;

const readRows = async (query: Query, runId: RunId): Promise<readonly Row[]> =>
  query(`SELECT ${COLUMNS} ${FROM} WHERE r.run_id = $1 AND m.status IN ('pending', 'running')`, [toNameKey(runId)]);

export const createHolderRows = ({ self = thisProcess(), silenceMs = SILENCE_MS }: HolderOptions): HolderRows => {
  const id = randomUUID();

  const toHolder = (row: Row | undefined): Holder | undefined => {
    if (row === undefined) return undefined;
    const host = fromColumnText(String(row["host"]));
    const pid = Number(row["pid"]);
    const isSelf = row["holder"] === id;
    const identity = { host, pid, space: String(row["space"]), started: String(row["started"]) };
    if (!isSelf && !isLiving(identity, Number(row["silent_ms"]), silenceMs)) return undefined;
    return { host, pid, since: String(row["held_since"]), isSelf };
  };

  const beat = async (query: Query): Promise<void> => {
    await query(
      `INSERT INTO ~holders (holder, host, space, pid, started, beat_at) VALUES ($1, $2, $3, $4, $5, clock_timestamp())
       ON CONFLICT (holder) DO UPDATE SET beat_at = excluded.beat_at`,
      [id, toColumnText(self.host), self.space, self.pid, self.started],
    );
  };

  return {
    of: async (query, runId) => toHolder((await readRows(query, runId))[0]),
    ofSessions: async (query, sessionIds) => {
      const holders = new Map<SessionId, Holder>();
      const byKey = new Map(sessionIds.map((sessionId) => [toNameKey(sessionId), sessionId]));
      const rows = await query(
        `SELECT DISTINCT ON (s.session_id) ${COLUMNS} ${FROM} WHERE s.session_id = ANY($1) AND s.status IN ('pending', 'running')
           AND m.agent_depth = 0 AND m.status IN ('pending', 'running') ORDER BY s.session_id, m.id DESC`,
        [[...byKey.keys()]],
      );
      for (const row of rows) {
        const sessionId = byKey.get(String(row["session_id"]));
        const holder = toHolder(row);
        if (sessionId !== undefined && holder !== undefined) holders.set(sessionId, holder);
      }
      return holders;
    },
    refuseHeld: async (query, runId) => {
      const rows = await readRows(query, runId);
      const [row] = rows;
      const holder = toHolder(row);
      if (row === undefined || holder === undefined || holder.isSelf) return;
      throw heldError(fromNameKey(String(row["session_id"]), await readLongNames(query, rows)) as SessionId, holder);
    },
    refuseHeldSession: async (query, sessionId) => {
      const rows = await query(`SELECT ${COLUMNS} ${FROM} WHERE s.session_id = $1 AND m.status IN ('pending', 'running')`, [
        toNameKey(sessionId),
      ]);
      for (const row of rows) {
        const holder = toHolder(row);
        if (holder !== undefined) throw heldError(sessionId, holder);
      }
    },
    take: async (query, runId) => {
      const known = await query("SELECT 1 FROM ~holders WHERE holder = $1", [id]);
      if (known.length === 0) {
        await query(`DELETE FROM ~holders WHERE beat_at < clock_timestamp() - $1 * interval '1 millisecond'`, [FORGET_MS]);
        await beat(query);
      }
      const [row] = await query(
        "UPDATE ~runs SET epoch = epoch + 1, holder = $2, held_since = $3 WHERE run_id = $1 RETURNING epoch",
        [toNameKey(runId), id, new Date().toISOString()],
      );
      return row === undefined ? undefined : Number(row["epoch"]);
    },
    beat,
    leave: async (query) => {
      await query("DELETE FROM ~holders WHERE holder = $1", [id]);
    },
  };
};
