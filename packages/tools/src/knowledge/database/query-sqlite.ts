/** Runs one reading statement on a SQLite file, in a process of its own that is ended when its time is up. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { RetinueError } from "@retinue/protocol";
import { judgeSql, refuse } from "./judge-sql.ts";
import type { Query, QueryResult } from "./query-result.ts";
import type { SqliteReply, SqliteRequest } from "./sqlite-request.ts";

const MAX_MEMORY_MB = 512;

const SCRIPT = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./sqlite-process.ts" : "./sqlite-process.js", import.meta.url),
);

export const querySqlite = async (file: string, { signal, ...query }: Query): Promise<QueryResult> => {
  judgeSql(query.sql, "sqlite");
  const reply = await askProcess({ ...query, file, maxMemoryMb: MAX_MEMORY_MB }, signal);
  if (reply.type === "done") return reply.result;
  if (reply.denied) throw refuse(`SQLite refuses it: ${reply.message}.`);
  throw new RetinueError("tool_failed", `SQLite says: ${reply.message}.`, { hint: "Tables and columns are in sqlite_schema." });
};

const askProcess = async (request: SqliteRequest, signal: AbortSignal): Promise<SqliteReply> => {
  signal.throwIfAborted();
  // Where it cannot be started for want of open files, it has no pipes either.
  const child: ChildProcess = spawn(process.execPath, ["--no-warnings", "--max-old-space-size=128", SCRIPT], {
    // Nothing of the environment, where keys are.
    env: process.platform === "win32" ? { SystemRoot: process.env["SystemRoot"] } : {},
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  let ended: "time" | "abort" | undefined;
  const stop = (why: "time" | "abort"): void => {
    ended ??= why;
    child.kill("SIGKILL");
  };
  const onAbort = (): void => stop("abort");
  signal.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => stop("time"), request.timeLimitMs);
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  // It may end before it has read all; that is seen by its end.
  child.stdin?.on("error", () => undefined).end(JSON.stringify(request));
  try {
    await new Promise<void>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", () => resolve());
    });
    signal.throwIfAborted();
    if (ended === "time")
      throw new RetinueError("tool_timeout", `The query took longer than ${request.timeLimitMs / 1000} s and was ended.`, {
        hint: "Ask for less: add conditions and a LIMIT.",
      });
    if (output === "")
      throw new RetinueError("tool_failed", `The query needed more than ${request.maxMemoryMb} MB of memory and was ended.`, {
        hint: "Ask for less: sort and group fewer rows.",
      });
    return JSON.parse(output) as SqliteReply;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
};
