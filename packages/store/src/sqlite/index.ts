/** The store in a SQLite file. Apart from the rest, so that nobody loads SQLite who does not use it. */
export { createSqliteLog } from "./sqlite-log.ts";
export type { SqliteLog, SqliteLogOptions } from "./sqlite-log.ts";
