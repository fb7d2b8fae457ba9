/** Has a plan that was only made carried out, in a session of its own. */
import { type ErrorValue, type Plan, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { useLocation } from "../parts/router.tsx";
import { call } from "../server/call.ts";
import { ErrorNote } from "../tree/tool-card.tsx";

export const CarryOutPlan = ({ plan, workspaceId }: { readonly plan: Plan; readonly workspaceId: `wsp_${string}` }) => {
  const [, navigate] = useLocation();
  const [isBegun, setBegun] = useState(false);
  const [error, setError] = useState<ErrorValue | null>(null);
  const begin = (): void => {
    setBegun(true);
    setError(null);
    // The body is the plan as it was told, which the server has checked.
    call("runPlan", { body: { workspaceId, plan: structuredClone(plan) as never } }).then(
      ({ sessionId }) => navigate(`/sessions/${sessionId}/plan`),
      (thrown: unknown) => {
        setBegun(false);
        setError(toErrorValue(thrown));
      },
    );
  };
  return (
    <div className="stack">
      <div>
        <button type="button" className="button solid" disabled={isBegun} onClick={begin}>
          Carry it out
        </button>
      </div>
      {error === null ? null : <ErrorNote error={error} />}
    </div>
  );
};
