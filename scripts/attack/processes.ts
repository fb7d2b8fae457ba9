/** Processes that a trial started and that should be gone: they bear its token, or work in its folders. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { World } from "./world.ts";

/** What was told to end may take a moment. */
const PATIENCE_MS = 5_000;
const POLL_MS = 50;

export const findProcessesLeft = async (world: Pick<World, "base" | "token">): Promise<readonly string[]> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const left = listProcesses(world);
    if (left.length === 0 || performance.now() > deadline) return left;
    await sleep(POLL_MS);
  }
};

const listProcesses = ({ base, token }: Pick<World, "base" | "token">): readonly string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        const state = /^\d+ \(.*\) (\w)/s.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];
        if (state === "Z" || state === "X") return [];
        const isOurs = command.includes(token) || command.includes(base) || readlinkSync(`/proc/${pid}/cwd`).startsWith(base);
        return isOurs ? [`process ${pid}: ${command.slice(0, 200)}`] : [];
      } catch {
        return [];
      }
    });

/** Ends what was left, so that one finding is not told for every trial that follows. */
export const endProcessesLeft = (left: readonly string[]): void => {
  for (const line of left) {
    const pid = Number(/^process (\d+):/.exec(line)?.[1]);
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
};
