/** Test runs: cases with their verdicts; opened, the steps of a case beside their evidence. It draws what the results hold and leaves the rest. */
import { Link } from "../parts/router.tsx";
import { ago } from "../parts/amounts.ts";
import { useNow } from "../parts/clock.ts";
import { Glyph, type StatusName } from "../parts/status.tsx";
import { useCall } from "../server/use-call.ts";
import { useWorkspaces } from "../server/workspaces.ts";
import { ErrorNote } from "../tree/tool-card.tsx";
import { type TestCaseResult, toCaseResult, toVerdictStatus } from "./test-results.ts";

const Verdict = ({ verdict }: { readonly verdict: string }) => {
  const status: StatusName = toVerdictStatus(verdict);
  return (
    <span className="badge" data-status={status}>
      <Glyph status={status} />
      {verdict}
    </span>
  );
};

const CaseDetail = ({ one, sessionLink }: { readonly one: TestCaseResult; readonly sessionLink: string | null }) => (
  <li className="panel pad test-case">
    <div className="line wrap">
      <h2 className="grow">{one.name}</h2>
      {one.isFlaky ? (
        <span className="badge" data-status="timeout">
          flaky
        </span>
      ) : null}
      <Verdict verdict={one.verdict} />
    </div>
    {one.summary === "" ? null : <p>{one.summary}</p>}
    <ol className="test-steps">
      {one.steps.map((step, at) => (
        <li key={at}>
          <Glyph status={toVerdictStatus(step.verdict)} />
          <div>
            <div>
              {step.text} <span className="hidden-label">{step.verdict}</span>
            </div>
            {step.evidence.map((line, index) => (
              <p key={index} className="quiet small">
                {line}
              </p>
            ))}
          </div>
          {step.pictures.length === 0 ? null : (
            <div className="thumbs">
              {step.pictures.map((picture) => (
                <span key={picture} className="chip">
                  {picture}
                </span>
              ))}
            </div>
          )}
        </li>
      ))}
    </ol>
    {sessionLink === null ? null : <Link href={sessionLink}>the session of this case</Link>}
  </li>
);

const Detail = ({ testRunId }: { readonly testRunId: string }) => {
  const { current } = useWorkspaces();
  const { value, error } = useCall(
    "getTestRun",
    current === undefined ? null : { params: { workspaceId: current.workspaceId, testRunId } },
  );
  return (
    <>
      <p>
        <Link href="/tests">All test runs</Link>
      </p>
      {error === null ? null : <ErrorNote error={error} />}
      <ul className="plain-list">
        {value?.cases.map((one, at) => {
          const result = toCaseResult(one);
          return (
            <CaseDetail key={at} one={result} sessionLink={result.sessionId === "" ? null : `/sessions/${result.sessionId}`} />
          );
        })}
      </ul>
    </>
  );
};

const List = () => {
  const { current } = useWorkspaces();
  const { value, error } = useCall("listTests", current === undefined ? null : { params: { workspaceId: current.workspaceId } });
  const now = useNow();
  return (
    <>
      {error === null ? null : <ErrorNote error={error} />}
      <ul className="plain-list">
        {value?.runs.map(({ testRunId, startedAt, passed, failed }) => (
          <li key={testRunId}>
            <Link href={`/tests/${testRunId}`} className="line">
              <Glyph status={failed === 0 ? "completed" : "failed"} />
              <span className="grow">{testRunId}</span>
              <span className="small">
                {passed} passed, {failed} failed
              </span>
              <span className="quiet small">{startedAt === null ? "" : ago(startedAt, now)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {value?.runs.length === 0 ? (
        <div className="panel pad stack">
          <h2>No test run yet</h2>
          <p className="quiet">
            Test cases are written in plain words, carried out in a real browser by agents, and judged by evidence.{" "}
            <code>retinue test</code> runs them; their results stand here.
          </p>
        </div>
      ) : null}
    </>
  );
};

export const TestsScreen = ({ testRunId }: { readonly testRunId: string }) => (
  <main className="screen scroll">
    <div className="screen-inner is-wide">
      <h1>Tests</h1>
      {testRunId === "" ? <List /> : <Detail testRunId={testRunId} />}
    </div>
  </main>
);
