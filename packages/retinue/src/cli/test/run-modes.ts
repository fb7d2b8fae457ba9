/** What `retinue test` does besides running cases: doing passed ones again without a model, comparing with one agent, and writing Playwright tests. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { foldSession } from "@retinue/client";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import type { Comparison, LoadedCase, QaPorts, RecordedActs } from "@retinue/qa";
import {
  describeCase,
  diffActs,
  readRecordedActs,
  runCase,
  toPlaywright,
  toReplayPlan,
  toTokenBill,
  toWantedBrowser,
} from "@retinue/qa";
import type { RetinueEvent } from "@retinue/protocol";
import { toBlocked } from "../../qa/run-tests.ts";
import type { TestResults } from "../../qa/test-results.ts";
import type { HealMode } from "./test-options.ts";

export type Rerun = {
  readonly ports: QaPorts;
  readonly results: TestResults;
  readonly signal: AbortSignal;
  readonly heal: HealMode;
  /** Whether an agent may do a step whose recorded acts cannot be done any more: a model is there, and healing is wanted. */
  readonly mayAsk: boolean;
  readonly onEvent?: (loaded: LoadedCase, event: RetinueEvent) => void;
};

/** Runs what a case did when it passed last. A case of which there is nothing that could be done again is blocked, and the others go on. */
export const createRerun =
  ({ ports, results, signal, heal, mayAsk, onEvent }: Rerun) =>
  async (loaded: LoadedCase, attempt: number): Promise<CaseResult> => {
    const passed = await results.latestPass(loaded.id);
    const sessionId = passed?.sessionId ?? null;
    const events = sessionId === null ? [] : await ports.events(sessionId);
    if (sessionId === null || events.length === 0)
      return toBlocked(
        loaded,
        attempt,
        "It has not passed yet, so that there is nothing to do again. Run it once without --rerun.",
      );
    const acts = readRecordedActs(foldSession(sessionId, events));
    const again = toReplayPlan(loaded.testCase, acts, { reset: loaded.suite.reset ?? [], mayAsk });
    const [missing] = again.missing;
    if (missing !== undefined)
      return toBlocked(
        loaded,
        attempt,
        `What comes before the case was not recorded: ${JSON.stringify(missing)}. Run it once without --rerun.`,
      );
    const elements = [...acts.steps.values()].flat().flatMap(({ element }) => element ?? []);
    const result = await runCase(loaded, ports, {
      attempt,
      signal,
      plan: again.plan,
      after: again.after,
      problems: [...acts.lost, ...again.problems],
      onEvent: (event) => onEvent?.(loaded, event),
      recorded: { elements, mayHeal: heal !== "off" },
    });
    return result.healed ? { ...result, healing: await toHealing(result, acts, ports, heal) } : result;
  };

/** Saved is only what passed: every check that the runner made held, and what is expected was read from the file of the case. */
const toHealing = async (
  { sessionId, verdict }: CaseResult,
  before: RecordedActs,
  ports: QaPorts,
  heal: HealMode,
): Promise<NonNullable<CaseResult["healing"]>> => {
  const after = sessionId === null ? before : readRecordedActs(foldSession(sessionId, await ports.events(sessionId)));
  return { saved: heal === "save" && verdict === "pass", diff: [...diffActs(before, after)] };
};

/** Runs each case by one agent, too. */
export const compareFlat = async (
  cases: readonly LoadedCase[],
  { cases: results }: SuiteResult,
  ports: QaPorts,
  signal: AbortSignal,
): Promise<readonly Comparison[]> => {
  const compared: Comparison[] = [];
  for (const loaded of cases) {
    const done = results.find(({ id }) => id === loaded.id);
    if (!done?.sessionId) continue;
    const sessionId = ports.newSessionId();
    ports.configureBrowser(sessionId, toWantedBrowser(loaded));
    await ports.runFlat(describeCase(loaded.testCase), { sessionId, isNew: true, signal });
    compared.push({
      title: loaded.testCase.title,
      flat: toTokenBill(foldSession(sessionId, await ports.events(sessionId))),
      orchestrated: toTokenBill(foldSession(done.sessionId, await ports.events(done.sessionId))),
    });
  }
  return compared;
};

/** Gives the files that were written. */
export const exportPlaywright = async (
  cases: readonly LoadedCase[],
  { cases: results }: SuiteResult,
  ports: QaPorts,
  folder: string,
): Promise<readonly string[]> => {
  const written: string[] = [];
  for (const loaded of cases) {
    const passed = results.find(({ id, verdict }) => id === loaded.id && verdict === "pass");
    if (!passed?.sessionId) continue;
    const acts = readRecordedActs(foldSession(passed.sessionId, await ports.events(passed.sessionId)));
    const name = loaded.id.replace(/\.ya?ml/, "").replaceAll(/[^\w-]+/g, "-");
    const file = path.join(folder, `${name}.spec.ts`);
    await mkdir(folder, { recursive: true });
    await writeFile(file, toPlaywright(loaded.testCase, acts));
    written.push(file);
  }
  return written;
};
