/** Starts a thread from a file beside this one, which has the same ending whether it was built or not. */
import path from "node:path";
import { Worker } from "node:worker_threads";

export type WorkerStart = {
  readonly name: "index-worker" | "parse-worker";
  readonly data?: unknown;
  /** All of the environment that it sees. */
  readonly environment?: Readonly<Record<string, string>>;
};

export const startWorker = ({ name, data, environment = {} }: WorkerStart): Worker =>
  new Worker(new URL(`./${name}${path.extname(import.meta.url)}`, import.meta.url), {
    workerData: data,
    env: { ...environment },
    // What a test runner or a loader was told is not for us.
    execArgv: [],
  });
