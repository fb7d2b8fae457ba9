/**
 * The test runs of a server: one works at a time, others wait their turn. Each works in a workspace of its own that is opened as `retinue test` opens it,
 * and closed after it. What a run came to is kept where `retinue test` keeps it; until then it stands here.
 */
import { toShellEnvironment } from "@retinue/confine";
import type { ApproveMode, SessionId } from "@retinue/protocol";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import type { LoadedCase } from "@retinue/qa";
import type { Host } from "../host/host.ts";
import { askInRecord } from "../host/ask-in-record.ts";
import { createAppAgreements } from "../qa/app-agreement.ts";
import { newTestRunId, runTests } from "../qa/run-tests.ts";
import { startApp } from "../qa/start-app.ts";
import { createTestBench } from "../qa/test-bench.ts";
import { createTestResults } from "../qa/test-results.ts";
import { loadSettings } from "../settings/load-settings.ts";
import type { Served } from "./served-workspaces.ts";

export type TestRunState = "queued" | "running" | "ended";

export type PendingCase = {
  readonly loaded: LoadedCase;
  readonly state: "queued" | "running";
  readonly attempt: number;
  readonly sessionId: SessionId | null;
};

export type LiveTestRun = {
  readonly testRunId: string;
  readonly workspaceId: string;
  readonly state: TestRunState;
  readonly startedAt: string | null;
  readonly model: string | null;
  readonly done: readonly CaseResult[];
  readonly pending: readonly PendingCase[];
  /** Why the run as a whole came to nothing. */
  readonly problem: string | null;
};

export type WantedTestRun = {
  readonly cases: readonly LoadedCase[];
  readonly retries: number;
  readonly approve: ApproveMode;
};

export type TestRuns = {
  readonly start: (served: Served, wanted: WantedTestRun) => string;
  /** Of a workspace, the latest first: those that have not ended, and those that came to nothing. */
  readonly list: (workspaceId: string) => readonly LiveTestRun[];
  /** Throws `test_run_unknown` where no such run waits or is at work. */
  readonly cancel: (workspaceId: string, testRunId: string) => void;
  /** Cancels what waits and what is at work, and waits until the applications under test have ended. */
  readonly close: () => Promise<void>;
};

export type TestRunsOptions = {
  readonly host: Pick<Host, "openWorkspace">;
  readonly env: NodeJS.ProcessEnv;
};

type Kept = { -readonly [Key in keyof LiveTestRun]: LiveTestRun[Key] } & { readonly stop: AbortController };

/** Runs that came to nothing are told of until so many others did. */
const MOST_ENDED = 20;

export const createTestRuns = ({ host, env }: TestRunsOptions): TestRuns => {
  const runs = new Map<string, Kept>();
  let last: Promise<void> = Promise.resolve();

  const forgetOldest = (): void => {
    const ended = [...runs.values()].filter(({ state }) => state === "ended");
    for (const { testRunId } of ended.slice(0, -MOST_ENDED)) runs.delete(testRunId);
  };

  const setCase = (run: Kept, id: string, change: Partial<PendingCase>): void => {
    run.pending = run.pending.map((one) => (one.loaded.id === id ? { ...one, ...change } : one));
  };

  const work = async (
    run: Kept,
    { workspace: { folder } }: Served,
    { retries, approve }: WantedTestRun,
  ): Promise<SuiteResult> => {
    const { signal } = run.stop;
    const flags = [{ name: "--approve", path: ["approve"], value: approve }];
    const { settings, home } = await loadSettings({ workspace: folder, env, flags });
    const cases = run.pending.map(({ loaded }) => loaded);
    const bench = createTestBench({ cases });
    const workspace = await host.openWorkspace(folder, {
      ...bench.more,
      settings,
      env,
      // What must be asked stands in the record, and is answered there.
      approver: bench.approver(askInRecord),
    });
    try {
      run.model = workspace.model;
      const agreements = createAppAgreements(home, folder);
      const results = createTestResults(home, folder);
      const result = await runTests({
        ...bench.begin(workspace, {
          signal,
          env,
          agree: async (command) => {
            if (!(await agreements.isAgreed({ command })))
              throw new Error(`Nobody has agreed to start a program on its screen by ${JSON.stringify(command)}.`);
          },
          keep: results.keepRecording,
        }),
        id: run.testRunId,
        cases,
        workers: 1,
        retries,
        signal,
        model: workspace.model,
        environment: null,
        startApp: async (app) => {
          if (!(await agreements.isAgreed(app)))
            throw new Error(`Nobody has agreed to start the application by ${JSON.stringify(app.command)}.`);
          return startApp(app, { cwd: folder, env: toShellEnvironment(env), signal });
        },
        onBegin: ({ id }, attempt) => setCase(run, id, { state: "running", attempt, sessionId: null }),
        onEvent: ({ id }, { sessionId }) => {
          if (run.pending.find(({ loaded }) => loaded.id === id)?.sessionId !== sessionId) setCase(run, id, { sessionId });
        },
        onEnd: (ended) => {
          run.pending = run.pending.filter(({ loaded }) => loaded.id !== ended.id);
          run.done = [...run.done, ended];
        },
      });
      await results.keep(result);
      return result;
    } finally {
      await workspace.close();
    }
  };

  const drive = async (run: Kept, served: Served, wanted: WantedTestRun): Promise<void> => {
    if (run.stop.signal.aborted) {
      runs.delete(run.testRunId);
      return;
    }
    run.state = "running";
    run.startedAt = new Date().toISOString();
    try {
      await work(run, served, wanted);
      runs.delete(run.testRunId);
    } catch (thrown) {
      run.state = "ended";
      run.problem = toErrorValue(thrown).message;
      run.pending = [];
      forgetOldest();
    }
  };

  return {
    start: (served, wanted) => {
      const testRunId = newTestRunId();
      const run: Kept = {
        testRunId,
        workspaceId: served.workspaceId,
        state: "queued",
        startedAt: null,
        model: null,
        done: [],
        pending: wanted.cases.map((loaded) => ({ loaded, state: "queued", attempt: 0, sessionId: null })),
        problem: null,
        stop: new AbortController(),
      };
      runs.set(testRunId, run);
      last = last.then(() => drive(run, served, wanted));
      return testRunId;
    },
    list: (workspaceId) => [...runs.values()].filter((run) => run.workspaceId === workspaceId).toReversed(),
    cancel: (workspaceId, testRunId) => {
      const run = runs.get(testRunId);
      if (run === undefined || run.workspaceId !== workspaceId || run.state === "ended")
        throw new RetinueError("test_run_unknown", `No test run ${testRunId} of this workspace waits or is at work.`);
      run.stop.abort();
      if (run.state === "queued") runs.delete(testRunId);
    },
    close: async () => {
      for (const { stop } of runs.values()) stop.abort();
      await last;
    },
  };
};
