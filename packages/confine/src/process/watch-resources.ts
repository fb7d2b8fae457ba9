/**
 * Watches what a running command uses, where the kernel does not keep the limit itself: the disk of its workspace, and of a sandbox the
 * number of its processes, their memory together and the files in its temporary folders.
 */
import { readFileSync, statfsSync } from "node:fs";
import type { ResourceLimits } from "./resource-limits.ts";
import { measureSandbox } from "./sandbox-memory.ts";

export type Watch = {
  readonly limits: Pick<ResourceLimits, "processes" | "memoryBytes" | "temporaryFiles" | "freeDiskBytes">;
  /** Folders that it may write, on one disk or on several. */
  readonly folders: readonly string[];
  /** The number of the PID namespace that holds all its processes, once that is known. */
  readonly namespace: () => number | undefined;
  /** Its private file systems, as they are called inside. */
  readonly temporary?: readonly string[];
  /** Told once, with what was too much. */
  readonly onExceeded: (what: string) => void;
};

const INTERVAL_MS = 100;
/** Looking at every process costs a little; without a sign of trouble it is done every so often. */
const LOOK_EVERY = 5;

/** Gives the function that ends the watch. */
export const watchResources = ({ limits, folders, namespace, temporary = [], onExceeded }: Watch): (() => void) => {
  const freeAtStart = freeBytes(folders);
  const tasksAtStart = countTasks();
  let round = 0;
  const look = (): string | undefined => {
    round += 1;
    const free = freeBytes(folders);
    if (free < limits.freeDiskBytes && freeAtStart >= limits.freeDiskBytes)
      return `less than ${toMib(limits.freeDiskBytes)} MiB of disk were left`;
    const inside = namespace();
    if (inside === undefined) return undefined;
    const manyNew = countTasks() - tasksAtStart > limits.processes / 2;
    if (!manyNew && round % LOOK_EVERY !== 0) return undefined;
    const { processes, memoryBytes, files } = measureSandbox(inside, temporary);
    if (processes > limits.processes) return `it had more than ${limits.processes} processes`;
    if (memoryBytes > limits.memoryBytes) return `it used more than ${toMib(limits.memoryBytes)} MiB of memory`;
    if (files > limits.temporaryFiles) return `it had more than ${limits.temporaryFiles} files in its temporary folders`;
    return undefined;
  };
  const timer = setInterval(() => {
    const exceeded = look();
    if (exceeded === undefined) return;
    clearInterval(timer);
    onExceeded(exceeded);
  }, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
};

const toMib = (bytes: number): number => Math.round(bytes / 1024 ** 2);

/** On the disk that has the least. */
const freeBytes = (folders: readonly string[]): number =>
  Math.min(
    ...folders.map((folder) => {
      try {
        const { bavail, bsize } = statfsSync(folder);
        return bavail * bsize;
      } catch {
        return Infinity;
      }
    }),
  );

/** Of the whole machine; cheap, and a bomb cannot hide from it. */
const countTasks = (): number => {
  try {
    return Number(/\/(\d+) /.exec(readFileSync("/proc/loadavg", "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
};
