/**
 * Runs one reading statement on a PostgreSQL server: alone in a read-only transaction that is always rolled back, over a connection that
 * is made for it and closed after it. Rows are fetched by a cursor, so that no more come than are wanted.
 */
import { Socket } from "node:net";
import { RetinueError } from "@retinue/protocol";
import type { Client, QueryArrayConfig, QueryArrayResult } from "pg";
import { codeOf } from "@retinue/confine";
import { judgeSql, refuse } from "./judge-sql.ts";
import type { Query, QueryResult } from "./query-result.ts";
import { createRowCollector } from "./query-result.ts";

/** Of all that the server may send for one query; a single value can be a gigabyte. */
const MAX_RECEIVED_BYTES = 32 * 1024 * 1024;
const WATCH_MS = 10;
const FETCH_ROWS = 50;

export type PostgresDatabase = {
  readonly url: string;
  /** The user has said that its login may be one with rights over the server. */
  readonly isAdminAllowed: boolean;
};

export const queryPostgres = async ({ url, isAdminAllowed }: PostgresDatabase, query: Query): Promise<QueryResult> => {
  const kind = judgeSql(query.sql, "postgres");
  query.signal.throwIfAborted();
  const socket = new Socket();
  let ended: "time" | "bytes" | undefined;
  const stop = (why: "time" | "bytes"): void => {
    ended ??= why;
    socket.destroy();
  };
  const onAbort = (): void => void socket.destroy();
  query.signal.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => stop("time"), query.timeLimitMs + 1000);
  const watch = setInterval(() => {
    if (socket.bytesRead > MAX_RECEIVED_BYTES) stop("bytes");
  }, WATCH_MS);
  try {
    const client = await connect(url, socket);
    await begin(client, { timeLimitMs: query.timeLimitMs, isAdminAllowed });
    const result = await (kind === "rows" ? readRows(client, query) : readReport(client, query));
    await client.query("ROLLBACK");
    return result;
  } catch (thrown) {
    query.signal.throwIfAborted();
    if (thrown instanceof RetinueError) throw thrown;
    if (ended === "bytes")
      throw new RetinueError("tool_failed", "The server sends more than 32 MB for this query.", {
        hint: "Ask for fewer or shorter values.",
      });
    if (ended === "time" || codeOf(thrown) === "57014") throw timedOut(query.timeLimitMs);
    throw toDatabaseError(thrown, url);
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    query.signal.removeEventListener("abort", onAbort);
    // The server rolls back what is open when its client is gone.
    socket.destroy();
  }
};

const connect = async (url: string, socket: Socket): Promise<Client> => {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url, stream: () => socket, application_name: "retinue" });
  // A lost connection is told to whoever waits for an answer.
  client.on("error", () => undefined);
  await client.connect();
  return client;
};

type Beginning = { readonly timeLimitMs: number; readonly isAdminAllowed: boolean };

/** Roles whose members reach files, programs or other sessions of the server, and what a login may be beside them. */
const SERVER_RIGHTS = `
  SELECT session_user AS login,
    rolsuper AS is_super,
    rolreplication AS is_replication,
    ARRAY(SELECT other.rolname::text FROM pg_roles other
      WHERE other.rolname ~ '^pg_(read_server_files|write_server_files|execute_server_program|signal_backend|signal_autovacuum_worker|checkpoint|create_subscription|use_reserved_connections|maintain|write_all_data)$'
        AND pg_has_role(session_user, other.oid, 'MEMBER')
      ORDER BY 1) AS roles,
    EXISTS (SELECT FROM pg_roles WHERE rolname = 'pg_read_all_data') AS has_reader,
    current_setting('transaction_read_only') AS read_only
  FROM pg_roles WHERE rolname = session_user`;

type Rights = {
  readonly login: string;
  readonly is_super: boolean;
  readonly is_replication: boolean;
  readonly roles: readonly string[];
  readonly has_reader: boolean;
  readonly read_only: string;
};

