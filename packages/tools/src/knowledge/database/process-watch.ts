/** A thread that ends its whole process when that grows too large, runs too long, or has lost the one that started it. */
import { workerData } from "node:worker_threads";

export type ProcessWatch = { readonly timeLimitMs: number; readonly maxMemoryMb: number };

const { timeLimitMs, maxMemoryMb } = workerData as ProcessWatch;
const parent = process.ppid;
const startedAt = performance.now();

setInterval(() => {
  const isTooLarge = process.memoryUsage.rss() > maxMemoryMb * 1024 * 1024;
  if (isTooLarge || performance.now() - startedAt > timeLimitMs || process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, 20);
