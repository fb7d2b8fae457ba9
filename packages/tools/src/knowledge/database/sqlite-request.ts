/** What the process that reads SQLite files is asked and answers, as JSON on its standard input and output. */
import type { Query, QueryResult } from "./query-result.ts";

export type SqliteRequest = Omit<Query, "signal"> & { readonly file: string; readonly maxMemoryMb: number };

export type SqliteReply =
  | { readonly type: "done"; readonly result: QueryResult }
  | { readonly type: "failed"; readonly message: string; readonly denied: boolean };
