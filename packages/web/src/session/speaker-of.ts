/** The run that goes on with the conversation of a run: itself, or whoever it was handed to, however often. */
import type { RunView, SessionView } from "@retinue/client";

export const speakerOf = (run: RunView, { runs }: Pick<SessionView, "runs">): RunView => {
  const heir = run.transferredTo === null ? undefined : runs.get(run.transferredTo.runId);
  return heir === undefined || heir.depth <= run.depth ? run : speakerOf(heir, { runs });
};
