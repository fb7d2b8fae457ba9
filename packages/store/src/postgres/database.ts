/** Connections to a PostgreSQL server: queries, transactions, and trying again when the server was away for a while. */
import { RetinueError } from "@retinue/protocol";
import type { ClientBase, ClientConfig, PoolClient } from "pg";
import { Client, Pool, types as pgTypes } from "pg";
import { isCollision, isConnectionLost, toPostgresError } from "./postgres-errors.ts";

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
  readonly transact: <T>(act: (query: Query) => Promise<T>, settled?: (query: Query) => Promise<T | undefined>) => Promise<T>;
  /** Reads from one state of the database. */
  readonly snapshot: <T>(act: (query: Query) => Promise<T>) => Promise<T>;
  /** Calls back with what is sent to a channel, and after a time in which something may have been missed. */
  readonly listen: (channel: string, heard: (payload: string) => void, missed: () => void) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type DatabaseOptions = {
  readonly url: string;
  readonly schema: string;
  readonly maxConnections: number;
  /** How long to go on trying while the server is away. */
  readonly patienceMs: () => number;
};

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

export const openDatabase = ({ url, schema, maxConnections, patienceMs }: DatabaseOptions): Database => {
  if (!SCHEMA.test(schema))
    throw new RetinueError("store_unreadable", `${JSON.stringify(schema)} is no name for a schema.`, {
      hint: "Use small letters, digits and _, 63 at most.",
    });
  const where = toWhere(url);
  const config: ClientConfig = { connectionString: url, types, application_name: "retinue", connectionTimeoutMillis: 10_000 };
  const pool = new Pool({ ...config, max: maxConnections });
  // A connection that is lost while nobody uses it is replaced; who needs it next hears of it if it cannot be.
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));

  let isClosed = false;
  const names = new Map<string, string>();
  const nameOf = (sql: string): string => {
    let name = names.get(sql);
    if (name === undefined) names.set(sql, (name = `s${names.size}`));
    return name;
  };
  const on =
    (client: ClientBase): Query =>
    async (sql, values = []) => {
      const result = await client.query<Row>({ name: nameOf(sql), text: sql.replaceAll("~", `${schema}.`), values: [...values] });
      return result.rows;
    };

  /** With a connection of the pool; one that failed is not given back. */
  const withClient = async <T>(act: (client: PoolClient) => Promise<T>): Promise<T> => {
    if (isClosed) throw new RetinueError("store_unreadable", "The store was closed.", { hint: "Open it again." });
    const client = await pool.connect();
    let failed = false;
    try {
      return await act(client);
    } catch (error) {
      failed = isConnectionLost(error);
      throw error;
    } finally {
      client.release(failed);
    }
  };

  /** Again and again until it passes, the patience is at its end, or it fails for a reason of its own. */
  const insisting = async <T>(attempt: () => Promise<T>): Promise<T> => {
    const deadline = Date.now() + patienceMs();
    for (let count = 0; ; count += 1) {
      try {
        return await attempt();
      } catch (error) {
        const mayPass = isConnectionLost(error) || (isCollision(error) && count < 20);
        if (!mayPass || Date.now() >= deadline) throw toPostgresError(error, where);
        await new Promise((resolve) => setTimeout(resolve, Math.min(500, 5 * 2 ** count) * (0.5 + Math.random())));
      }
    }
  };

  let listener: Client | undefined;
  const listen: Database["listen"] = async (channel, heard, missed) => {
    const client = new Client(config);
    const again = (): void => {
      if (isClosed || listener !== client) return;
      listener = undefined;
      setTimeout(() => {
        if (isClosed) return;
        listen(channel, heard, missed).then(missed, again);
      }, 200).unref();
    };
    listener = client;
    client.on("error", again);
    client.on("end", again);
    client.on("notification", ({ payload }) => heard(payload ?? ""));
    await client.connect();
    await client.query(`LISTEN ${channel}`);
  };

  return {
    query: async (sql, values) => insisting(async () => withClient(async (client) => on(client)(sql, values))),
    transact: async (act, settled) => {
      let isUncertain = false;
      return insisting(async () =>
        withClient(async (client) => {
          const query = on(client);
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
      );
    },
    snapshot: async (act) =>
      insisting(async () =>
        withClient(async (client) => {
          await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
          try {
            return await act(on(client));
          } finally {
            await client.query("ROLLBACK");
          }
        }),
      ),
    listen: async (channel, heard, missed) => {
      try {
        await insisting(async () => listen(channel, heard, missed));
      } catch (error) {
        throw toPostgresError(error, where);
      }
    },
    close: async () => {
      isClosed = true;
      await listener?.end();
      await pool.end();
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
