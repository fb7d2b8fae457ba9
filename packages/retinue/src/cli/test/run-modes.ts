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
import { RetinueError } from "@retinue/protocol";
import type { TestResults } from "../../qa/test-results.ts";
import type { HealMode } from "./test-options.ts";

export type Rerun = {
  readonly ports: QaPorts;
  readonly results: TestResults;
  readonly signal: AbortSignal;
  readonly heal: HealMode;
};

/** Runs what a case did when it passed last. */
export const createRerun =
  ({ ports, results, signal, heal }: Rerun) =>
  async (loaded: LoadedCase, attempt: number): Promise<CaseResult> => {
    const passed = await results.latestPass(loaded.id);
    const sessionId = passed?.sessionId ?? null;
    const events = sessionId === null ? [] : await ports.events(sessionId);
    if (sessionId === null || events.length === 0)
      throw new RetinueError("usage", `${loaded.id} has not passed yet, so that there is nothing to do again.`, {
        hint: "Run it once without --rerun.",
      });
    const acts = readRecordedActs(foldSession(sessionId, events));
    const elements = [...acts.steps.values()].flat().flatMap(({ element }) => element ?? []);
    const result = await runCase(loaded, ports, {
      attempt,
      signal,
      plan: toReplayPlan(loaded.testCase, acts),
      problems: acts.lost,
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
