/** Allows acts like this one for good: says what the rule covers before it is kept, and where it can be taken away again. */
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { useCall } from "../server/use-call.ts";
import { ErrorNote } from "../tree/tool-card.tsx";
import { answerQuestion, type Question } from "./question.ts";

export const RuleDialog = ({ question, onClose }: { readonly question: Question; readonly onClose: () => void }) => {
  const { value, error: unread } = useCall("getApproval", { params: { approvalId: question.approvalId } });
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<ErrorValue | null>(unread);
  const keep = (rule: string): void => {
    setSending(true);
    answerQuestion(question, { allowed: true, scope: "once", rule }).then(onClose, (thrown: unknown) => {
      setSending(false);
      setError(toErrorValue(thrown));
    });
  };
  return (
    <Dialog title="Allow as a rule" onClose={onClose}>
      {value === null && unread === null ? <p className="quiet">Looking …</p> : null}
      {value === null || value.rule !== null ? null : (
        <div className="stack">
          <p>
            <strong>No rule can be kept for this act.</strong> A rule covers commands by their first words, and writes below a
            folder of the workspace; nothing that leaves the sandbox, is given a secret, reaches another host or touches what is
            protected.
          </p>
          <p className="quiet">Allow it once, for this run or for this session.</p>
        </div>
      )}
      {value?.rule == null ? null : (
        <div className="stack">
          <p>From now on, in this folder, in every session and by every agent, this is allowed without a question:</p>
          <p className="rule-text mono">{value.rule}</p>
          <p className="quiet small">
            Not covered: what leaves the sandbox, is given a secret, reaches another host or touches what is protected. Questions
            that wait now and are covered are allowed at once. The rule is kept in your own files, never in the project; Settings
            takes it away again.
          </p>
        </div>
      )}
      {error === null ? null : <ErrorNote error={error} />}
      <footer>
        <button type="button" className="button" onClick={onClose}>
          Back
        </button>
        {value?.rule == null ? null : (
          <button
            type="button"
            className="button solid"
            disabled={isSending}
            onClick={() => value.rule !== null && keep(value.rule)}
          >
            Allow, and keep the rule
          </button>
        )}
      </footer>
    </Dialog>
  );
};
