/** Stopping: a run may finish and report, or end now. It says how many it ends below, and that they can be resumed. */
import type { RunView } from "@retinue/client";
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { plural } from "../parts/amounts.ts";
import { Dialog } from "../parts/dialog.tsx";
import { call } from "../server/call.ts";
import { ErrorNote } from "../tree/tool-card.tsx";

const countBelow = (run: RunView): number =>
  run.children.reduce((sum, child) => sum + (child.state.type === "settled" ? 0 : 1) + countBelow(child), 0);

export const StopDialog = ({
  run,
  name,
  onClose,
}: {
  readonly run: RunView;
  readonly name: string;
  readonly onClose: () => void;
}) => {
  const [reason, setReason] = useState("");
  const [error, setError] = useState<ErrorValue | null>(null);
  const below = countBelow(run);
  const stop = (finish: boolean): void => {
    const body = { ...(finish ? { finish } : {}), ...(reason === "" ? {} : { reason }) };
    call("cancelRun", { params: { runId: run.runId }, body }).then(onClose, (thrown: unknown) => setError(toErrorValue(thrown)));
  };
  return (
    <Dialog title={`Stop ${name}`} onClose={onClose}>
      <div className="stack">
        <p>
          {below === 0
            ? "Nothing works below it."
            : `${plural(below, "sub-agent")} below it ${below === 1 ? "is" : "are"} stopped with it.`}{" "}
          What was done stays in the record, and the session can go on from there.
        </p>
        <input
          className="field"
          aria-label="Why (it stands in the record)"
          placeholder="Why (optional; it stands in the record)"
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        {error === null ? null : <ErrorNote error={error} />}
      </div>
      <footer>
        <button type="button" className="button" onClick={onClose}>
          Leave it running
        </button>
        <button type="button" className="button danger" onClick={() => stop(false)}>
          Stop now
        </button>
        <button type="button" className="button solid" onClick={() => stop(true)}>
          Finish and report
        </button>
      </footer>
    </Dialog>
  );
};
