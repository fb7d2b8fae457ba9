/**
 * Works on a list of tasks, a few at a time, and gives the results in the order of the tasks. Where some of them wait outside of memory, `Parked` is thrown
 * when all others have ended: the call that fans out is made again, and finds every run that it has started.
 */
import type { RunResult, WaitingFor } from "@retinue/protocol";
import { NO_USAGE, toErrorValue } from "@retinue/protocol";
import { Parked } from "@retinue/runtime";

export const fanOut = async <T, R = RunResult>(
  tasks: readonly T[],
  maxConcurrent: number,
  work: (task: T) => Promise<R>,
): Promise<readonly (R | RunResult)[]> => {
  const results: (R | RunResult)[] = [];
  const waiting: WaitingFor[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < tasks.length; index = next++) {
      const task = tasks[index];
      if (task === undefined) continue;
      try {
        results[index] = await work(task);
      } catch (thrown) {
        if (thrown instanceof Parked) waiting.push(...thrown.on);
        else results[index] = toFailed(thrown);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(Math.max(1, maxConcurrent), tasks.length) }, worker));
  if (waiting.length > 0) throw new Parked(waiting);
  return results;
};

/** A task that could not even be started is a failed result like any other. */
const toFailed = (thrown: unknown): RunResult => {
  const error = toErrorValue(thrown);
  return {
    status: "failed",
    summary: error.message,
    details: "",
    filesModified: [],
    filesCreated: [],
    testsRun: 0,
    testsPassed: 0,
    warnings: [],
    unverified: [],
    suggestions: [],
    findings: [],
    iterations: 0,
    toolCalls: 0,
    contextTokens: 0,
    durationMs: 0,
    usage: NO_USAGE,
    costUsd: 0,
    depth: 0,
    bailoutReason: "error",
    error,
  };
};
