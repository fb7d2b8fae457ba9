/** A run's events in the words of the design of agents as tools: `sub_agent_start`, `sub_agent_progress` and `sub_agent_end` of every run below it. */
import type { Json, RetinueEvent, RunId } from "@retinue/protocol";
import type { RunTextOptions } from "./run-text.ts";
import type { SubAgentResult } from "./sub-agent-definition.ts";
import { toSubAgentResult } from "./sub-agent-definition.ts";

/** Several sub-agents of one name are told apart by their run. */
type Speaker = { readonly subAgentName: string; readonly runId: RunId; readonly depth: number };

export type SubAgentEvent =
  /** `input`: what the parent's call passed to it. */
  | (Speaker & { readonly type: "sub_agent_start"; readonly input: Json })
  | (Speaker & { readonly type: "sub_agent_progress"; readonly event: RetinueEvent })
  | (Speaker & { readonly type: "sub_agent_end"; readonly result: SubAgentResult });

/** Runs below those of this one are told, too; its own events are not. */
export async function* toSubAgentEvents({
  sessionId,
  runId: main,
  afterSeq,
  follow,
  result,
}: RunTextOptions): AsyncGenerator<SubAgentEvent> {
  const stop = new AbortController();
  // A run that is left open has nothing more to say here.
  result().catch(() => stop.abort());
  const family = new Set<RunId>([main]);
  /** What calls that are under way were given. */
  const inputs = new Map<string, Json>();
  try {
    for await (const event of follow(sessionId, { afterSeq, signal: stop.signal })) {
      const { agent: subAgentName, runId, parentRunId, depth } = event;
      if (parentRunId !== null && family.has(parentRunId)) family.add(runId);
      if (!family.has(runId)) continue;
      if (event.type === "tool.started") inputs.set(keyOf(runId, event.callId), event.input);
      if (event.type === "tool.settled") inputs.delete(keyOf(runId, event.callId));
      if (runId === main) {
        if (event.type === "run.settled") return;
        continue;
      }
      const speaker = { subAgentName, runId, depth };
      if (event.type === "run.requested") {
        const passed = parentRunId === null ? undefined : inputs.get(keyOf(parentRunId, event.parentCallId ?? ""));
        yield { type: "sub_agent_start", ...speaker, input: passed ?? { task: textOf(event.task) } };
      } else if (event.type === "run.settled")
        yield { type: "sub_agent_end", ...speaker, result: toSubAgentResult(event.result) };
      else yield { type: "sub_agent_progress", ...speaker, event };
    }
  } finally {
    stop.abort();
  }
}

const keyOf = (runId: RunId, callId: string): string => `${runId} ${callId}`;

const textOf = (task: readonly { readonly type: string; readonly text?: string }[]): string =>
  task.map(({ text }) => text ?? "").join("\n");
