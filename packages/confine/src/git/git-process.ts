/** Runs git itself once: no input but what is given, no terminal, both outputs apart and bounded, ended with all it started when it is no longer wanted. */
import { spawn } from "node:child_process";
import { RetinueError } from "@retinue/protocol";
import type { Channel } from "../process/channel.ts";
import { connectChannels } from "../process/channel.ts";
import { killGroup } from "../process/process-tree.ts";
import type { Command } from "../process/run-command.ts";

export type GitProcess = {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Open files besides input and outputs, from number 3 on. */
  readonly channels?: readonly Channel[];
  /** As whom it runs, where that is not as ourselves. */
  readonly owner?: Command["owner"];
  /** What it reads from standard input; nothing by default. */
  readonly input?: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** Of the output; git is ended when there is more. */
  readonly maxBytes?: number;
};

export type GitEnd = {
  readonly exitCode: number | null;
  readonly output: string;
  /** The output as it came. */
  readonly bytes: Buffer;
  readonly errors: string;
  /** There was more output than is kept. */
  readonly cut: boolean;
};

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_BYTES = 2_000_000;
const MAX_ERROR_BYTES = 16_000;

export const runGitProcess = async (run: GitProcess): Promise<GitEnd> => {
  run.signal.throwIfAborted();
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES, channels = [] } = run;
  const child = spawn(run.program, run.args, {
    cwd: run.cwd,
    env: run.environment,
    detached: process.platform !== "win32",
    stdio: ["pipe", "pipe", "pipe", ...channels.map(() => "pipe" as const)],
    ...run.owner,
  });
  connectChannels(child, channels);
  // It may end before it has read everything; its exit code says what became of it.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(run.input ?? "");
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  let late = false;
  const end = (): void => {
    if (child.pid !== undefined) killGroup(child.pid);
    child.kill("SIGKILL");
  };
  const timer = setTimeout(() => {
    late = true;
    end();
  }, timeoutMs);
  run.signal.addEventListener("abort", end, { once: true });
  const output = collect(child.stdout, maxBytes, end);
  // Warnings without end are no reason to end it.
  const errors = collect(child.stderr, MAX_ERROR_BYTES, () => undefined);
  try {
    const exitCode = await closed;
    run.signal.throwIfAborted();
    if (late) throw new RetinueError("tool_timeout", `git took longer than ${timeoutMs / 1000} s and was ended.`);
    const bytes = output.read();
    return {
      exitCode,
      bytes,
      output: new TextDecoder().decode(bytes, { stream: output.isFull() }),
      errors: new TextDecoder().decode(errors.read(), { stream: errors.isFull() }).trim(),
      cut: output.isFull(),
    };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener("abort", end);
  }
};

type Collected = { readonly read: () => Buffer; readonly isFull: () => boolean };

const collect = (stream: NodeJS.ReadableStream | null, maxBytes: number, onFull: () => void): Collected => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let full = false;
  stream?.on("data", (chunk: Buffer) => {
    if (full) return;
    chunks.push(chunk.subarray(0, maxBytes - bytes));
    bytes += chunk.length;
    full = bytes > maxBytes;
    if (full) onFull();
  });
  return { isFull: () => full, read: () => Buffer.concat(chunks) };
};
