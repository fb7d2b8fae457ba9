/** Connections to a PostgreSQL server: queries, transactions, and trying again when the server was away for a while. */
import { RetinueError } from "@retinue/protocol";
import { setTimeout as delay } from "node:timers/promises";
import type { ClientBase, ClientConfig, PoolClient } from "pg";
import { Pool, types as pgTypes } from "pg";
import { hurriedMs } from "../patience.ts";
import { destroySocket } from "./destroy-socket.ts";
import type { Listener } from "./listener.ts";
import { startListener } from "./listener.ts";
import { isCollision, isConnectionLost, isMute, toPostgresError } from "./postgres-errors.ts";

export type Row = Record<string, unknown>;

/** `~` in a statement stands for the store's schema. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export type Database = {
  /** One statement that only reads; made again on a new connection when the old one was lost. */
  readonly query: Query;
  /**
   * Runs `act` in a transaction, and again when the connection was lost or another transaction stood in its way. `settled`
   * tells, after a connection was lost while committing, what had been committed; undefined: nothing.
   */
  readonly transact: <T>(
    act: (query: Query) => Promise<T>,
    settled?: (query: Query) => Promise<T | undefined>,
    pace?: Pace,
    /** In place of the usual patience. */
    mostMs?: number,
  ) => Promise<T>;
  /** Reads from one state of the database. */
  readonly snapshot: <T>(act: (query: Query) => Promise<T>) => Promise<T>;
  /** Calls back with what is sent to a channel, and after a time in which something may have been missed. */
  readonly listen: (channel: string, heard: (payload: string) => void, missed: () => void) => Promise<void>;
  /** Whether the server has been away for a while, as far as is known. */
  readonly isAway: () => boolean;
  readonly close: () => Promise<void>;
};

/** `slow` statements go through all that is stored, and have longer to answer. */
export type Pace = "quick" | "slow";

export type DatabaseOptions = {
  readonly url: string;
  readonly schema: string;
  readonly maxConnections: number;
  /** How long to go on trying while the server is away. */
  readonly patienceMs: () => number;
  /** How long the server may take to answer a statement before its connection is given up. */
  readonly answerMs: number;
};

/** How much longer than others a slow statement may take. */
const SLOW = 20;
/** How often the connection that listens is asked whether it is still there, at most. */
const PING_MS = 10_000;
/** A server that was not reached for so long is away: before, a connection may only have been lost. */
const AWAY_MS = 500;
/** How long the connections have to say goodbye, and statements under way to come to their end, when the store is closed. */
const GOODBYE_MS = 1000;
const LAST_ANSWER_MS = 5000;

const INT8 = 20;
/** All integers of the store are below 2^53. */
const types = {
  // The type has overloads that no function can be inferred to have.
  getTypeParser: ((oid: number, format?: "text") =>
    oid === INT8 ? Number : pgTypes.getTypeParser(oid, format)) as typeof pgTypes.getTypeParser,
};

/** A failing connection fails the query that waits for it; that is enough. */
const ignore = (): void => {};

