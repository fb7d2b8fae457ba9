/** The store in a PostgreSQL database. Apart from the rest, so that nobody loads its driver who does not use it. */
export { createPostgresLog } from "./postgres-log.ts";
export type { PostgresLog, PostgresLogOptions } from "./postgres-log.ts";
