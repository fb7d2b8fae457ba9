/**
 * Plans and runs one test case from code: the orchestrator breaks it into sub-tasks, a sub-agent does each, failures are recovered from, and the record is
 * judged. It works in a workspace of its own, opened as `retinue test` opens it.
 */
import { toShellEnvironment } from "@retinue/confine";
import type { OrchestratorResult, RetinueEvent } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { CaseResult, testCaseSchema } from "@retinue/protocol/test-case";
import type { LoadedCase } from "@retinue/qa";
import { createCaseLog, loadCases, parseCase } from "@retinue/qa";
import type { z } from "zod";
import type { RetinueOptions } from "../create-retinue.ts";
import { createRetinue } from "../create-retinue.ts";
import { retinueHome } from "../settings/retinue-home.ts";
import { toOrchestratorResult } from "./orchestrator-result.ts";
import { runTests } from "./run-tests.ts";
import { startApp } from "./start-app.ts";
import { createTestBench } from "./test-bench.ts";
import { createTestResults } from "./test-results.ts";

/** A test case as its YAML file says it: title, steps with action and expected, and what else a file may say. */
export type TestCaseOptions = z.input<typeof testCaseSchema>;

export type RunTestCaseOptions = Omit<RetinueOptions, "browser" | "desktop"> & {
  /** Put in where `${name}` stands, above those of the case. */
  readonly variables?: Readonly<Record<string, string | number | boolean>>;
  readonly signal?: AbortSignal;
  /** Whether this command may be started, outside of the sandbox: the application of the suite, or a program on the screen of the case. By default none may. */
  readonly agree?: (command: string) => boolean | Promise<boolean>;
  readonly onEvent?: (event: RetinueEvent) => void;
  /** The live log, line by line: `[Orchestrator] Sub-task 1/5: …`. */
  readonly onLog?: (line: string) => void;
};

/** `orchestrator`: the same in the words of the design. */
export type TestCaseResult = CaseResult & { readonly orchestrator: OrchestratorResult };

/** `testCase` is the path of a YAML file, or what stands in one. Throws `usage` where it is not valid. */
export const runTestCase = async (
  testCase: string | TestCaseOptions,
  {
    variables = {},
    signal = new AbortController().signal,
    agree = () => false,
    onEvent,
    onLog,
    ...options
  }: RunTestCaseOptions = {},
): Promise<TestCaseResult> => {
  const { workspace: folder = process.cwd(), env = process.env } = options;
  const loaded = await readCase(testCase, folder, variables);
  const bench = createTestBench({ cases: [loaded] });
  const retinue = await createRetinue({
    ...options,
    ...bench.more,
    agents: [...(options.agents ?? []), ...bench.more.agents],
    tools: [...(options.tools ?? []), ...bench.more.tools],
    approver: bench.approver(options.approver),
  });
  const log = createCaseLog();
  const requireAgreement = async (command: string): Promise<void> => {
    if (!(await agree(command))) throw new Error(`\`agree\` does not allow starting ${JSON.stringify(command)}.`);
  };
  try {
    const { cases } = await runTests({
      ...bench.begin(retinue, {
        signal,
        env,
        agree: requireAgreement,
        keep: createTestResults(retinueHome(env), folder).keepRecording,
      }),
      cases: [loaded],
      workers: 1,
      retries: 0,
      signal,
      model: retinue.model,
      environment: null,
      startApp: async (app) => {
        await requireAgreement(app.command);
        return startApp(app, { cwd: folder, env: toShellEnvironment(env), signal });
      },
      onEvent: (_, event) => {
        onEvent?.(event);
        if (onLog) for (const line of log.take(event)) onLog(line);
      },
    });
    const [result] = cases;
    if (!result) throw new RetinueError("internal", "The test case was not run.");
    const events = result.sessionId === null ? [] : await retinue.events(result.sessionId);
    return { ...result, orchestrator: toOrchestratorResult(result, events) };
  } finally {
    await retinue.close();
  }
};

const IN_CODE = "test case";

const readCase = async (
  testCase: string | TestCaseOptions,
  folder: string,
  variables: NonNullable<RunTestCaseOptions["variables"]>,
): Promise<LoadedCase> => {
  const { cases, problems } =
    typeof testCase === "string"
      ? await loadCases({ paths: [testCase], from: folder, variables })
      : parseCase({ text: JSON.stringify(testCase), file: IN_CODE, suite: {}, suiteFile: null, given: variables });
  const [problem] = problems;
  if (problem)
    throw new RetinueError("usage", `${problem.file}:${problem.line}: ${problem.message}`, {
      hint: "Correct the test case.",
    });
  const [loaded] = cases;
  if (loaded && cases.length === 1) return loaded;
  throw new RetinueError("usage", `There are ${cases.length} test cases; runTestCase runs one.`, {
    hint: "Name one file without data rows, or use `retinue test`.",
  });
};
