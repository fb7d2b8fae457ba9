/** That a conversation was handed over: at the run that had it, who goes on with it; at the run that has it, that it does. */
import { hasConversation, type RunView } from "@retinue/client";
import { useScene } from "../session/session-context.ts";

export const HandedOver = ({ run }: { readonly run: RunView }) => {
  const { session, select } = useScene();
  const { transferredTo } = run;
  const heir = transferredTo === null ? undefined : session.view.runs.get(transferredTo.runId);
  if (transferredTo !== null) {
    const name = heir === undefined ? transferredTo.agent : session.names.nameOf(heir);
    return (
      <button
        type="button"
        className="chip handed"
        title={`${name} ${transferredTo.hasAnswered ? "answered" : "goes on"} in its place`}
        onClick={() => select(transferredTo.runId)}
      >
        handed over to {name}
      </button>
    );
  }
  return run.depth > 0 && hasConversation(run, session.view.runs) ? (
    <span className="chip handed" title="It goes on in the place of who handed it over">
      has the conversation
    </span>
  ) : null;
};
