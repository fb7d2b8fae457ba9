/** Plans: sessions in which one was made or carried out, and a goal to have one made for. */
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { Link, useLocation } from "../parts/router.tsx";
import { ago } from "../parts/amounts.ts";
import { useNow } from "../parts/clock.ts";
import { call } from "../server/call.ts";
import { useCall } from "../server/use-call.ts";
import { useWorkspaces } from "../server/workspaces.ts";
import { ErrorNote } from "../tree/tool-card.tsx";

export const PlansScreen = () => {
  const [, navigate] = useLocation();
  const { current } = useWorkspaces();
  const { value, error } = useCall("listPlans", { query: { limit: 100 } });
  const [goal, setGoal] = useState("");
  const [research, setResearch] = useState(true);
  const [failure, setFailure] = useState<ErrorValue | null>(null);
  const now = useNow();
  const make = (): void => {
    if (current === undefined || goal.trim() === "") return;
    call("makePlan", { body: { workspaceId: current.workspaceId, goal, research } }).then(
      ({ sessionId }) => navigate(`/sessions/${sessionId}/plan`),
      (thrown: unknown) => setFailure(toErrorValue(thrown)),
    );
  };
  return (
    <main className="screen scroll">
      <div className="screen-inner">
        <h1>Plans</h1>
        <p className="quiet">
          For goals that take more than a few steps: steps that depend on each other, each carried out by a sub-agent of its own.
        </p>
        <form
          className="panel pad stack"
          onSubmit={(event) => {
            event.preventDefault();
            make();
          }}
        >
          <textarea
            className="field"
            rows={2}
            aria-label="Goal of the plan"
            placeholder="Goal, such as: add JWT authentication"
            value={goal}
            onChange={({ target }) => setGoal(target.value)}
          />
          <div className="line">
            <label className="line grow small">
              <input type="checkbox" checked={research} onChange={({ target }) => setResearch(target.checked)} /> Explore the
              workspace first
            </label>
            <button type="submit" className="button solid" disabled={goal.trim() === ""}>
              Make a plan
            </button>
          </div>
          {failure === null ? null : <ErrorNote error={failure} />}
        </form>
        {error === null ? null : <ErrorNote error={error} />}
        {value?.items.length === 0 ? <p className="quiet">No plan yet.</p> : null}
        <ul className="plain-list">
          {value?.items.map((item) => (
            <li key={item.sessionId}>
              <Link href={`/sessions/${item.sessionId}/plan`}>{item.title}</Link>{" "}
              <span className="quiet small">
                {item.status} · {ago(item.updatedAt, now)}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </main>
  );
};
