/** `query_db`: one reading statement of SQL on a database that the settings name. */
import { RetinueError } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { count } from "@retinue/confine";
import { wrapUntrusted } from "../web/untrusted-text.ts";
import { queryPostgres } from "./database/query-postgres.ts";
import type { QueryResult } from "./database/query-result.ts";
import { toJson, toTable } from "./database/query-result.ts";
import { querySqlite } from "./database/query-sqlite.ts";

export type QueryDbOptions = {
  /** By name: a `postgres://` address, or the absolute path of a SQLite file. */
  readonly databases?: Readonly<Record<string, string>>;
  /** Names of those whose login may be a superuser or one with a role of the server; others are refused. */
  readonly adminDatabases?: readonly string[];
  /** 200 by default. */
  readonly maxRows?: number;
  /** Of the values together; 60 kB by default. */
  readonly maxBytes?: number;
  /** 15 seconds by default. */
  readonly timeLimitMs?: number;
};

const MAX_ROWS = 200;
const MAX_BYTES = 60_000;
const TIME_LIMIT_MS = 15_000;
const MAX_SQL_CHARS = 100_000;

const isPostgres = (address: string): boolean => /^postgres(ql)?:\/\//i.test(address);

export const createQueryDb = (options: QueryDbOptions = {}): AnyTool => {
  const databases = new Map(Object.entries(options.databases ?? {}));
  const names = [...databases.keys()];
  const timeLimitMs = options.timeLimitMs ?? TIME_LIMIT_MS;
  const input = z.object({
    database: (names.length === 0 ? z.string() : z.enum(names)).describe("The name of the database."),
    sql: z.string().min(1).max(MAX_SQL_CHARS).describe("One statement that reads: SELECT, WITH … SELECT, VALUES, EXPLAIN."),
    params: z
      .array(z.union([z.string().max(MAX_SQL_CHARS), z.number(), z.boolean(), z.null()]))
      .max(100)
      .default([])
      .describe("Values for the placeholders: ? in SQLite, $1 in PostgreSQL."),
    format: z.enum(["table", "json"]).default("table"),
  });
  return defineTool<z.infer<typeof input>>({
    name: "query_db",
    description: `Reads from a database by SQL. ${describe(databases)}`,
    input,
    effect: "read",
    timeoutMs: timeLimitMs + 10_000,
    touches: ({ database }) => ({ hosts: hostsOf(databases.get(database)) }),
    execute: async ({ database, sql, params, format }, { signal }) => {
      const address = databases.get(database);
      if (address === undefined) throw unknownDatabase(database, names);
      const query = {
        sql,
        params,
        signal,
        timeLimitMs,
        maxRows: options.maxRows ?? MAX_ROWS,
        maxBytes: options.maxBytes ?? MAX_BYTES,
      };
      const result = await (isPostgres(address)
        ? queryPostgres({ url: address, isAdminAllowed: options.adminDatabases?.includes(database) === true }, query)
        : querySqlite(address, query));
      if (result.rows.length === 0 && result.cut === undefined) return `No rows. Columns: ${result.columns.join(", ")}.`;
      return wrapUntrusted({
        source: `${toCount(result)} of the database ${database}`,
        text: format === "json" ? toJson(result) : toTable(result),
      });
    },
  });
};

const describe = (databases: ReadonlyMap<string, string>): string =>
  databases.size === 0
    ? "None is configured."
    : `There are: ${[...databases].map(([name, address]) => `${name} (${isPostgres(address) ? "PostgreSQL" : "SQLite"})`).join(", ")}.`;

const hostsOf = (address: string | undefined): readonly string[] => {
  const host = address !== undefined && isPostgres(address) ? URL.parse(address)?.hostname : undefined;
  return host === undefined || host === "" ? [] : [host];
};

const unknownDatabase = (name: string, names: readonly string[]): RetinueError =>
  names.length === 0
    ? new RetinueError("tool_failed", "No database is configured.", {
        hint: "Go on without it, and tell the user that databases in retinue.yaml names them: a SQLite file or a postgres:// address.",
      })
    : new RetinueError("tool_failed", `There is no database "${name}".`, { hint: `There are: ${names.join(", ")}.` });

const toCount = ({ rows, cut }: QueryResult): string => {
  switch (cut) {
    case undefined:
      return count(rows.length, "row");
    case "rows":
      return `The first ${count(rows.length, "row")}, there are more,`;
    case "bytes":
      return `The first ${count(rows.length, "row")}, the next would be too long together,`;
    default:
      return cut satisfies never;
  }
};
