/** Says something to a run that is at work; the run reads it before its next turn, and the tree shows how far it has come. */
import type { RunView } from "@retinue/client";
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { call } from "../server/call.ts";
import { ErrorNote } from "../tree/tool-card.tsx";

const drafts = new Map<string, string>();

export const MessageDialog = ({
  run,
  name,
  onClose,
}: {
  readonly run: RunView;
  readonly name: string;
  readonly onClose: () => void;
}) => {
  const [text, setText] = useState(drafts.get(run.runId) ?? "");
  const [error, setError] = useState<ErrorValue | null>(null);
  const send = (): void => {
    call("sendMessage", { params: { runId: run.runId }, body: { text } }).then(
      () => {
        drafts.delete(run.runId);
        onClose();
      },
      (thrown: unknown) => setError(toErrorValue(thrown)),
    );
  };
  return (
    <Dialog title={`Message to ${name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <textarea
          className="field"
          rows={4}
          autoFocus
          aria-label={`Message to ${name}`}
          placeholder="It reads this before its next turn."
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            drafts.set(run.runId, target.value);
          }}
        />
        {error === null ? null : <ErrorNote error={error} />}
        <footer>
          <button type="submit" className="button solid" disabled={text.trim() === ""}>
            Send
          </button>
        </footer>
      </form>
    </Dialog>
  );
};
