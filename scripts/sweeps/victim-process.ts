/** Starts a victim, plainly or under strace, and collects what it says until it ends or is killed. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { cpuOfGroup } from "./cpu-of-group.ts";
import { parseVictimLines, type VictimLine } from "./victim-line.ts";
import type { VictimOrder } from "./victim-order.ts";

export type VictimEnding = {
  readonly lines: readonly VictimLine[];
  readonly exitCode: number | null;
  readonly killed: boolean;
  /** It neither ended nor was it killed where it should have been. */
  readonly hung: boolean;
  readonly stderr: string;
  /** From when it was ready. */
  readonly workMs: number;
};

export type VictimOptions = {
  readonly order: VictimOrder;
  /** Holds compiled modules, so that a start costs less. */
  readonly cache: string;
  /** Arguments of strace. */
  readonly strace?: readonly string[];
  /** Killed so long after it was ready. */
  readonly killAfterMs?: number;
  /** Kills it when it is aborted. */
  readonly kill?: AbortSignal;
  /** The victim in one file; its sources by default. */
  readonly program?: string;
  /** Whoever waits for it wants it no more. */
  readonly signal?: AbortSignal;
};

const VICTIM = fileURLToPath(new URL("victim.ts", import.meta.url));
/** One that has said nothing and has hardly worked for so long hangs; on a busy machine others take more than that to their end. */
const HUNG_MS = 60_000;
const LEAST_CPU_MS = 1_500;
/** One that works for so long does not come to its end. */
const ENDLESS_MS = 600_000;
/** A planted fault may well make it hang, and that is not what is looked for. */
const PLANTED_HUNG_MS = 15_000;

export const runVictim = ({
  order,
  cache,
  strace,
  killAfterMs,
  kill,
  program = VICTIM,
  signal,
}: VictimOptions): Promise<VictimEnding> =>
  new Promise((resolve, reject) => {
    const node = [process.execPath, "--disable-warning=ExperimentalWarning", program, JSON.stringify(order)];
    const [command = "", ...args] = strace === undefined ? node : ["strace", ...strace, ...node];
    const child = spawn(command, args, {
      // One thread beside the main one, so that what is written there has an order.
      env: { ...process.env, NODE_COMPILE_CACHE: cache, UV_THREADPOOL_SIZE: "1" },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that nothing outlives a strace that has to be ended.
      detached: true,
    });
    let hung = false;
    let isOver = false;
    const end = (): void => {
      if (child.pid === undefined || isOver) return;
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch (error) {
        // Ended by itself a moment ago.
        if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
      }
    };
    const stops = [signal, kill].filter((one) => one !== undefined);
    for (const one of stops) one.addEventListener("abort", end, { once: true });
    const startedAt = performance.now();
    const hungMs = order.plant === undefined ? HUNG_MS : PLANTED_HUNG_MS;
    let seen = { said: 0, cpuMs: 0 };
    const limit = setInterval(() => {
      const now = { said: output.length, cpuMs: (child.pid === undefined ? null : cpuOfGroup(child.pid)) ?? seen.cpuMs };
      const isAtWork = now.said > seen.said || now.cpuMs - seen.cpuMs >= LEAST_CPU_MS;
      seen = now;
      if (isAtWork && order.plant === undefined && performance.now() - startedAt < ENDLESS_MS) return;
      hung = true;
      end();
    }, hungMs);
    let killer: NodeJS.Timeout | undefined;
    let readyAt = performance.now();
    let output = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      if (output === "") {
        readyAt = performance.now();
        if (killAfterMs !== undefined) killer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
      }
      output += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
    child.once("error", reject);
    child.once("close", (exitCode, endedBy) => {
      isOver = true;
      for (const one of stops) one.removeEventListener("abort", end);
      clearInterval(limit);
      clearTimeout(killer);
      const killed = endedBy === "SIGKILL" && !hung;
      resolve({ lines: parseVictimLines(output), exitCode, killed, hung, stderr, workMs: performance.now() - readyAt });
    });
  });
