/** Runs one Node process until it ends, its time is up or it is called off. */
import { type ChildProcess, spawn } from "node:child_process";

export type NodeEnding = {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
  /** Standard output and error as they came, unless they were shown. */
  readonly output: string;
};

export type NodeOptions = {
  readonly args: readonly string[];
  /** The words of a command that runs it, as `nice` would. */
  readonly by?: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly output: "captured" | "shown";
  readonly timeoutMs?: number;
  /** A group of its own, so that nothing the process started outlives it; a Ctrl-C at the terminal does not reach it then. */
  readonly group?: boolean;
  readonly signal?: AbortSignal;
};

/** Ours, without colours where what is printed goes to a file or a log. */
export const plainEnvironment = (): NodeJS.ProcessEnv => (process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: "1" });

const endProcess = (child: ChildProcess, how: { signal: NodeJS.Signals; group: boolean }): void => {
  if (child.pid === undefined) return;
  try {
    process.kill(how.group ? -child.pid : child.pid, how.signal);
  } catch (error) {
    // Ended by itself a moment ago.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
};

export const runNode = (options: NodeOptions): Promise<NodeEnding> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    // Windows has no process groups.
    const group = options.group === true && process.platform !== "win32";
    const stream = options.output === "shown" ? "inherit" : "pipe";
    const [file = process.execPath, ...args] = [...(options.by ?? []), process.execPath, ...options.args];
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: options.env ?? plainEnvironment(),
      detached: group,
      stdio: ["ignore", stream, stream],
    });
    let timedOut = false;
    const onTimeout = (): void => {
      timedOut = true;
      endProcess(child, { signal: "SIGKILL", group });
    };
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(onTimeout, options.timeoutMs);
    const onAbort = (): void => endProcess(child, { signal: group ? "SIGKILL" : "SIGTERM", group });
    options.signal?.addEventListener("abort", onAbort, { once: true });
    const release = (): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", onAbort);
    };
    let output = "";
    for (const pipe of [child.stdout, child.stderr]) {
      pipe?.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
      });
    }
    child.once("error", (error) => {
      release();
      reject(error);
    });
    child.once("exit", () => {
      release();
      // What it left running would hold the pipes open.
      if (group) endProcess(child, { signal: "SIGKILL", group });
    });
    child.once("close", (exitCode, signal) => {
      resolve({ exitCode, signal, timedOut, durationMs: performance.now() - startedAt, output });
    });
    if (options.signal?.aborted === true) onAbort();
  });
