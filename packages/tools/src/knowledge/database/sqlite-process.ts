/**
 * The process in which SQL of a model runs on a SQLite file. It opens the file to be read, lets nothing be prepared that does anything
 * else, and is ended from outside: a query that runs for ever cannot be ended by the thread that runs it, nor by any other.
 */
import { readFileSync } from "node:fs";
import { constants, DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { createRowCollector } from "./query-result.ts";
import type { SqliteReply, SqliteRequest } from "./sqlite-request.ts";

const MAX_VALUE_BYTES = 8 * 1024 * 1024;

/** Those that tell about tables, and the one by which full-text tables notice changes. */
const READING_PRAGMAS: ReadonlySet<string> = new Set([
  "table_info",
  "table_xinfo",
  "table_list",
  "index_list",
  "index_info",
  "index_xinfo",
  "foreign_key_list",
  "data_version",
]);

const DENIED_FUNCTIONS: ReadonlySet<string> = new Set(["load_extension", "fts3_tokenizer", "sqlite_log"]);

const authorize = (action: number, name: string | null, detail: string | null): number => {
  switch (action) {
    case constants.SQLITE_SELECT:
    case constants.SQLITE_READ:
    case constants.SQLITE_RECURSIVE:
      return constants.SQLITE_OK;
    case constants.SQLITE_FUNCTION:
      return DENIED_FUNCTIONS.has(detail?.toLowerCase() ?? "") ? constants.SQLITE_DENY : constants.SQLITE_OK;
    case constants.SQLITE_PRAGMA:
      return READING_PRAGMAS.has(name?.toLowerCase() ?? "") ? constants.SQLITE_OK : constants.SQLITE_DENY;
    default:
      return constants.SQLITE_DENY;
  }
};

const query = ({ file, sql, params, maxRows, maxBytes }: SqliteRequest): SqliteReply => {
  using database = new DatabaseSync(file, {
    readOnly: true,
    allowExtension: false,
    defensive: true,
    timeout: 2000,
    limits: { length: MAX_VALUE_BYTES, sqlLength: 1_000_000, attach: 0, exprDepth: 500, compoundSelect: 100 },
  });
  database.exec("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON");
  database.setAuthorizer(authorize);
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const rows = createRowCollector({ maxRows, maxBytes });
  const values = params.map((param) => (typeof param === "boolean" ? Number(param) : param));
  for (const row of statement.iterate(...values)) if (!rows.add(row as unknown as readonly unknown[])) break;
  return { type: "done", result: rows.finish(statement.columns().map(({ name }) => name)) };
};

const answer = (request: SqliteRequest): SqliteReply => {
  try {
    return query(request);
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { type: "failed", message, denied: /not authorized|readonly database|prohibited/.test(message) };
  }
};

const request = JSON.parse(readFileSync(0, "utf8")) as SqliteRequest;
const watch = new Worker(
  new URL(import.meta.url.endsWith(".ts") ? "./process-watch.ts" : "./process-watch.js", import.meta.url),
  {
    workerData: { timeLimitMs: request.timeLimitMs + 2000, maxMemoryMb: request.maxMemoryMb },
  },
);
watch.unref();
process.stdout.write(JSON.stringify(answer(request)));
