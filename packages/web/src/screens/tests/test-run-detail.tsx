/** One test run: how far it is or what came of it, case by case. While it works, each case is followed live and the run can be stopped. */
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { ago, clock, took } from "../../parts/amounts.ts";
import { useNow } from "../../parts/clock.ts";
import { Icon } from "../../parts/icons.tsx";
import { Link, navigate } from "../../parts/router.tsx";
import { Glyph } from "../../parts/status.tsx";
import { call } from "../../server/call.ts";
import { useWorkspaces } from "../../server/workspaces.ts";
import { ErrorNote } from "../../tree/tool-card.tsx";
import { CaseResultCard } from "./case-result.tsx";
import { PendingCaseCard } from "./pending-case.tsx";
import { usePolled } from "./use-polled.ts";
import type { TestRun, VerdictName } from "./verdict.tsx";

const ORDER: readonly VerdictName[] = ["pass", "fail", "blocked", "inconclusive"];
const WORDS: Partial<Record<VerdictName, string>> = { pass: "passed", fail: "failed" };

const countsOf = ({ cases, pending }: TestRun): string =>
  [
    ...ORDER.flatMap((verdict) => {
      const many = cases.filter((one) => one.verdict === verdict).length;
      return many === 0 ? [] : [`${many} ${WORDS[verdict] ?? verdict}`];
    }),
    ...(pending.length === 0 ? [] : [`${pending.length} to go`]),
  ].join(", ");

const Time = ({ run }: { readonly run: TestRun }) => {
  const now = useNow(run.state === "running");
  if (run.startedAt === null) return null;
  return run.state === "running" ? (
    <span className="elapsed">{clock(now - Date.parse(run.startedAt))}</span>
  ) : (
    <span>
      {took(run.durationMs)}, {ago(run.startedAt, now)}
    </span>
  );
};

export const TestRunDetail = ({ testRunId }: { readonly testRunId: string }) => {
  const { current } = useWorkspaces();
  const params = current === undefined ? null : { workspaceId: current.workspaceId, testRunId };
  const { value, error, again } = usePolled("getTestRun", params === null ? null : { params }, ({ state }) => state !== "ended");
  const [failed, setFailed] = useState<ErrorValue | null>(null);
  const stop = (): void => {
    if (params === null || value === null) return;
    const wasQueued = value.state === "queued";
    call("cancelTestRun", { params, body: {} }).then(
      () => (wasQueued ? navigate("/tests") : again()),
      (thrown: unknown) => setFailed(toErrorValue(thrown)),
    );
  };
  return (
    <>
      <p className="line wrap">
        <Link href="/tests">All cases and runs</Link>
      </p>
      {error === null || value !== null ? null : <ErrorNote error={error} />}
      {failed === null ? null : <ErrorNote error={failed} />}
      {value === null ? null : (
        <>
          <div className="line wrap run-summary" role="status">
            {value.state === "ended" ? null : (
              <span className="badge" data-status={value.state === "running" ? "running" : "requested"}>
                <Glyph status={value.state === "running" ? "running" : "requested"} />
                {value.state === "running" ? "running" : "waits for another test run"}
              </span>
            )}
            <strong>{countsOf(value)}</strong>
            <span className="quiet small line wrap">
              <Time run={value} />
              {value.model === null ? null : <span>{value.model}</span>}
              <span className="mono">{value.testRunId}</span>
            </span>
            <span className="grow" />
            {value.state === "ended" ? null : (
              <button type="button" className="button" onClick={stop}>
                <Icon name="stop" size={12} /> Stop this test run
              </button>
            )}
          </div>
          {value.problem === null ? null : (
            <div className="note" data-status="failed">
              <Glyph status="failed" />
              <div>{value.problem}</div>
            </div>
          )}
          <ul className="plain-list" aria-label="Cases of this run">
            {value.cases.map((one) => (
              <CaseResultCard key={one.id} one={one} />
            ))}
            {value.pending.map((one) => (
              <PendingCaseCard key={one.id} one={one} />
            ))}
          </ul>
        </>
      )}
    </>
  );
};
