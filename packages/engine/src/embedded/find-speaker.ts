/** Who goes on with the conversation of a run: the run itself, or whoever it hands the conversation over to just now. */
import type { RunId, SessionId } from "@retinue/protocol";
import { asksForTransfer } from "@retinue/protocol";
import type { RunState } from "@retinue/runtime";
import { fold } from "@retinue/runtime";
import type { EventLog } from "@retinue/store";
import { childRunId } from "./active-run.ts";

type StateOf = (runId: RunId) => RunState | undefined | Promise<RunState | undefined>;

export const findSpeaker = async (runId: RunId, stateOf: StateOf): Promise<RunId> => {
  for (const { callId, input } of (await stateOf(runId))?.turn?.started.values() ?? []) {
    if (!asksForTransfer(input)) continue;
    const child = childRunId(runId, callId);
    const state = await stateOf(child);
    if (state && !state.result) return findSpeaker(child, stateOf);
  }
  return runId;
};

/** As the record tells, of which only the runs are read that the conversation was handed through. */
export const readSpeaker = (log: Pick<EventLog, "readRuns">, sessionId: SessionId, runId: RunId): Promise<RunId> =>
  findSpeaker(runId, async (id) => fold(await log.readRuns(sessionId, [id])).get(id));
