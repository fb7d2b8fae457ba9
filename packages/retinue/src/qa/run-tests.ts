/** Runs loaded cases in a workspace: starts the applications of their suites, logs roles in, runs by workers, and ends what was started. */
import type { RetinueEvent } from "@retinue/protocol";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import type { LoadedCase, QaPorts } from "@retinue/qa";
import { roleOf, runCase, runCases } from "@retinue/qa";
import { createId } from "../create-id.ts";
import type { AppUnderTest, StartedApp } from "./start-app.ts";

export type TestRun = {
  /** Made by `newTestRunId`; a new one by default. */
  readonly id?: string;
  readonly cases: readonly LoadedCase[];
  readonly ports: QaPorts;
  readonly workers: number;
  readonly retries: number;
  readonly signal: AbortSignal;
  readonly model: string;
  readonly environment: string | null;
  readonly startApp: (app: AppUnderTest) => Promise<StartedApp>;
  /** Null where the secrets that a case names are there, or which is not. */
  readonly needSecrets?: (loaded: LoadedCase) => Promise<string | null>;
  /** Null once a case that works on a screen can have one, or why it cannot. */
  readonly needDesktop?: (loaded: LoadedCase) => Promise<string | null>;
  /** Keeps what a browser has kept of a login; undefined where roles cannot log in. */
  readonly logIn?: (role: string, loaded: LoadedCase) => Promise<string | null>;
  /** Keeps what the browser of a case recorded. */
  readonly keepRecordings?: (result: CaseResult) => Promise<CaseResult>;
  readonly onBegin?: (loaded: LoadedCase, attempt: number) => void;
  readonly onEvent?: (loaded: LoadedCase, event: RetinueEvent) => void;
  readonly onEnd?: (result: CaseResult) => void;
  /** Runs a case once, in place of planning it and carrying it out. */
  readonly runOnce?: (loaded: LoadedCase, attempt: number) => Promise<CaseResult>;
};

/** Later ones sort after earlier ones. */
export const newTestRunId = (): string => `test_${createId()}`;

export const runTests = async (run: TestRun): Promise<SuiteResult> => {
  const { cases, ports, signal, onEvent } = run;
  const startedAt = ports.now();
  const apps = createApps(run);
  const roles = createRoles(run);
  /** Whatever throws stays in its case, so that the others run and everything is reported. */
  const runOnce = async (loaded: LoadedCase, attempt: number): Promise<CaseResult> => {
    const result = await tryOnce(loaded, attempt).catch((thrown: unknown) =>
      toBlocked(
        loaded,
        attempt,
        signal.aborted
          ? "The test run was cancelled during this case."
          : `The case could not be run to its end: ${describeThrown(thrown)}`,
      ),
    );
    if (!run.keepRecordings) return result;
    return run.keepRecordings(result).catch((thrown: unknown) => ({
      ...result,
      problems: [...result.problems, `What was recorded could not be kept: ${describeThrown(thrown)}`],
    }));
  };
  const tryOnce = async (loaded: LoadedCase, attempt: number): Promise<CaseResult> => {
    if (signal.aborted) return toBlocked(loaded, attempt, "The test run was cancelled before this case began.");
    const obstacle =
      (await run.needSecrets?.(loaded)) ??
      (await run.needDesktop?.(loaded)) ??
      (await apps.need(loaded)) ??
      (await roles.need(loaded));
    if (obstacle !== null) return toBlocked(loaded, attempt, obstacle);
    if (run.runOnce) return run.runOnce(loaded, attempt);
    return runCase(loaded, ports, { attempt, signal, onEvent: (event) => onEvent?.(loaded, event) });
  };
  try {
    const results = await runCases(cases, {
      workers: run.workers,
      retries: run.retries,
      signal,
      runOnce,
      ...(run.onBegin === undefined ? {} : { onBegin: run.onBegin }),
      ...(run.onEnd === undefined ? {} : { onEnd: run.onEnd }),
    });
    return {
      id: run.id ?? newTestRunId(),
      startedAt: new Date(startedAt).toISOString(),
      durationMs: Math.max(0, ports.now() - startedAt),
      model: run.model,
      environment: run.environment,
      cases: [...results],
    };
  } finally {
    await apps.stop();
  }
};

const describeThrown = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

type Needs = { readonly need: (loaded: LoadedCase) => Promise<string | null> };

/** Each application is started once, before the first case that needs it. */
const createApps = ({ startApp }: TestRun): Needs & { readonly stop: () => Promise<void> } => {
  const started = new Map<string, Promise<StartedApp>>();
  return {
    need: async ({ suite: { app }, suiteFile }) => {
      if (!app) return null;
      const key = suiteFile ?? app.command;
      const starting = started.get(key) ?? startApp(app);
      started.set(key, starting);
      return starting.then(() => null, describeThrown);
    },
    stop: async () => {
      for (const starting of started.values()) await starting.then(({ stop }) => stop()).catch(() => undefined);
    },
  };
};

/** Each role logs in once, however many cases and workers need it. */
const createRoles = ({ logIn }: TestRun): Needs => {
  const known = new Map<string, Promise<string | null>>();
  return {
    need: async (loaded) => {
      const { role } = loaded.testCase;
      if (role === undefined) return null;
      if (!loaded.suite.roles?.[role]) return `The suite has no role "${role}".`;
      if (!logIn) return "Roles cannot log in here: there is no browser.";
      const key = roleOf(loaded) ?? role;
      const done = known.get(key) ?? logIn(role, loaded);
      known.set(key, done);
      return done;
    },
  };
};

/** A case that could not be begun. */
export const toBlocked = (loaded: LoadedCase, attempt: number, reason: string): CaseResult => ({
  id: loaded.id,
  title: loaded.testCase.title,
  file: loaded.file,
  tags: [...(loaded.suite.tags ?? []), ...(loaded.testCase.tags ?? [])],
  verdict: "blocked",
  reason,
  flaky: false,
  healed: false,
  attempt,
  sessionId: null,
  steps: [],
  summary: "",
  durationMs: 0,
  iterations: 0,
  toolCalls: 0,
  usage: { input: 0, output: 0, cached: 0, reasoning: 0 },
  costUsd: 0,
  problems: [],
});
