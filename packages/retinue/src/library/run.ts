/** A run as the library hands it out: the engine's handle, with what its main agent says as text, and with a result of the type that was asked for. */
import type { RunHandle } from "@retinue/engine";
import type { RunResult, RunStatus } from "@retinue/protocol";
import type { ParseOutput } from "@retinue/protocol/agent-file";
import type { RunText, RunTextOptions } from "./run-text.ts";
import { createRunText } from "./run-text.ts";
import type { SubAgentEvent } from "./sub-agent-events.ts";
import { toSubAgentEvents } from "./sub-agent-events.ts";

/** Where an output was asked for, a completed run has it. */
export type RunResultOf<Output> = unknown extends Output
  ? RunResult
  :
      | (Omit<RunResult, "status" | "output"> & { readonly status: "completed"; readonly output: Output })
      | (Omit<RunResult, "status" | "output"> & {
          readonly status: Exclude<RunStatus, "completed">;
          readonly output?: undefined;
        });

export type Run<Output = unknown> = Omit<RunHandle, "result"> & {
  /** See `RunHandle`. */
  readonly result: Promise<RunResultOf<Output>>;
  /** What the main agent says, and nobody else. */
  readonly text: RunText;
  /** The run's events as those of its sub-agents: when each starts, what it does, and how it ends. Each call reads them from the run's beginning. */
  readonly subAgentEvents: () => AsyncIterable<SubAgentEvent>;
};

export const toRun = <Output>(
  handle: RunHandle,
  { follow, parse }: { readonly follow: RunTextOptions["follow"]; readonly parse: ParseOutput<Output> | undefined },
): Run<Output> => {
  let typed: Promise<RunResultOf<Output>> | undefined;
  const { sessionId, runId, afterSeq } = handle;
  const read: RunTextOptions = { sessionId, runId, afterSeq, follow, result: () => handle.result };
  // The handle itself stays what is iterated; its result is only asked for by whoever wants it.
  return Object.create(handle, {
    text: { value: createRunText(read), enumerable: true },
    subAgentEvents: { value: () => toSubAgentEvents(read), enumerable: true },
    result: { get: () => (typed ??= toTyped(handle.result, parse)), enumerable: true },
  }) as Run<Output>;
};

/** The record has the value as JSON; whoever asked with a schema gets what the schema makes of it. */
export const toTyped = async <Output>(
  settled: Promise<RunResult>,
  parse: ParseOutput<Output> | undefined,
): Promise<RunResultOf<Output>> => {
  const result = await settled;
  // Without a schema the type is that of every result.
  if (!parse || result.status !== "completed" || result.output === undefined) return result as RunResultOf<Output>;
  const parsed = await parse(result.output);
  const { output: _, ...rest } = result;
  const typed: RunResult | (Omit<RunResult, "output"> & { readonly output: Output }) =
    parsed.type === "fits"
      ? { ...rest, output: parsed.value }
      : { ...rest, status: "failed", bailoutReason: "error", error: { code: "invalid_result", message: parsed.reason } };
  return typed as RunResultOf<Output>;
};
