/**
 * Threads that parse. A file that takes too long or brings its thread down is given up and another thread takes over, so that no file can
 * stop the others.
 */
import type { Worker } from "node:worker_threads";
import type { SourceAnswer, SourceRequest } from "./source-answer.ts";
import { startWorker } from "./start-worker.ts";

const FILES_AT_ONCE = 8;
const FILE_TIME_MS = 10_000;

/** `answer` is undefined for a file that had to be given up. */
export type OnParsed = (request: SourceRequest, answer: SourceAnswer | undefined) => void;

export class ParsePool {
  readonly #most: number;
  readonly #idle: Worker[] = [];
  readonly #busy = new Set<Worker>();
  #closed = false;

  constructor(mostThreads: number) {
    this.#most = mostThreads;
  }

  /** Answers come in any order. */
  async run(requests: readonly SourceRequest[], onParsed: OnParsed): Promise<void> {
    const batches: (readonly SourceRequest[])[] = [];
    for (let at = 0; at < requests.length; at += FILES_AT_ONCE) batches.push(requests.slice(at, at + FILES_AT_ONCE));
    batches.reverse();
    const work = async (): Promise<void> => {
      for (let batch = batches.pop(); batch && !this.#closed; batch = batches.pop()) {
        const answers = await this.#parse(batch);
        if (answers) for (const [at, request] of batch.entries()) onParsed(request, answers[at]);
        // One by one it shows which of them it was.
        else if (batch.length > 1) batches.push(...batch.map((request) => [request]));
        else for (const request of batch) onParsed(request, undefined);
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.#most, batches.length) }, work));
    // One is kept, since most changes are small.
    await Promise.all(this.#idle.splice(1).map((worker) => worker.terminate()));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#idle.splice(0), ...this.#busy].map((worker) => worker.terminate()));
  }

  async #parse(batch: readonly SourceRequest[]): Promise<readonly SourceAnswer[] | undefined> {
    const worker = this.#idle.pop() ?? startWorker({ name: "parse-worker" });
    this.#busy.add(worker);
    const answers = await ask(worker, batch);
    this.#busy.delete(worker);
    if (answers === undefined || this.#closed) await worker.terminate();
    else this.#idle.push(worker);
    return answers;
  }
}

const ask = (worker: Worker, batch: readonly SourceRequest[]): Promise<readonly SourceAnswer[] | undefined> => {
  const { promise, resolve } = Promise.withResolvers<readonly SourceAnswer[] | undefined>();
  const giveUp = (): void => resolve(undefined);
  const timer = setTimeout(giveUp, FILE_TIME_MS * batch.length);
  worker.once("message", resolve).once("error", giveUp).once("exit", giveUp);
  worker.postMessage(batch, []);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off("message", resolve).off("error", giveUp).off("exit", giveUp);
  });
};
