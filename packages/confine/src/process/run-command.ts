/**
 * Runs a program in a process group of its own until it has ended, its time is up or it is no longer wanted. When this returns, nothing of
 * it runs any more: what it left in the background is ended too, and what holds its pipes open is not waited for.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { RetinueError } from "@retinue/protocol";
import type { Channel } from "./channel.ts";
import { connectChannels, toStdio } from "./channel.ts";
import { endProcessTree, killGroup, startOf } from "./process-tree.ts";

export type Command = {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; nothing is added but a mark to find the processes by. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Both outputs, in the order in which they came. A chunk is there only until the call returns. */
  readonly onOutput: (chunk: Buffer) => void;
  /** The error output by itself, where it is not to be mixed with the other. */
  readonly onError?: (chunk: Buffer) => void;
  /** What can be read from the standard input; without it there is none. */
  readonly input?: string;
  /** Open files of the program besides input and outputs, from number 3 on. */
  readonly channels?: readonly Channel[];
  /** As whom it runs, where that is not as ourselves. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** Called when it runs, with a function that ends it for a reason; gives the function that ends the watch. */
  readonly watch?: (end: (reason: string) => void) => () => void;
};

export type CommandEnd =
  | {
      readonly type: "exited";
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly leftBehind: number;
      /** Why it was ended before it was done. */
      readonly exceeded?: string;
    }
  | { readonly type: "timeout" }
  | { readonly type: "aborted" };

const MARK = "RETINUE_COMMAND";
/** How long the pipes may stay open after all processes that we know of have ended. */
const PIPE_GRACE_MS = 200;
/** How long the output may go on after the program itself has ended, before what it left behind is ended. */
const DRAIN_MS = 100;

export const runCommand = async (command: Command): Promise<CommandEnd> => {
  const { signal, timeoutMs } = command;
  if (signal.aborted) return { type: "aborted" };
  const { child, group, mark, exited, closed, startedAt } = await start(command);
  const stopped = Promise.withResolvers<"aborted" | "timeout" | { readonly exceeded: string }>();
  const onAbort = (): void => stopped.resolve("aborted");
  const timer = setTimeout(() => stopped.resolve("timeout"), timeoutMs);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const endWatch = command.watch?.((exceeded) => stopped.resolve({ exceeded }));
  try {
    const first = await Promise.race([exited, stopped.promise]);
    if (first === "exited") await Promise.race([closed, sleep(DRAIN_MS)]);
    // What takes more than it may is not asked.
    else if (typeof first === "object") killGroup(group);
    const leftBehind = await endProcessTree({ group, mark, ...(startedAt === undefined ? {} : { startedAt }) });
    await Promise.race([closed, sleep(PIPE_GRACE_MS)]);
    if (first === "aborted" || first === "timeout") return { type: first };
    return {
      type: "exited",
      exitCode: child.exitCode,
      signal: child.signalCode,
      leftBehind,
      ...(typeof first === "object" ? first : {}),
    };
  } finally {
    endWatch?.();
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    for (const stream of child.stdio) stream?.destroy();
    if (child.connected) child.disconnect();
    running.delete(group);
  }
};

type Started = {
  readonly child: ChildProcess;
  readonly group: number;
  readonly mark: string;
  readonly exited: Promise<"exited">;
  /** All pipes are closed as well. */
  readonly closed: Promise<void>;
  readonly startedAt: number | undefined;
};

/** A session of its own has no terminal; with /dev/null as input no prompt can wait. */
const start = async (command: Command): Promise<Started> => {
  const { file, args, cwd, env, input, onOutput, onError = onOutput, channels = [], owner } = command;
  const mark = randomUUID();
  try {
    const child = spawn(file, args, {
      cwd,
      env: { ...env, [MARK]: mark },
      detached: true,
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe", ...toStdio(channels)],
      ...owner,
    });
    const exited = new Promise<"exited">((resolve) => child.once("exit", () => resolve("exited")));
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const { pid: group } = child;
    if (group !== undefined) watchOver(group);
    // Its own process may be gone before anybody looks; none of its tree is older than we are either.
    const startedAt = (group === undefined ? undefined : startOf(group)) ?? startOf(process.pid);
    await once(child, "spawn");
    if (group === undefined) throw new Error("it has no process id");
    const hand = (to: Command["onOutput"]) => (chunk: Buffer) => {
      to(chunk);
      release(chunk);
    };
    child.stdout?.on("data", hand(onOutput));
    child.stderr?.on("data", hand(onError));
    // A program need not read what it is given.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
    connectChannels(child, channels);
    return { child, group, mark: `${MARK}=${mark}`, exited, closed, startedAt };
  } catch (thrown) {
    throw cannotStart(command, thrown);
  }
};

/** Gives the memory back now: left to the garbage collector, a flood of output piles up to 64 MiB before it acts. */
const release = ({ buffer, byteLength }: Buffer): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
};

const cannotStart = ({ file }: Command, thrown: unknown): RetinueError =>
  new RetinueError("tool_failed", `${file} could not be started: ${thrown instanceof Error ? thrown.message : String(thrown)}`, {
    cause: thrown,
  });

/** The groups that run now, ended with this process should it exit in between. */
const running = new Set<number>();
let watching = false;

const watchOver = (group: number): void => {
  running.add(group);
  if (watching) return;
  watching = true;
  process.once("exit", () => running.forEach(killGroup));
};
