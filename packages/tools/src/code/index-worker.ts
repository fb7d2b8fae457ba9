/** The thread that keeps the index of one workspace: it brings it up to date before every answer, and has other threads parse. */
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { listDocumented, matchTerms } from "./index-queries.ts";
import { createIndexRefresher } from "./index-refresher.ts";
import type { FromIndex, IndexRequest, ToIndex } from "./index-request.ts";
import { ParsePool } from "./parse-pool.ts";
import { searchSymbols } from "./search-symbols.ts";
import { SymbolStore } from "./symbol-store.ts";

export type IndexWorkerData = {
  readonly root: string;
  readonly file: string;
  readonly threads: number;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** After this an answer is given from what there is. */
  readonly maxWaitMs: number;
};

const send = (message: FromIndex): void => parentPort?.postMessage(message, []);

// Only `CodeIndex` starts this thread.
const data = workerData as IndexWorkerData;
const store = new SymbolStore(data.file);
const refresher = createIndexRefresher({
  root: data.root,
  store,
  pool: new ParsePool(data.threads),
  maxFiles: data.maxFiles,
  maxFileBytes: data.maxFileBytes,
  onProgress: (done, total) => send({ type: "progress", done, total }),
});

const find = (request: IndexRequest): unknown => {
  switch (request.type) {
    case "search":
      return searchSymbols(store, data.root, request.search);
    case "documented":
      return listDocumented(store, request.path);
    case "terms":
      return matchTerms(store, request.terms, request.identifiers);
    default:
      return request satisfies never;
  }
};

const answer = async ({ id, request }: ToIndex): Promise<void> => {
  try {
    const waited = new AbortController();
    await Promise.race([refresher.refresh(), sleep(data.maxWaitMs, undefined, { signal: waited.signal }).catch(() => undefined)]);
    waited.abort();
    send({ type: "answer", id, answer: { found: find(request), state: refresher.state() } });
  } catch (thrown) {
    send({ type: "failed", id, message: thrown instanceof Error ? thrown.message : String(thrown) });
  }
};

parentPort?.on("message", (message: ToIndex) => void answer(message));
