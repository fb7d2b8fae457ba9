/** Who goes on with the conversation of a run: the run itself, or whoever it hands the conversation over to just now. */
import type { RunId } from "@retinue/protocol";
import { asksForTransfer } from "@retinue/protocol";
import type { RunState } from "@retinue/runtime";
import { childRunId } from "./active-run.ts";

export const findSpeaker = (runId: RunId, stateOf: (runId: RunId) => RunState | undefined): RunId => {
  for (const { callId, input } of stateOf(runId)?.turn?.started.values() ?? []) {
    const child = childRunId(runId, callId);
    const state = stateOf(child);
    if (asksForTransfer(input) && state && !state.result) return findSpeaker(child, stateOf);
  }
  return runId;
};
