/**
 * Judges SQL before it is sent: one statement, that reads, and calls no function which acts on anything but its result. It is the first of
 * two walls; the database itself, opened to be read only, is the second.
 */
import { RetinueError } from "@retinue/protocol";
import type { SqlDialect, SqlToken } from "./scan-sql.ts";
import { scanSql } from "./scan-sql.ts";

const READING: Readonly<Record<SqlDialect, readonly string[]>> = {
  sqlite: ["select", "with", "values", "explain", "pragma"],
  postgres: ["select", "with", "values", "table", "explain", "show"],
};

/** Functions that reach files, other servers, other sessions or settings, and so beyond what a read-only transaction holds back. */
const ACTING: Readonly<Record<SqlDialect, RegExp>> = {
  sqlite: /^(load_extension|fts3_tokenizer|writefile|readfile|edit|sqlite_log)$/,
  postgres: new RegExp(
    `^(${[
      "dblink\\w*",
      "lo_\\w+",
      "loread",
      "lowrite",
      "set_config",
      "setval",
      "nextval",
      "pg_(read|ls|stat)_\\w*(file|dir)\\w*",
      "pg_(read_file|read_binary_file|stat_file|file_\\w+|logdir_ls|current_logfile)",
      "pg_(terminate|cancel)_backend",
      "pg_(try_)?advisory_\\w+",
      "pg_(sleep|notify|reload_conf|rotate_logfile|promote|export_snapshot|log_backend_memory_contexts)\\w*",
      "pg_(switch|walfile|wal_replay|create_restore_point|backup|start_backup|stop_backup)\\w*",
      "pg_(create|drop|copy|replication|logical|sync|show_replication)_\\w+",
      "pg_stat_(reset\\w*|force_next_flush|clear_snapshot)",
      "pg_(extension_config_dump|nextoid|prewarm|import_system_collations|set_\\w+|clear_\\w+|restore_\\w+)",
      "pgstattuple\\w*",
      "query_to_xml\\w*",
      "cursor_to_xml\\w*",
      "crosstab\\w*",
      "connectby",
      "ts_stat",
      "ts_rewrite",
      "plpy\\w*",
      "http(_\\w+)?",
      "pg_net\\w*",
      "postgres_fdw\\w*",
    ].join("|")})$`,
  ),
};

export type SqlKind = "rows" | "report";

/** `rows` for what can be read piece by piece; throws `act_denied` for what is not read at all. */
export const judgeSql = (sql: string, dialect: SqlDialect): SqlKind => {
  if (sql.includes("\0")) throw refuse("The statement holds a NUL character.");
  const tokens = scanSql(sql, dialect);
  if (tokens === undefined) throw refuse("A text, name or comment of the statement is not ended.");
  const first = tokens[0];
  if (first === undefined) throw refuse("There is no statement.");
  const end = tokens.findIndex((token) => isSign(token, ";"));
  if (end >= 0 && tokens.slice(end).some((token) => !isSign(token, ";"))) throw refuse("There is more than one statement.");
  const verb = first.type === "word" ? first.text : isSign(first, "(") ? "select" : "";
  if (!READING[dialect].includes(verb))
    throw refuse(
      `The statement begins with ${verb === "" ? "something else than a word" : verb.toUpperCase()}, which does not read.`,
    );
  for (const [at, token] of tokens.entries()) checkToken(token, tokens[at + 1], dialect);
  return verb === "explain" || verb === "show" ? "report" : "rows";
};

const checkToken = (token: SqlToken, next: SqlToken | undefined, dialect: SqlDialect): void => {
  if (token.type !== "word" && token.type !== "name") return;
  // Names by code points (U&"…") can spell what is looked for below in a way that is not seen here.
  if (dialect === "postgres" && token.text === "u" && next !== undefined && isSign(next, "&"))
    throw refuse("Names and texts by code points are not taken.");
  if (ACTING[dialect].test(token.text.toLowerCase()) && next !== undefined && isSign(next, "("))
    throw refuse(`The function ${token.text} acts on more than its result.`);
};

const isSign = (token: SqlToken, sign: string): boolean => token.type === "sign" && token.text === sign;

export const refuse = (why: string): RetinueError =>
  new RetinueError("act_denied", `${why} Only one reading statement at a time is taken.`, {
    hint: "Write one SELECT (or WITH … SELECT, VALUES, EXPLAIN).",
  });
