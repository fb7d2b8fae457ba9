/**
 * The loop as an async generator: it yields the events of a run and returns its result. It is the loop that every agent at every depth runs in; whoever
 * stops reading before the end cancels the run.
 */
import type { RetinueEvent } from "@retinue/protocol";
import type { RunOptions, Task, Workspace } from "../host/workspace.ts";
import type { RunResultOf } from "./run.ts";

export type RunAgentLoopOptions<Output = unknown> = RunOptions<Output> & {
  /** Where it runs. */
  readonly retinue: Pick<Workspace, "run">;
};

export async function* runAgentLoop<Output = unknown>(
  task: Task,
  { retinue, ...options }: RunAgentLoopOptions<Output>,
): AsyncGenerator<RetinueEvent, RunResultOf<Output>> {
  const run = await retinue.run<Output>(task, options);
  let isRead = false;
  try {
    for await (const event of run) yield event;
    isRead = true;
    return await run.result;
  } finally {
    if (!isRead) run.cancel("Nobody reads the events of the run any more.");
  }
}
