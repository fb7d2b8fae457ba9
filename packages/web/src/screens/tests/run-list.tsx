/** The test runs of the workspace, the latest first: those of this page and those of `retinue test`. */
import { ago } from "../../parts/amounts.ts";
import { useNow } from "../../parts/clock.ts";
import { Link } from "../../parts/router.tsx";
import { Glyph, type StatusName } from "../../parts/status.tsx";
import { useWorkspaces } from "../../server/workspaces.ts";
import { ErrorNote } from "../../tree/tool-card.tsx";
import { usePolled } from "./use-polled.ts";

type Row = { readonly state: "queued" | "running" | "ended"; readonly failed: number; readonly total: number };

const statusOf = ({ state, failed, total }: Row): StatusName => {
  if (state === "running") return "running";
  if (state === "queued") return "requested";
  return failed === 0 && total > 0 ? "completed" : "failed";
};

const nameOf = (titles: readonly string[], total: number): string => {
  if (titles.length === 0) return "came to nothing";
  const rest = total - titles.length;
  return `${titles.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
};

export const RunList = () => {
  const { current } = useWorkspaces();
  const { value, error } = usePolled(
    "listTests",
    current === undefined ? null : { params: { workspaceId: current.workspaceId } },
    (listed) => listed.runs.some(({ state }) => state !== "ended"),
  );
  const now = useNow();
  return (
    <section className="stack" aria-label="Test runs">
      <h2>Runs</h2>
      {error === null ? null : <ErrorNote error={error} />}
      <ul className="test-runs">
        {value?.runs.map((run) => (
          <li key={run.testRunId}>
            <Link href={`/tests/${run.testRunId}`} className="test-run-line">
              <Glyph status={statusOf(run)} />
              <span className="clip grow">{nameOf(run.titles, run.total)}</span>
              <span className="small">
                {run.state === "ended" ? "" : `${run.state} · `}
                {run.passed} passed{run.failed === 0 ? "" : `, ${run.failed} not passed`}
              </span>
              <span className="quiet small">{run.startedAt === null ? "" : ago(run.startedAt, now)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {value?.runs.length === 0 ? (
        <p className="quiet">
          None yet. What is run here or by <code>retinue test</code> stands here afterwards.
        </p>
      ) : null}
    </section>
  );
};
