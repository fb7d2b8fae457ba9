/** Plants one change in a copy of the tree, runs the tests that should notice it, and takes the change back. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runNode } from "../run-node.ts";
import { toVitestReport } from "../test-outcome.ts";
import type { Mutation } from "./mutation.ts";
import { plant } from "./mutation.ts";

export type Trial =
  /** `by` names a test that failed, or says that the tests came to no end. */
  | { readonly type: "noticed"; readonly by: string }
  | { readonly type: "survived" }
  /** It says nothing about the tests: the change could not be planted, or the tests could not be run. */
  | { readonly type: "broken"; readonly why: string };

export type TrialOptions = { readonly root: string; readonly signal: AbortSignal; readonly timeoutMs?: number };

const TIMEOUT_MS = 180_000;

/** A fault that makes a loop endless ends by it, and not by taking the machine's memory. */
const MEMORY_MIB = 1_024;

/** A fault that makes a test wait in vain is noticed sooner than by the usual time of a test. */
const TEST_TIMEOUT_MS = 20_000;

export const tryMutation = async (mutation: Mutation, options: TrialOptions): Promise<Trial> => {
  const file = path.join(options.root, mutation.file);
  const text = readFileSync(file, "utf8");
  try {
    writeFileSync(file, plant(text, mutation));
    return await tryTests(mutation.tests, options);
  } catch (thrown) {
    return { type: "broken", why: thrown instanceof Error ? thrown.message : String(thrown) };
  } finally {
    writeFileSync(file, text);
  }
};

/** Runs test files one after the other until the first test fails. */
export const tryTests = async (
  tests: readonly string[],
  { root, signal, timeoutMs = TIMEOUT_MS }: TrialOptions,
): Promise<Trial> => {
  const reportFile = path.join(root, "mutation-report.json");
  rmSync(reportFile, { force: true });
  const { timedOut, exitCode, output } = await runNode({
    args: [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--bail=1",
      "--retry=0",
      "--maxWorkers=1",
      `--testTimeout=${TEST_TIMEOUT_MS}`,
      "--reporter=json",
      `--outputFile=${reportFile}`,
      ...tests,
    ],
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: `--max-old-space-size=${MEMORY_MIB}`, NO_COLOR: "1" },
    output: "captured",
    timeoutMs,
    group: true,
    signal,
  });
  if (timedOut) return { type: "noticed", by: `the tests came to no end within ${timeoutMs / 1000} s` };
  const report = readReport(reportFile);
  if (!report) return { type: "broken", why: `the test runner left no report:\n${output.slice(-2000)}` };
  const failed = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === "failed"),
  );
  if (failed[0]) return { type: "noticed", by: failed[0].fullName };
  if (output.includes("heap out of memory")) return { type: "noticed", by: "the memory of the tests was used up" };
  if (report.testResults.some(({ status }) => status === "failed"))
    return { type: "broken", why: "a test file could not be loaded" };
  if (report.testResults.length < tests.length) return { type: "broken", why: "a test file that is named was not run" };
  if (exitCode !== 0) return { type: "noticed", by: "an error outside of the tests" };
  return { type: "survived" };
};

const readReport = (file: string): ReturnType<typeof toVitestReport> => {
  try {
    return toVitestReport(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
};
