/** Runs ripgrep: records are handed on as they come, bounded in length and in time, until the caller has enough. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";

export type RipgrepRun = {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Searched in place of files: a text, or the number of an open file. */
  readonly input?: string | number;
  /** What ends a record of the output. */
  readonly separator: "\n" | "\0";
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
  /** Given every record; false when no more are wanted. */
  readonly onRecord: (record: string) => boolean;
  /** Whether to go on is asked once, when it has worked for about this long. */
  readonly review?: { readonly afterMs: number; readonly goesOn: () => boolean };
};

export type RipgrepEnd = "done" | "enough" | "time" | "reviewed";

const MAX_RECORD_BYTES = 64 * 1024;
const MAX_ERROR_CHARS = 2000;

/** The path of the program that is run. */
export const findRipgrep = async (): Promise<string> => (await import("@vscode/ripgrep")).rgPath;

export const runRipgrep = async (run: RipgrepRun): Promise<RipgrepEnd> => {
  run.signal.throwIfAborted();
  const rgPath = await findRipgrep();
  // ripgrep reads no configuration, starts nothing itself, and needs nothing of the environment but where the user's ignore file is.
  const env = { HOME: process.env["HOME"], XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"] };
  const child = spawn(rgPath, ["--no-config", "--no-messages", "--color=never", ...run.args], {
    cwd: run.cwd,
    env,
    stdio: [run.input === undefined ? "ignore" : typeof run.input === "number" ? run.input : "pipe", "pipe", "pipe"],
  });
  let end: RipgrepEnd = "done";
  let errors = "";
  const stop = (why: RipgrepEnd): void => {
    if (end === "done") end = why;
    child.kill("SIGKILL");
  };
  const onAbort = (): void => stop("enough");
  const timer = setTimeout(() => stop("time"), run.timeLimitMs);
  const endReview = run.review ? review(child.pid, run.review, () => stop("reviewed")) : undefined;
  run.signal.addEventListener("abort", onAbort, { once: true });
  const takeChunk = createRecordSplitter(run.separator, (record) => {
    if (end !== "done") return;
    if (!run.onRecord(record)) stop("enough");
  });
  child.stdout?.on("data", takeChunk);
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(0, MAX_ERROR_CHARS);
  });
  // ripgrep may end before it has read all; that is no failure of ours.
  if (typeof run.input === "string") child.stdin?.on("error", () => undefined).end(run.input);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    run.signal.throwIfAborted();
    // With code 2 and nothing said, some file could not be read: what was found still stands.
    if (end === "done" && code === 2 && errors !== "") throw new RetinueError("tool_failed", toFailure(errors));
    return end;
  } finally {
    clearTimeout(timer);
    endReview?.();
    run.signal.removeEventListener("abort", onAbort);
  }
};

/** Gives the function that calls it off. */
const review = (
  pid: number | undefined,
  { afterMs, goesOn }: NonNullable<RipgrepRun["review"]>,
  stop: () => void,
): (() => void) => {
  const latestAt = performance.now() + LATEST_REVIEW * afterMs;
  const look = (): void => {
    // On a busy machine it may hardly have had its turn; on a slow disk it never gets to work much.
    if (performance.now() < latestAt && readCpuMs(pid) < afterMs / 2) timer = setTimeout(look, afterMs / 2);
    else if (!goesOn()) stop();
  };
  let timer = setTimeout(look, afterMs);
  return () => clearTimeout(timer);
};

/** So many times as long as was meant. */
const LATEST_REVIEW = 10;
const TICK_MS = 10;
/** Of what Linux tells of a process, after its name: what it has used itself, and what the kernel has for it. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** Infinite where it is not told. */
const readCpuMs = (pid: number | undefined): number => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) * TICK_MS;
  } catch {
    return Infinity;
  }
};

const toFailure = (errors: string): string => {
  const text = errors.replaceAll(/^rg: /gm, "").trim();
  return text.startsWith("regex parse error") ? `The pattern is no regular expression. ${text}` : `The search failed: ${text}`;
};

/** What is longer than a record may be is cut. */
const createRecordSplitter = (separator: string, onRecord: (record: string) => void): ((chunk: Buffer) => void) => {
  let pending: Buffer[] = [];
  let length = 0;
  const keep = (piece: Buffer): void => {
    if (length >= MAX_RECORD_BYTES) return;
    pending.push(piece.subarray(0, MAX_RECORD_BYTES - length));
    length += piece.length;
  };
  return (chunk) => {
    const last = chunk.lastIndexOf(separator);
    if (last < 0) return keep(chunk);
    let start = 0;
    if (pending.length > 0) {
      start = chunk.indexOf(separator) + 1;
      keep(chunk.subarray(0, start - 1));
      onRecord(Buffer.concat(pending).toString("utf8"));
      pending = [];
      length = 0;
    }
    // Many at once: one by one they would cost more than the search does.
    if (start <= last) for (const record of chunk.toString("utf8", start, last).split(separator)) onRecord(record);
    if (last + 1 < chunk.length) keep(chunk.subarray(last + 1));
  };
};

/** Inside a repository its ignore files count, up to its root; elsewhere those at and below the folder. */
export const toIgnoreArgs = async (folder: string): Promise<readonly string[]> => {
  for (let at = folder; ; at = path.dirname(at)) {
    if (await exists(path.join(at, ".git"))) return [];
    if (at === path.dirname(at)) return ["--no-require-git", "--no-ignore-parent"];
  }
};

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );
