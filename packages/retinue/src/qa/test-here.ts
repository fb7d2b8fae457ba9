/**
 * Runs test cases for somebody who watches: in a workspace of their own, opened as `retinue test` opens it and closed after it, on the record of the folder.
 * What came of them is kept where `retinue test` keeps it.
 */
import { toShellEnvironment } from "@retinue/confine";
import type { Approver } from "@retinue/engine";
import type { RetinueEvent } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { loadCases, type LoadedCase } from "@retinue/qa";
import { askInRecord } from "../host/ask-in-record.ts";
import type { Workspace } from "../host/workspace.ts";
import { createAppAgreements } from "./app-agreement.ts";
import { runTests } from "./run-tests.ts";
import type { AppUnderTest } from "./start-app.ts";
import { startApp } from "./start-app.ts";
import { createTestBench, type TestBench } from "./test-bench.ts";
import { createTestResults } from "./test-results.ts";

export type TestsHere = {
  readonly folder: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Opens a workspace of the folder with what testing needs besides. */
  readonly open: (more: TestBench["more"] & { readonly approver: Approver }) => Promise<Workspace>;
};

export type WatchedTests = {
  /** Files and folders of cases; `tests` where there are none. */
  readonly paths: readonly string[];
  readonly signal: AbortSignal;
  /** Whether the application of a suite may be started, outside of the sandbox. */
  readonly agree: (app: AppUnderTest) => Promise<boolean>;
  readonly onLoaded: (cases: readonly LoadedCase[]) => void;
  readonly onBegin: (loaded: LoadedCase, attempt: number) => void;
  readonly onEvent: (loaded: LoadedCase, event: RetinueEvent) => void;
  readonly onEnd: (result: CaseResult) => void;
};

export type RunTestsHere = (watched: WatchedTests) => Promise<SuiteResult>;

export const createTestsHere =
  ({ folder, home, env, open }: TestsHere): RunTestsHere =>
  async ({ paths, signal, agree, onLoaded, onBegin, onEvent, onEnd }) => {
    const cases = await readCases(paths, folder);
    onLoaded(cases);
    const bench = createTestBench({ cases });
    const workspace = await open({ ...bench.more, approver: bench.approver(askInRecord) });
    const agreements = createAppAgreements(home, folder);
    const results = createTestResults(home, folder);
    try {
      const result = await runTests({
        ...bench.begin(workspace, {
          signal,
          env,
          agree: async (command) => {
            if (!(await agreements.isAgreed({ command })))
              throw new Error(
                `Nobody has agreed to start a program on its screen by ${JSON.stringify(command)}; retinue test asks.`,
              );
          },
          keep: results.keepRecording,
        }),
        cases,
        workers: 1,
        retries: 0,
        signal,
        model: workspace.model,
        environment: null,
        startApp: async (app) => {
          if (!(await agreements.isAgreed(app))) {
            if (!(await agree(app))) throw new Error("Starting the application was refused.");
            await agreements.agree(app);
          }
          return startApp(app, { cwd: folder, env: toShellEnvironment(env), signal });
        },
        onBegin,
        onEvent,
        onEnd,
      });
      await results.keep(result);
      return result;
    } finally {
      await workspace.close();
    }
  };

/** Throws where a file is wrong, or there is nothing to run. */
const readCases = async (paths: readonly string[], folder: string): Promise<readonly LoadedCase[]> => {
  const { cases, problems } = await loadCases({ paths: paths.length === 0 ? ["tests"] : paths, from: folder, variables: {} });
  const [first] = problems;
  if (first) {
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    throw new RetinueError("usage", `${first.file}:${first.line}: ${first.message}${more}`, {
      hint: "Mend the file of the case.",
    });
  }
  if (cases.length === 0)
    throw new RetinueError("usage", "No test case was found.", { hint: "retinue test init writes a first one into tests/." });
  return cases;
};
