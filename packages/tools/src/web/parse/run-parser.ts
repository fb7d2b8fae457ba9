/**
 * Parses a document of others in a thread of its own, within a time and a size of memory, so that no document can hold up or bring down
 * the process.
 */
import { Worker } from "node:worker_threads";
import { codeOf } from "@retinue/confine";
import { createGate } from "./gate.ts";
import type { ParserReply, ParserRequest } from "./parser-request.ts";

export type ParserEnd<T> =
  | { readonly type: "done"; readonly value: T }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "limit"; readonly limit: "time" | "memory" };

export type ParserRun = {
  readonly request: ParserRequest;
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
};

const MAX_HEAP_MB = 256;
/** Buffers do not count as heap, and a small stream of a PDF can unfold into gigabytes of them. */
const MAX_BUFFER_BYTES = 100 * 1024 * 1024;
const WATCH_MS = 20;

/** As many as a small machine has cores; the others wait their turn. */
const gate = createGate(2);

/** Bundled and compiled code lies beside a `.js`. */
const WORKER = new URL(import.meta.url.endsWith(".ts") ? "./parser-worker.ts" : "./parser-worker.js", import.meta.url);

export const runParser = <T>(run: ParserRun): Promise<ParserEnd<T>> => gate(() => runWorker<T>(run), run.signal);

const runWorker = async <T>({ request, timeLimitMs, signal }: ParserRun): Promise<ParserEnd<T>> => {
  signal.throwIfAborted();
  const worker = new Worker(WORKER, {
    workerData: request,
    // Neither the environment with its keys nor the flags of this process, and no word on its terminal.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  const ended = Promise.withResolvers<ParserEnd<T>>();
  const onMemory = (): void => ended.resolve({ type: "limit", limit: "memory" });
  const onAbort = (): void => ended.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  worker.on("message", (reply: ParserReply) =>
    ended.resolve(reply.type === "done" ? { type: "done", value: reply.value as T } : reply),
  );
  worker.on("error", (error) => {
    if (codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY") onMemory();
    else ended.resolve({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  });
  worker.on("exit", () => ended.resolve({ type: "failed", message: "the parser ended without an answer" }));
  const timer = setTimeout(() => ended.resolve({ type: "limit", limit: "time" }), timeLimitMs);
  const watch = setInterval(() => void watchBuffers(worker, onMemory), WATCH_MS);
  try {
    return await ended.promise;
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
};

const watchBuffers = async (worker: Worker, onMemory: () => void): Promise<void> => {
  try {
    const heap = await worker.getHeapStatistics();
    if (heap.external_memory > MAX_BUFFER_BYTES) onMemory();
  } catch {
    // It has ended meanwhile.
  }
};