const begin = async (client: Client, { timeLimitMs, isAdminAllowed }: Beginning): Promise<void> => {
  // Also for a transaction that anything would begin after this one.
  await client.query("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
  await client.query("BEGIN TRANSACTION READ ONLY");
  await client.query(
    `SET LOCAL statement_timeout = ${timeLimitMs}; SET LOCAL lock_timeout = 2000; SET LOCAL standard_conforming_strings = on`,
  );
  // From the first query on the server lets nobody make the transaction one that writes.
  const [rights] = (await client.query<Rights>(SERVER_RIGHTS)).rows;
  if (rights?.read_only !== "on") throw refuse("The server did not make the transaction one that only reads.");
  const powers = [
    ...(rights.is_super ? ["is a superuser"] : []),
    ...(rights.is_replication ? ["may replicate"] : []),
    ...rights.roles.map((role) => `has the role ${role}`),
  ];
  if (powers.length === 0) return;
  if (!isAdminAllowed) throw refuseAdmin(rights.login, powers);
  // This role may read every table and nothing else; only who may do everything may take any role.
  if (rights.is_super && rights.has_reader) await client.query("SET LOCAL ROLE pg_read_all_data");
};

/** Whoever has such a login reads files and starts programs by functions that no reading of the statement finds. */
const refuseAdmin = (login: string, powers: readonly string[]): RetinueError =>
  new RetinueError("act_denied", `The login ${login} ${powers.join(", ")}: it may do more on the server than read tables.`, {
    hint: "The user should make a login that may only SELECT, or name the database in adminDatabases of their own settings.",
  });

/** By the protocol that takes one statement at a time, with the values beside it. */
const run = (client: Client, text: string, values: readonly unknown[] = []): Promise<QueryArrayResult> => {
  const config: QueryArrayConfig & { queryMode: "extended" } = {
    text,
    values: [...values],
    rowMode: "array",
    queryMode: "extended",
    types: { getTypeParser },
  };
  return client.query(config);
};

const readRows = async (client: Client, query: Query): Promise<QueryResult> => {
  await run(client, `DECLARE retinue_rows NO SCROLL CURSOR FOR ${query.sql}`, query.params);
  const collector = createRowCollector(query);
  let columns: readonly string[] = [];
  for (;;) {
    const { fields, rows } = await run(client, `FETCH FORWARD ${FETCH_ROWS} FROM retinue_rows`);
    columns = fields.map(({ name }) => name);
    if (!rows.every((row: unknown[]) => collector.add(row)) || rows.length < FETCH_ROWS) return collector.finish(columns);
  }
};

const readReport = async (client: Client, query: Query): Promise<QueryResult> => {
  const { fields, rows } = await run(client, query.sql, query.params);
  const collector = createRowCollector(query);
  rows.every((row: unknown[]) => collector.add(row));
  return collector.finish(fields.map(({ name }) => name));
};

/** Numbers and truth as such; everything else as the server writes it, so that no date moves by a time zone. */
const getTypeParser = (type: number): ((text: string) => unknown) => {
  switch (type) {
    case 16:
      return (text) => text === "t";
    case 20:
      return (text) => BigInt(text);
    case 21:
    case 23:
    case 26:
    case 700:
    case 701:
      return Number;
    default:
      return (text) => text;
  }
};

const timedOut = (timeLimitMs: number): RetinueError =>
  new RetinueError("tool_timeout", `The query took longer than ${timeLimitMs / 1000} s and was ended.`, {
    hint: "Ask for less: add conditions and a LIMIT.",
  });

/** A write in a read-only transaction, and what the role may not. */
const DENIED: ReadonlySet<string> = new Set(["25006", "42501"]);

const toDatabaseError = (thrown: unknown, url: string): RetinueError => {
  const code = codeOf(thrown) ?? "";
  const said = withoutPassword(thrown instanceof Error ? thrown.message : String(thrown), url).replace(/\.?$/, ".");
  if (DENIED.has(code) || /data-modifying|INTO is not allowed/.test(said)) return refuse(`PostgreSQL refuses it: ${said}`);
  if (/^[0-9A-Z]{5}$/.test(code))
    return new RetinueError("tool_failed", `PostgreSQL says: ${said}`, { hint: "Tables and columns are in information_schema." });
  return new RetinueError("tool_failed", `The database cannot be reached (${code || "no answer"}).`, {
    hint: "The user should check that it runs and that its address is right.",
  });
};

const withoutPassword = (text: string, url: string): string => {
  const password = URL.parse(url)?.password ?? "";
  return [password, decodeURIComponent(password)].reduce(
    (clean, secret) => (secret === "" ? clean : clean.replaceAll(secret, "•••")),
    text,
  );
};
