/** Runs cases by several workers, tries again those that did not pass, and marks what passed only then as flaky. */
import type { CaseResult } from "@retinue/protocol/test-case";
import type { LoadedCase } from "../load/parse-case.ts";
import { runWithWorkers } from "./workers.ts";

export type SuiteOptions = {
  readonly workers: number;
  readonly retries: number;
  readonly signal: AbortSignal;
  /** Runs a case once. */
  readonly runOnce: (loaded: LoadedCase, attempt: number) => Promise<CaseResult>;
  readonly onBegin?: (loaded: LoadedCase, attempt: number) => void;
  /** Told of each case once it is over. */
  readonly onEnd?: (result: CaseResult) => void;
};

export const runCases = (cases: readonly LoadedCase[], options: SuiteOptions): Promise<readonly CaseResult[]> =>
  runWithWorkers(cases, { workers: options.workers, locksOf }, (loaded) => runWithRetries(loaded, options));

const locksOf = ({ suite, testCase }: LoadedCase): readonly string[] => [...(suite.locks ?? []), ...(testCase.locks ?? [])];

const runWithRetries = async (
  loaded: LoadedCase,
  { retries, signal, runOnce, onBegin, onEnd }: SuiteOptions,
): Promise<CaseResult> => {
  const earlier: CaseResult[] = [];
  for (let attempt = 1; ; attempt += 1) {
    onBegin?.(loaded, attempt);
    const result = await runOnce(loaded, attempt);
    if (result.verdict === "pass" || attempt > retries || signal.aborted) {
      const told = { ...withEarlier(result, earlier), flaky: result.verdict === "pass" && attempt > 1 };
      onEnd?.(told);
      return told;
    }
    earlier.push(result);
  }
};

/** What earlier attempts cost and came to is not lost with them. */
const withEarlier = (result: CaseResult, earlier: readonly CaseResult[]): CaseResult => {
  if (earlier.length === 0) return result;
  const all = [...earlier, result];
  const sum = (of: (one: CaseResult) => number): number => all.reduce((total, one) => total + of(one), 0);
  return {
    ...result,
    durationMs: sum(({ durationMs }) => durationMs),
    iterations: sum(({ iterations }) => iterations),
    toolCalls: sum(({ toolCalls }) => toolCalls),
    usage: {
      input: sum(({ usage }) => usage.input),
      output: sum(({ usage }) => usage.output),
      cached: sum(({ usage }) => usage.cached),
      reasoning: sum(({ usage }) => usage.reasoning),
    },
    costUsd: all.some(({ costUsd }) => costUsd === null) ? null : sum(({ costUsd }) => costUsd ?? 0),
    ...(all.some(({ recordings }) => recordings) ? { recordings: all.flatMap(({ recordings = [] }) => recordings) } : {}),
    problems: [
      ...earlier.map(
        ({ attempt, verdict, reason, sessionId }) =>
          `Attempt ${attempt} ended as ${verdict} (${sessionId ?? "no session"}): ${reason}`,
      ),
      ...result.problems,
    ],
  };
};
