/** What a record says of runs that nobody drives: whether somebody spoke to one since it was left, and whether driving it on leads anywhere. */
import type { RecordedEvent, RunId } from "@retinue/protocol";
import { isInput, isTurnInput } from "@retinue/protocol";
import type { RunState } from "@retinue/runtime";
import { fold } from "@retinue/runtime";

/** Whether something was said to a run of the session after its driver left it, or was not heard before it parked. */
export const hasUnheardInputs = (events: readonly RecordedEvent[]): boolean => {
  const driven = new Map<RunId, RecordedEvent>();
  const said = new Map<RunId, number>();
  for (const event of events)
    if (!isInput(event)) driven.set(event.runId, event);
    else if (!isTurnInput(event)) said.set(event.runId, event.seq);
  if (said.size === 0) return false;
  const states = fold(events);
  for (const [runId, seq] of said) {
    const state = states.get(runId);
    const before = driven.get(runId);
    if (state && before && waits(state) && (before.type === "run.parked" || before.seq < seq)) return true;
  }
  return false;
};

const waits = ({ result, inbox, givenApprovals, cancelRequested, finishRequested, finishing }: RunState): boolean =>
  result === null &&
  (inbox.length > 0 || givenApprovals.size > 0 || cancelRequested !== null || (finishRequested !== null && !finishing));

const PROGRESS: ReadonlySet<string> = new Set<RecordedEvent["type"]>([
  "model.answered",
  "model.failed",
  "tool.settled",
  "message.delivered",
  "run.parked",
]);

/** How often the run was taken up since it last came any further. One that ends its process each time comes no further. */
export const countVainStarts = (events: readonly RecordedEvent[], runId: RunId): number => {
  let count = 0;
  for (const event of events) {
    if (event.runId !== runId) continue;
    if (event.type === "run.started") count += 1;
    else if (PROGRESS.has(event.type)) count = 0;
  }
  return count;
};
