/** The rules that answer questions in the person's place in this folder, each of which can be taken away. */
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { call } from "../server/call.ts";
import { useCall } from "../server/use-call.ts";
import { useWorkspaces } from "../server/workspaces.ts";
import { ErrorNote } from "../tree/tool-card.tsx";

export const Rules = () => {
  const { current } = useWorkspaces();
  const [failed, setFailed] = useState<ErrorValue | null>(null);
  const { value, error, again } = useCall(
    "listRules",
    current === undefined ? null : { params: { workspaceId: current.workspaceId } },
  );
  const remove = (ruleId: string): void => {
    if (current === undefined) return;
    call("deleteRule", { params: { workspaceId: current.workspaceId, ruleId } }).then(again, (thrown: unknown) =>
      setFailed(toErrorValue(thrown)),
    );
  };
  return (
    <section className="panel pad stack" aria-label="Rules">
      <h2>Rules</h2>
      {error === null ? null : <ErrorNote error={error} />}
      {failed === null ? null : <ErrorNote error={failed} />}
      <p className="quiet small">
        {value?.rules.length === 0
          ? "Everything that has to be asked is asked. A question that is answered “as a rule” adds one here."
          : "Allowed in this folder without a question, in every session:"}
      </p>
      <ul className="rules" aria-label="Rules of this folder">
        {value?.rules.map(({ ruleId, text }) => (
          <li key={ruleId}>
            <span className="mono grow">{text}</span>
            <button type="button" className="button small" aria-label={`Remove the rule ${text}`} onClick={() => remove(ruleId)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
      {value === null ? null : <p className="quiet small mono rule-file">{value.file}</p>}
    </section>
  );
};
