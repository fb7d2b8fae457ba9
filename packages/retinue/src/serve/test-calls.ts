/** Calls of the server about tests: the cases of a workspace, running them, and what `retinue test` and this server keep of test runs. */
import { RetinueError } from "@retinue/protocol";
import type { SuiteResult } from "@retinue/protocol/test-case";
import type { LoadedCase, LoadedCases } from "@retinue/qa";
import { describeExpected, loadCases } from "@retinue/qa";
import type { RouteOutput } from "@retinue/protocol/routes";
import type { ReadonlyDeep } from "@retinue/server";
import path from "node:path";
import { createAppAgreements } from "../qa/app-agreement.ts";
import { createTestResults } from "../qa/test-results.ts";
import type { BackendGround, SomeCalls } from "./backend-ground.ts";
import type { Served } from "./served-workspaces.ts";
import type { LiveTestRun, PendingCase } from "./test-runs.ts";

type TestCall = "listTestCases" | "startTestRun" | "cancelTestRun" | "listTests" | "getTestRun";
type TestRunRow = ReadonlyDeep<RouteOutput<"listTests">["runs"][number]>;

const MOST_LISTED = 200;
const MOST_TITLES = 3;
const NAME = /^test_\w{1,100}$/;

const resultsOf = ({ workspace, loaded: { home } }: Served) => createTestResults(home, workspace.folder);

/** Only below the workspace. */
const load = async ({ workspace: { folder } }: Served, given = "tests"): Promise<LoadedCases> => {
  const inside = path.relative(folder, path.resolve(folder, given));
  if (inside.startsWith("..") || path.isAbsolute(inside))
    throw new RetinueError("request_invalid", `${given} is outside of the workspace.`, {
      hint: "Name a file or folder of the workspace.",
    });
  return loadCases({ paths: [inside === "" ? "." : inside], from: folder });
};

const toSteps = ({ testCase }: LoadedCase) =>
  testCase.steps.map(({ action, expected }, index) => ({
    number: index + 1,
    action,
    expected: expected === undefined ? "" : describeExpected(expected),
  }));

const tagsOf = ({ suite, testCase }: LoadedCase): readonly string[] => [...(suite.tags ?? []), ...(testCase.tags ?? [])];

const toPending = ({ loaded, ...rest }: PendingCase) => ({
  ...rest,
  id: loaded.id,
  title: loaded.testCase.title,
  file: loaded.file,
  tags: tagsOf(loaded),
  steps: toSteps(loaded),
});

const isPass = ({ verdict }: { readonly verdict: string }): boolean => verdict === "pass";

const toKeptRow = ({ id, startedAt, model, cases }: SuiteResult): TestRunRow => ({
  testRunId: id,
  state: "ended",
  startedAt,
  model,
  passed: cases.filter(isPass).length,
  failed: cases.filter((one) => !isPass(one)).length,
  total: cases.length,
  titles: cases.slice(0, MOST_TITLES).map(({ title }) => title),
});

const toLiveRow = ({ testRunId, state, startedAt, model, done, pending }: LiveTestRun): TestRunRow => ({
  testRunId,
  state,
  startedAt,
  model,
  passed: done.filter(isPass).length,
  failed: done.filter((one) => !isPass(one)).length,
  total: done.length + pending.length,
  titles: [...done.map(({ title }) => title), ...pending.map(({ loaded }) => loaded.testCase.title)].slice(0, MOST_TITLES),
});

export const createTestCalls = ({ workspaces, tests }: BackendGround): SomeCalls<TestCall> => ({
  listTestCases: async ({ params: { workspaceId }, query }) => {
    const served = workspaces.of(workspaceId);
    const { cases, problems } = await load(served, query.path);
    const agreements = createAppAgreements(served.loaded.home, served.workspace.folder);
    const earlier = (await resultsOf(served).list(MOST_LISTED)).flatMap((run) => run.cases.map((one) => ({ run, one })));
    const last = new Map(earlier.toReversed().map((found) => [found.one.id, found]));
    const { folder } = served.workspace;
    return {
      cases: await Promise.all(
        cases.map(async (loaded) => {
          const { app } = loaded.suite;
          const found = last.get(loaded.id);
          return {
            id: loaded.id,
            title: loaded.testCase.title,
            file: loaded.file,
            suite: loaded.suiteFile === null ? null : path.relative(folder, loaded.suiteFile),
            tags: tagsOf(loaded),
            steps: toSteps(loaded),
            app: app ? { command: app.command, url: app.url, isAgreed: await agreements.isAgreed(app) } : null,
            last: found
              ? {
                  testRunId: found.run.id,
                  startedAt: found.run.startedAt,
                  verdict: found.one.verdict,
                  flaky: found.one.flaky,
                }
              : null,
          };
        }),
      ),
      problems,
    };
  },
  startTestRun: async ({ params: { workspaceId }, body }) => {
    const served = workspaces.of(workspaceId);
    const { cases } = await load(served, body.path);
    const wanted = new Set(body.cases);
    const chosen = cases.filter(({ id }) => wanted.has(id));
    const missing = [...wanted].filter((id) => !chosen.some((one) => one.id === id));
    if (missing.length > 0)
      throw new RetinueError("request_invalid", `There is no test case ${missing.join(", ")}.`, {
        hint: "It was moved or its file has a mistake; list the cases again.",
      });
    const agreements = createAppAgreements(served.loaded.home, served.workspace.folder);
    for (const { suite } of chosen)
      if (suite.app && body.agreedApps?.includes(suite.app.command) === true) await agreements.agree(suite.app);
    return { testRunId: tests.start(served, { cases: chosen, retries: body.retries ?? 0, approve: body.approve ?? "all" }) };
  },
  cancelTestRun: async ({ params: { workspaceId, testRunId } }) => {
    tests.cancel(workspaces.of(workspaceId).workspaceId, testRunId);
    return { ok: true };
  },
  listTests: async ({ params: { workspaceId } }) => {
    const served = workspaces.of(workspaceId);
    const live = tests.list(served.workspaceId);
    const kept = (await resultsOf(served).list(MOST_LISTED)).filter(({ id }) => !live.some(({ testRunId }) => testRunId === id));
    return { runs: [...live.map(toLiveRow), ...kept.map(toKeptRow)] };
  },
  getTestRun: async ({ params: { workspaceId, testRunId } }) => {
    const served = workspaces.of(workspaceId);
    const live = tests.list(served.workspaceId).find((run) => run.testRunId === testRunId);
    if (live) {
      const { state, startedAt, model, done, pending, problem } = live;
      const durationMs = startedAt === null ? 0 : Math.max(0, Date.now() - Date.parse(startedAt));
      const common = { testRunId, state, startedAt, model, durationMs, environment: null, problem };
      return { ...common, cases: done, pending: pending.map(toPending) };
    }
    const kept = NAME.test(testRunId)
      ? (await resultsOf(served).list(MOST_LISTED)).find(({ id }) => id === testRunId)
      : undefined;
    if (!kept) throw new RetinueError("test_run_unknown", `There is no test run ${testRunId} of this workspace.`);
    const { id: _, ...rest } = kept;
    return { ...rest, testRunId, state: "ended", pending: [], problem: null };
  },
});
