/** Takes a session away for good, after a second look. */
import { type ErrorValue, type SessionId, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { call } from "../server/call.ts";
import { dropSession } from "../server/lists.ts";
import { ErrorNote } from "../tree/tool-card.tsx";

type Props = {
  readonly sessionId: SessionId;
  readonly title: string;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
};

export const DeleteDialog = ({ sessionId, title, onClose, onDeleted }: Props) => {
  const [error, setError] = useState<ErrorValue | null>(null);
  const remove = (): void => {
    call("deleteSession", { params: { sessionId }, query: {} }).then(
      () => {
        dropSession(sessionId);
        onDeleted();
      },
      (thrown: unknown) => setError(toErrorValue(thrown)),
    );
  };
  return (
    <Dialog title="Delete the session" onClose={onClose}>
      <div className="stack">
        <p>
          “{title}” goes for good: its events, messages and artifacts. Files that its agents changed stay as they are. An export
          keeps a copy.
        </p>
        {error === null ? null : <ErrorNote error={error} />}
      </div>
      <footer>
        <button type="button" className="button" onClick={onClose}>
          Keep it
        </button>
        <button type="button" className="button danger" onClick={remove}>
          Delete
        </button>
      </footer>
    </Dialog>
  );
};
