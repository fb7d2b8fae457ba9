/** Leaves a session at one of its events, in a session of its own: the old one stays as it is. */
import type { RunView } from "@retinue/client";
import { type ErrorValue, type SessionId, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { call } from "../server/call.ts";
import { ErrorNote } from "../tree/tool-card.tsx";

type Props = {
  readonly sessionId: SessionId;
  readonly run: RunView | null;
  /** The event after which it is left; the last one where it is not given. */
  readonly seq?: number;
  readonly onClose: () => void;
  readonly onForked: (sessionId: SessionId) => void;
};

export const ForkDialog = ({ sessionId, run, seq, onClose, onForked }: Props) => {
  const [text, setText] = useState("");
  const [model, setModel] = useState("");
  const [error, setError] = useState<ErrorValue | null>(null);
  const fork = (): void => {
    const body = {
      ...(seq === undefined ? {} : { seq }),
      ...(run === null ? {} : { runId: run.runId }),
      ...(text.trim() === "" ? {} : { text }),
      ...(model.trim() === "" ? {} : { model }),
    };
    call("forkSession", { params: { sessionId }, body }).then(
      ({ sessionId: forked }) => onForked(forked),
      (thrown: unknown) => setError(toErrorValue(thrown)),
    );
  };
  return (
    <Dialog title={run === null || run.depth === 0 ? "Fork the session" : `Fork ${run.agent}`} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          fork();
        }}
      >
        <p>
          A new session goes on with this conversation {seq === undefined ? "as it is now" : `as it was after event ${seq}`}. This
          one stays as it is.
        </p>
        <textarea
          className="field"
          rows={3}
          autoFocus
          aria-label="What is said next"
          placeholder="What is said next (empty: it goes on without a word)"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <input
          className="field mono"
          aria-label="Another model"
          placeholder="Another model, as provider/model (optional)"
          value={model}
          onChange={({ target }) => setModel(target.value)}
        />
        {error === null ? null : <ErrorNote error={error} />}
        <footer>
          <button type="submit" className="button solid">
            Fork
          </button>
        </footer>
      </form>
    </Dialog>
  );
};