/** A statement cannot be sent in pieces, so the schema's name is part of it; it may hold nothing that would need quoting. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

export const openDatabase = (options: DatabaseOptions): Database => {
  const { url, schema, maxConnections, patienceMs, answerMs } = options;
  if (!SCHEMA.test(schema))
    throw new RetinueError("store_unreadable", `${JSON.stringify(schema)} is no name for a schema.`, {
      hint: "Use small letters, digits and _, 63 at most.",
    });
  const where = toWhere(url);
  const config: ClientConfig = {
    connectionString: url,
    types,
    application_name: "retinue",
    connectionTimeoutMillis: Math.min(10_000, answerMs),
    query_timeout: answerMs,
  };
  const connected = new Set<ClientBase>();
  const inUse = new Set<ClientBase>();
  const pool = new Pool({ ...config, max: maxConnections });
  // A connection that is lost while nobody uses it is replaced; who needs it next hears of it if it cannot be.
  pool.on("error", ignore);
  pool.on("connect", (client) => {
    connected.add(client);
    client.on("error", ignore);
  });
  pool.on("remove", (client) => connected.delete(client));

  let isClosed = false;
  const names = new Map<string, string>();
  const nameOf = (sql: string): string => {
    let name = names.get(sql);
    if (name === undefined) names.set(sql, (name = `s${names.size}`));
    return name;
  };
  const on =
    (client: ClientBase, pace: Pace = "quick"): Query =>
    async (sql, values = []) => {
      const statement = { name: nameOf(sql), text: sql.replaceAll("~", `${schema}.`), values: [...values] };
      const limit = { query_timeout: pace === "slow" ? SLOW * answerMs : answerMs };
      return (await client.query<Row>({ ...statement, ...limit })).rows;
    };
  const destroyIdle = (): void => {
    for (const client of connected) if (!inUse.has(client)) destroySocket(client);
  };

  /** With a connection of the pool; one that failed is not given back. */
  const withClient = async <T>(act: (client: PoolClient) => Promise<T>): Promise<T> => {
    if (isClosed) throw new RetinueError("store_unreadable", "The store was closed.", { hint: "Open it again." });
    const client = await pool.connect();
    inUse.add(client);
    let failed = false;
    try {
      return await act(client);
    } catch (error) {
      failed = isConnectionLost(error);
      if (isMute(error)) {
        // Those that lie idle are as mute, and each would have to be waited for.
        destroySocket(client);
        destroyIdle();
      }
      throw error;
    } finally {
      inUse.delete(client);
      client.release(failed);
    }
  };

  /** Since when no attempt has reached the server. */
  let awaySince: number | undefined;
  let isProbing = false;
  /** Nobody else may ask until the server is back. */
  const probe = (): void => {
    if (isProbing || isClosed) return;
    isProbing = true;
    void insisting(async () => withClient(async (client) => on(client)("SELECT 1")))
      .catch(ignore)
      .finally(() => (isProbing = false));
  };

  /** Again and again until it passes, the patience is at its end, or it fails for a reason of its own. */
  const insisting = async <T>(attempt: () => Promise<T>, mostMs = Infinity): Promise<T> => {
    const deadline = Date.now() + Math.min(patienceMs(), mostMs);
    for (let count = 0; ; count += 1) {
      try {
        const value = await attempt();
        awaySince = undefined;
        return value;
      } catch (error) {
        if (isConnectionLost(error)) awaySince ??= Date.now();
        else awaySince = undefined;
        const mayPass = isConnectionLost(error) || (isCollision(error) && count < 20);
        // A connection that died while it lay idle says nothing of the server: one more is tried, whatever the patience.
        const isStale = count === 0 && isConnectionLost(error) && !isMute(error);
        if (!mayPass || (Date.now() >= deadline && !isStale)) throw toPostgresError(error, where);
        await new Promise((resolve) => setTimeout(resolve, Math.min(500, 5 * 2 ** count) * (0.5 + Math.random())));
      }
    }
  };

  /** What only reads may be given up at any time: whoever is in a hurry does not wait for a connection that is being made. */
  const reading = async <T>(attempt: () => Promise<T>): Promise<T> => {
    const mostMs = hurriedMs();
    const read = insisting(attempt, mostMs);
    if (mostMs === undefined) return read;
    const given = new AbortController();
    const late = delay(mostMs, undefined, { signal: given.signal, ref: false }).then(() => {
      throw new RetinueError("store_failed", `The database server did not answer within ${mostMs / 1000} s: ${where}.`);
    });
    // Whichever of the two comes second is nobody's.
    for (const one of [read, late]) one.catch(ignore);
    return Promise.race([read, late]).finally(() => given.abort());
  };

  let listener: Listener | undefined;

  return {
    query: async (sql, values) => reading(async () => withClient(async (client) => on(client)(sql, values))),
    isAway: () => {
      const isSo = awaySince !== undefined && Date.now() - awaySince > AWAY_MS;
      if (isSo) probe();
      return isSo;
    },
    transact: async (act, settled, pace, mostMs = hurriedMs()) => {
      let isUncertain = false;
      return insisting(
        async () =>
          withClient(async (client) => {
            const query = on(client, pace);
            if (isUncertain && settled !== undefined) {
              const outcome = await settled(query);
              if (outcome !== undefined) return outcome;
            }
            isUncertain = false;
            await client.query("BEGIN");
            try {
              const value = await act(query);
              isUncertain = true;
              await client.query("COMMIT");
              return value;
            } catch (error) {
              if (!isConnectionLost(error)) {
                isUncertain = false;
                await client.query("ROLLBACK");
              }
              throw error;
            }
          }),
        mostMs,
      );
    },
    snapshot: async (act) =>
      reading(async () =>
        withClient(async (client) => {
          await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
          try {
            const value = await act(on(client, "slow"));
            await client.query("ROLLBACK");
            return value;
          } catch (error) {
            if (!isConnectionLost(error)) await client.query("ROLLBACK");
            throw error;
          }
        }),
      ),
    listen: async (channel, heard, missed) =>
      insisting(async () => {
        listener?.stop();
        listener = startListener({ config, channel, heard, missed, pingEveryMs: Math.min(PING_MS, answerMs) });
        await listener.started;
      }),
    close: async () => {
      isClosed = true;
      listener?.stop();
      const goodbye = setTimeout(destroyIdle, GOODBYE_MS);
      const last = setTimeout(() => connected.forEach(destroySocket), LAST_ANSWER_MS);
      // A connection that is being made to a server that does not answer ends by itself, and nobody waits for it.
      await Promise.race([pool.end(), delay(LAST_ANSWER_MS + GOODBYE_MS, undefined, { ref: false })]);
      clearTimeout(goodbye);
      clearTimeout(last);
    },
  };
};

/** The server and the database, without user and password. */
const toWhere = (url: string): string => {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
  } catch {
    return "the database";
  }
};
