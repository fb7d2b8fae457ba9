/** The cases of the workspace by suite, with what came of each the last time; one, several or all of them are run from here. */
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { ago, plural } from "../../parts/amounts.ts";
import { useNow } from "../../parts/clock.ts";
import { Icon } from "../../parts/icons.tsx";
import { Link, navigate } from "../../parts/router.tsx";
import { Glyph } from "../../parts/status.tsx";
import { call } from "../../server/call.ts";
import { useCall } from "../../server/use-call.ts";
import { useWorkspaces } from "../../server/workspaces.ts";
import { ErrorNote } from "../../tree/tool-card.tsx";
import { AppDialog } from "./app-dialog.tsx";
import { FlakyMark, type TestCaseItem, Verdict } from "./verdict.tsx";

const DEFAULT_PATH = "tests";

/** The folder is part of the address, so that a link shows the same cases. */
const pathOfAddress = (): string => new URLSearchParams(location.search).get("path") ?? DEFAULT_PATH;

const CaseLine = ({
  one,
  isChosen,
  onChoose,
  onRun,
}: {
  readonly one: TestCaseItem;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onRun: () => void;
}) => {
  const now = useNow();
  return (
    <li className="case-line">
      <input type="checkbox" aria-label={`Choose ${one.title}`} checked={isChosen} onChange={onChoose} />
      <span className="case-name">
        <span>{one.title}</span>
        <span className="quiet small clip">
          {one.id} · {plural(one.steps.length, "step")}
          {one.tags.length === 0 ? "" : ` · ${one.tags.join(", ")}`}
        </span>
      </span>
      <span className="case-last">
        {one.last === null ? (
          <span className="quiet small">not run yet</span>
        ) : (
          <>
            {one.last.flaky ? <FlakyMark /> : null}
            <Link href={`/tests/${one.last.testRunId}`} className="case-verdict" title={ago(one.last.startedAt, now)}>
              <Verdict verdict={one.last.verdict} />
            </Link>
          </>
        )}
      </span>
      <button type="button" className="button small" aria-label={`Run ${one.title}`} onClick={onRun}>
        <Icon name="play" size={12} /> Run
      </button>
    </li>
  );
};

/** Command lines of applications that nobody has agreed to yet. */
const toAgree = (wanted: readonly TestCaseItem[]): readonly string[] => [
  ...new Set(wanted.flatMap(({ app }) => (app === null || app.isAgreed ? [] : [app.command]))),
];

const None = ({ path }: { readonly path: string }) => (
  <div className="panel pad stack">
    <h2>No test case in {path}</h2>
    <p className="quiet">
      Test cases are written in plain words, carried out in a real browser by agents, and judged by what was recorded.{" "}
      <code>retinue test init</code> writes a first one into <code>tests/</code>.
    </p>
  </div>
);

export const CaseList = () => {
  const { current } = useWorkspaces();
  const [path, setPath] = useState(pathOfAddress);
  const [typed, setTyped] = useState(path);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<readonly TestCaseItem[] | null>(null);
  const [failed, setFailed] = useState<ErrorValue | null>(null);
  const found = useCall(
    "listTestCases",
    current === undefined ? null : { params: { workspaceId: current.workspaceId }, query: { path } },
  );
  const cases = found.value?.cases ?? [];
  // A missing folder is told as such, in words of its own.
  const problems = (found.value?.problems ?? []).filter(({ file }) => file !== path);
  const suites = Map.groupBy(cases, ({ suite, file }) => suite ?? file.replace(/[^/\\]*$/, ""));

  const start = async (wanted: readonly TestCaseItem[], agreedApps: readonly string[]): Promise<void> => {
    if (current === undefined) return;
    try {
      const { testRunId } = await call("startTestRun", {
        params: { workspaceId: current.workspaceId },
        body: { cases: wanted.map(({ id }) => id), path, ...(agreedApps.length === 0 ? {} : { agreedApps: [...agreedApps] }) },
      });
      navigate(`/tests/${testRunId}`);
    } catch (thrown) {
      setFailed(toErrorValue(thrown));
    }
  };
  const run = (wanted: readonly TestCaseItem[]): void => {
    if (toAgree(wanted).length > 0) setAsked(wanted);
    else void start(wanted, []);
  };
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const picked = cases.filter(({ id }) => chosen.has(id));

  return (
    <section className="stack" aria-label="Test cases">
      <div className="line wrap">
        <h2 className="grow">Cases</h2>
        <form
          className="line"
          onSubmit={(event) => {
            event.preventDefault();
            const next = typed.trim() === "" ? DEFAULT_PATH : typed.trim();
            setPath(next);
            navigate(next === DEFAULT_PATH ? "/tests" : `/tests?path=${encodeURIComponent(next)}`);
          }}
        >
          <input
            className="field folder-field"
            aria-label="Folder of the test cases"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
          <button type="submit" className="button">
            Open
          </button>
        </form>
        {cases.length === 0 ? null : (
          <button type="button" className="button solid" onClick={() => run(picked.length === 0 ? cases : picked)}>
            <Icon name="play" size={12} /> {picked.length === 0 ? `Run all ${cases.length}` : `Run ${picked.length} chosen`}
          </button>
        )}
      </div>
      {cases.length === 0 ? null : (
        <p className="quiet small">
          Run as <code>retinue test</code> runs them: agents are not asked about what they may do (<code>approve: all</code>), in
          a browser of their own; what is protected still waits for you.
          {current?.isOffline === true
            ? " No model is connected: the offline rules carry out simple steps, such as navigate, click and type."
            : ""}
        </p>
      )}
      {found.error === null ? null : <ErrorNote error={found.error} />}
      {failed === null ? null : <ErrorNote error={failed} />}
      {problems.map(({ file, line, message }) => (
        <div key={`${file}:${line} ${message}`} className="note" data-status="failed">
          <Glyph status="failed" />
          <div>
            <span className="mono">
              {file}:{line}
            </span>{" "}
            {message}
          </div>
        </div>
      ))}
      {[...suites].map(([suite, of]) => (
        <section key={suite} className="panel suite" aria-label={`Suite ${suite}`}>
          <h3 className="mono">{suite === "" ? "." : suite}</h3>
          <ul className="cases">
            {of.map((one) => (
              <CaseLine
                key={one.id}
                one={one}
                isChosen={chosen.has(one.id)}
                onChoose={() => toggle(one.id)}
                onRun={() => run([one])}
              />
            ))}
          </ul>
        </section>
      ))}
      {found.value !== null && cases.length === 0 && problems.length === 0 ? <None path={path} /> : null}
      {asked === null ? null : (
        <AppDialog
          commands={toAgree(asked)}
          onClose={() => setAsked(null)}
          onAgree={() => {
            setAsked(null);
            void start(asked, toAgree(asked));
          }}
        />
      )}
    </section>
  );
};
