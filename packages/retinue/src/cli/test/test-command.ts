/** `retinue test`: loads test cases, runs them, and tells what came of them. */
import { realpath } from "node:fs/promises";
import path from "node:path";
import type { LoadedCase, LoadedCases } from "@retinue/qa";
import { formatComparison, loadCases, selectCases } from "@retinue/qa";
import { RetinueError } from "@retinue/protocol";
import { toShellEnvironment } from "@retinue/confine";
import type { Workspace } from "../../host/workspace.ts";
import { openRecord } from "../../open-record.ts";
import { runTests } from "../../qa/run-tests.ts";
import { startApp } from "../../qa/start-app.ts";
import { createTestBench } from "../../qa/test-bench.ts";
import { createTestResults } from "../../qa/test-results.ts";
import { retinueHome } from "../../settings/retinue-home.ts";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { withSpinner } from "../live/spinner.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { workWith } from "../work-with.ts";
import { agreeToApp, agreeToProgram, createAgreement } from "./agree-to-app.ts";
import { createTestLog } from "./test-log.ts";
import { compareFlat, createRerun, exportPlaywright } from "./run-modes.ts";
import { TEST_EXIT, testExitCode } from "./test-exit-code.ts";
import type { TestOptions } from "./test-options.ts";
import { toCount, toHealMode, toRecordingMode, toVariables } from "./test-options.ts";
import { writeReports } from "./write-reports.ts";

export const testCommand = async (
  paths: readonly string[],
  options: TestOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stderr, env } = surroundings;
  const workers = toCount("--workers", options.workers ?? "1", { least: 1, most: 64 });
  if (options.export !== undefined && options.export !== "playwright")
    throw new RetinueError("usage", `--export ${options.export} is not known; there is playwright.`);
  const heal = toHealMode(options, env);
  const retries = toCount("--retries", options.retries ?? "0", { least: 0, most: 10 });
  const record = { trace: toRecordingMode("--trace", options.trace), video: toRecordingMode("--video", options.video) };
  const { settings, workspace } = await loadSessionSettings({ ...options, approve: options.approve ?? "all" }, surroundings);
  const cases = await readCases(paths, { workspace, maxSteps: settings.plan.maxSteps }, options, surroundings);
  if (cases === null) return TEST_EXIT.usage;
  const bench = createTestBench({ cases, record });
  return workWith(
    {
      workspace,
      settings,
      view: options.json === true ? { type: "quiet" } : { type: "text" },
      tellsOutages: true,
      more: bench.more,
      approver: bench.approver,
    },
    surroundings,
    async (at) => {
      const folder = await realpath(workspace);
      const results = createTestResults(retinueHome(env), folder);
      const agreement = await createAgreement(workspace, cases, options.trustApp === true);
      const spinner = { ...surroundings, isSilent: options.json === true };
      const log = createTestLog({ isTold: options.json !== true, workers, cases: cases.length }, at);
      const asking = <T>(ask: () => Promise<T>): Promise<T> => (at.status ? at.status.without(ask) : ask());
      const begun = bench.begin(at.retinue, {
        signal: at.signal,
        env,
        agree: (line) => asking(() => agreeToProgram(line, agreement, surroundings)),
        keep: results.keepRecording,
      });
      const { ports } = begun;
      const result = await runTests({
        ...begun,
        cases,
        ...(options.rerun === true
          ? {
              runOnce: createRerun({
                ports,
                results,
                signal: at.signal,
                heal,
                mayAsk: heal !== "off" && hasModel(at.retinue),
                ...(log.hears.onEvent ? { onEvent: log.hears.onEvent } : {}),
              }),
            }
          : {}),
        workers,
        retries,
        signal: at.signal,
        model: at.retinue.model,
        environment: options.env ?? null,
        startApp: async (app) => {
          await asking(() => agreeToApp(app, agreement, surroundings));
          await at.surroundings.stderr.write(`retinue: starting ${toPrintable(app.command, "line")}\n`);
          return startApp(app, { cwd: workspace, env: toShellEnvironment(env), signal: at.signal });
        },
        ...log.hears,
      }).finally(log.close);
      await results.keep(result);
      const store = await openRecord({ settings, env, workspace: folder });
      try {
        await writeReports(result, store, options, surroundings);
      } finally {
        await store.close();
      }
      if (options.export !== undefined) {
        const out = path.resolve(workspace, options.out ?? "playwright");
        for (const file of await exportPlaywright(cases, result, ports, out))
          await stderr.write(`retinue: wrote ${toPrintable(path.relative(workspace, file), "line")}\n`);
      }
      if (options.compareFlat === true)
        for (const comparison of await withSpinner("doing the cases with one flat agent", spinner, () =>
          compareFlat(cases, result, ports, at.signal),
        ))
          await surroundings.stdout.write(`${toPrintable(surroundings.redact(formatComparison(comparison)), "prose")}\n`);
      return testExitCode(result, options.strict === true);
    },
  );
};

/** Rules stand in for a model where there is none; they know no more than what was recorded. */
const hasModel = ({ agents, model }: Pick<Workspace, "agents" | "model">): boolean =>
  !(agents.get("qa-step")?.model ?? model).startsWith("offline/");

/** Null where there is nothing that can be run, which is told. */
const readCases = async (
  paths: readonly string[],
  { workspace, maxSteps }: { readonly workspace: string; readonly maxSteps: number },
  options: TestOptions,
  surroundings: Surroundings,
): Promise<readonly LoadedCase[] | null> => {
  const { stdout, stderr, redact } = surroundings;
  const loaded: LoadedCases = await loadCases({
    paths: paths.length === 0 ? ["tests"] : paths,
    from: workspace,
    environment: options.env,
    variables: toVariables(options.var),
    maxSteps,
    isDevice: async (name) => (await import("@retinue/tools/browser")).isDevice(name),
  });
  for (const { file, line, message } of loaded.problems)
    await stderr.write(`${toPrintable(redact(`${file}:${line}: ${message}`), "line")}\n`);
  if (loaded.problems.length > 0) {
    if (options.json === true) await stdout.write(`${toJsonLine({ problems: loaded.problems }, redact)}\n`);
    return null;
  }
  const cases = selectCases(loaded.cases, { grep: options.grep, tags: options.tag, shard: options.shard });
  if (cases.length > 0) return cases;
  await stderr.write(
    loaded.cases.length === 0
      ? "retinue: no test case was found; retinue test init writes a first one.\n"
      : `retinue: none of ${loaded.cases.length} test cases is meant.\n`,
  );
  return null;
};
