/** A conversation that was handed over, in the words that all surfaces of the terminal use. */
import type { RunView } from "@retinue/client";
import type { EventOf, RunId } from "@retinue/protocol";

/** Of a run that begins; undefined where it goes on with nobody's conversation. */
export const formatTakeOver = (
  { runId, parentRunId }: EventOf<"run.requested">,
  runs: ReadonlyMap<RunId, RunView>,
): string | undefined => {
  const parent = parentRunId === null ? undefined : runs.get(parentRunId);
  return parent?.transferredTo?.runId === runId ? `goes on with the conversation in the place of ${parent.agent}` : undefined;
};

/** Of a run that has handed its conversation over; undefined where it has it itself. */
export const formatHandedOver = ({ transferredTo }: Pick<RunView, "transferredTo">): string | undefined =>
  transferredTo === null
    ? undefined
    : `handed the conversation over to ${transferredTo.agent}${transferredTo.hasAnswered ? ", which has answered" : ""}`;
