/**
 * The index of a workspace's symbols, kept by a thread of its own so that this one stays free. The thread is started by the first question;
 * it does not keep the process alive when nobody waits for it.
 */
import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { availableParallelism, homedir } from "node:os";
import path from "node:path";
import type { Worker } from "node:worker_threads";
import { RetinueError } from "@retinue/protocol";
import type { FromIndex, IndexAnswer, IndexRequest } from "./index-request.ts";
import type { IndexWorkerData } from "./index-worker.ts";
import { startWorker } from "./start-worker.ts";

export type CodeIndexOptions = {
  /** Where indexes are kept; by default the user's folder for caches. */
  readonly cacheFolder?: string;
  /** Threads that parse; by default as many as there are cores, four at most. */
  readonly threads?: number;
  readonly maxFiles?: number;
  readonly maxFileBytes?: number;
  /** How long an answer waits for the index; then it is given from what there is. */
  readonly maxWaitMs?: number;
};

/** `indexes` are those of somebody who closes them; otherwise all tools with the same options share theirs. */
export type CodeToolOptions = CodeIndexOptions & { readonly indexes?: CodeIndexes };

export type IndexQuestion<Request> = {
  readonly request: Request;
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
};

/** Indexes by workspace, for all tools that use them. */
export class CodeIndexes {
  readonly #options: CodeIndexOptions;
  readonly #indexes = new Map<string, CodeIndex>();

  constructor(options: CodeIndexOptions = {}) {
    this.#options = options;
  }

  of(workspace: string): CodeIndex {
    let index = this.#indexes.get(workspace);
    if (!index) this.#indexes.set(workspace, (index = new CodeIndex(workspace, this.#options)));
    return index;
  }

  /** Lets go of the index of a workspace that is gone, and of its file. */
  async forget(workspace: string): Promise<void> {
    const index = this.of(workspace);
    this.#indexes.delete(workspace);
    await index.close();
    await index.removeFile();
  }

  async close(): Promise<void> {
    const indexes = [...this.#indexes.values()];
    this.#indexes.clear();
    await Promise.all(indexes.map((index) => index.close()));
  }
}

const shared = new Map<string, CodeIndexes>();

export const toCodeIndexes = ({ indexes, ...options }: CodeToolOptions): CodeIndexes => {
  if (indexes) return indexes;
  const key = JSON.stringify(options, Object.keys(options).toSorted());
  let known = shared.get(key);
  if (!known) shared.set(key, (known = new CodeIndexes(options)));
  return known;
};

type Pending = {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: unknown) => void;
  readonly onProgress: ((done: number, total: number) => void) | undefined;
};

export class CodeIndex {
  readonly #data: IndexWorkerData;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #asked = 0;

  /** The workspace is absolute and real. */
  constructor(workspace: string, options: CodeIndexOptions = {}) {
    const name = createHash("sha256").update(workspace).digest("hex").slice(0, 32);
    this.#data = {
      root: workspace,
      file: path.join(options.cacheFolder ?? defaultCacheFolder(), `${name}.sqlite`),
      threads: options.threads ?? Math.min(4, availableParallelism()),
      maxFiles: options.maxFiles ?? 50_000,
      maxFileBytes: options.maxFileBytes ?? 1_000_000,
      maxWaitMs: options.maxWaitMs ?? 90_000,
    };
  }

  async ask<Request extends IndexRequest>(question: IndexQuestion<Request>): Promise<IndexAnswer<Request["type"]>> {
    const { request, signal, onProgress } = question;
    signal.throwIfAborted();
    const worker = (this.#worker ??= this.#start());
    const id = (this.#asked += 1);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    this.#pending.set(id, { resolve, reject, onProgress });
    worker.ref();
    worker.postMessage({ id, request }, []);
    try {
      // The thread answers each kind of request by its own kind of answer.
      return (await promise) as IndexAnswer<Request["type"]>;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#worker?.unref();
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async removeFile(): Promise<void> {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) await rm(this.#data.file + suffix, { force: true });
  }

  #start(): Worker {
    const environment: Record<string, string> = {};
    for (const name of ["HOME", "XDG_CONFIG_HOME"]) {
      const value = process.env[name];
      if (value !== undefined) environment[name] = value;
    }
    const worker = startWorker({ name: "index-worker", data: this.#data, environment });
    const fail = (message: string): void => {
      if (this.#worker === worker) this.#worker = undefined;
      const error = new RetinueError("tool_failed", `The index of the code cannot be used: ${message}`);
      for (const { reject } of this.#pending.values()) reject(error);
    };
    worker.on("message", (message: FromIndex) => this.#take(message));
    worker.on("error", (thrown) => fail(thrown instanceof Error ? thrown.message : String(thrown)));
    worker.on("exit", () => fail("it was closed."));
    return worker;
  }

  #take(message: FromIndex): void {
    switch (message.type) {
      case "answer":
        return this.#pending.get(message.id)?.resolve(message.answer);
      case "failed":
        return this.#pending.get(message.id)?.reject(new RetinueError("tool_failed", `The index failed: ${message.message}`));
      case "progress":
        for (const { onProgress } of this.#pending.values()) onProgress?.(message.done, message.total);
        return undefined;
      default:
        return message satisfies never;
    }
  }
}

const defaultCacheFolder = (): string => {
  const base = process.env["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache");
  return path.join(base, "retinue", "code");
};
