/**
 * Runs one case, once, in a session of its own: preparation, plan, steps, clean-up. What the steps came to is judged from the record; here it is only found
 * out whether they could be tried at all.
 */
import type { CallOutcome, GivenCall, Plan, PlanStep, RetinueEvent } from "@retinue/protocol";
import { NO_USAGE, RetinueError } from "@retinue/protocol";
import { foldSession } from "@retinue/client";
import type { CaseResult, Desktop, Hook, Verdict } from "@retinue/protocol/test-case";
import { readCheckResult } from "@retinue/protocol/test-case";
import { judgeCase } from "../judge/judge-case.ts";
import type { LoadedCase } from "../load/parse-case.ts";
import { describeCase } from "../plan/describe-case.ts";
import { COMMAND_CHECK, toCheckCall } from "../plan/to-calls.ts";
import { toAfterSteps, toCasePlan } from "../plan/to-plan.ts";
import type { Fault, QaPorts, WantedBrowser, Within } from "./ports.ts";

export type CaseOptions = {
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly onEvent?: (event: RetinueEvent) => void;
  /** A plan that is carried out in place of one that an orchestrator makes, as when recorded acts are done again. */
  readonly plan?: Plan;
  /** Steps that are carried out after the case in place of those that an agent would do. */
  readonly after?: readonly PlanStep[];
  readonly problems?: readonly string[];
  /** The elements of recorded acts, and whether they may be found in another way than recorded. */
  readonly recorded?: WantedBrowser["recorded"];
};

/** Ends the case before its steps were tried. */
class Blocked extends Error {}

export const runCase = async (loaded: LoadedCase, ports: QaPorts, options: CaseOptions): Promise<CaseResult> => {
  const { testCase, suite } = loaded;
  const startedAt = ports.now();
  const problems: string[] = [...(options.problems ?? [])];
  const sessionId = ports.newSessionId();
  let hasBegun = false;
  let blocked: string | null = null;
  /** What ended the case from outside; a failure that was seen before stays one. */
  let environment: string | null = null;
  const within = (): Within => {
    const isNew = !hasBegun;
    hasBegun = true;
    return { sessionId, isNew, signal: options.signal, ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }) };
  };
  const wanted = toWantedBrowser(loaded);
  ports.configureBrowser(sessionId, { ...wanted, recorded: options.recorded });
  const desktop = desktopOf(loaded);
  if (desktop) ports.configureDesktop?.(sessionId, desktop, wanted.secrets);

  const makeAll = async (words: string, calls: readonly GivenCall[], all = false): Promise<readonly CallOutcome[]> => {
    if (calls.length === 0) return [];
    const made = await ports.makeCalls(words, { calls, all }, within());
    if (made.fault) throw new Blocked(`${words}: ${made.fault.message}`);
    return made.outcomes;
  };
  const prepare = async (words: string, calls: readonly GivenCall[]): Promise<void> => {
    const outcomes = await makeAll(words, calls);
    const failed = outcomes.find((outcome) => !isHeld(outcome));
    if (failed) throw new Blocked(`${words}: ${describeOutcome(failed)}`);
  };

  try {
    await prepare("The reset before the case failed", toCommands(suite.reset));
    await prepare("What comes before the case failed", toCommands(testCase.before));
    await prepare(
      "A precondition does not hold",
      (testCase.preconditions ?? []).flatMap((one) => (typeof one === "string" ? [] : [toCheckCall(one)])),
    );
    const done = options.plan ? await carryOut(options.plan) : await planAndCarryOut();
    if (done.fault) problems.push(done.fault.message);
    // Recorded acts need no model: where one was wanted to heal them and is not there, they are as they would be without.
    const isMissed = options.recorded !== undefined && done.fault?.code.startsWith("model_") === true;
    if (done.fault && isEnvironment(done.fault) && !isMissed) environment = done.fault.message;
  } catch (thrown) {
    if (!(thrown instanceof Blocked)) throw thrown;
    blocked = thrown.message;
  }
  await cleanUp();
  problems.push(...(ports.browserProblems?.(sessionId) ?? []));
  return toResult();

  async function carryOut(plan: Plan): Promise<{ readonly fault: Fault | null }> {
    const { timeoutMs = suite.timeoutMs } = testCase;
    return ports.carryOut(plan, { ...within(), timeoutMs });
  }

  /** A plan that cannot be carried out, as where it has too many steps, is asked for again once; then the steps are carried out as written. */
  async function planAndCarryOut(): Promise<{ readonly fault: Fault | null }> {
    let refused: string | null = null;
    for (let tries = 0; tries < 2; tries += 1)
      try {
        return await carryOut(await makePlan(refused));
      } catch (thrown) {
        refused = readRefusal(thrown);
      }
    problems.push(`${refused ?? ""} The steps are carried out as written.`);
    try {
      return await carryOut(toCasePlan(testCase, null, { reset: suite.reset, desktop }).plan);
    } catch (thrown) {
      throw new Blocked(readRefusal(thrown));
    }
  }

  async function makePlan(refused: string | null): Promise<Plan> {
    const again = refused === null ? "" : `\n\nAn earlier plan of yours was refused: ${refused} Make one that holds.`;
    const planned = await ports.planCase(`${describeCase(testCase)}${again}`, within());
    if (planned.fault && isEnvironment(planned.fault)) throw new Blocked(planned.fault.message);
    if (planned.fault)
      problems.push(`The orchestrator made no plan, so the steps are carried out as written: ${planned.fault.message}`);
    const { plan, problem } = toCasePlan(testCase, planned.plan, { reset: suite.reset, desktop });
    if (problem !== null) problems.push(problem);
    return plan;
  }

  /** Done whatever became of the case; what fails here is told, and changes no verdict. */
  async function cleanUp(): Promise<void> {
    if (!hasBegun || options.signal.aborted) return;
    try {
      const outcomes = await makeAll("What comes after the case", toCommands(testCase.after), true);
      for (const outcome of outcomes) if (!isHeld(outcome)) problems.push(`After the case: ${describeOutcome(outcome)}`);
      const steps = options.after ?? toAfterSteps(testCase);
      // Without a model no agent can do anything, and commands still can.
      if (steps.length > 0 && environment === null)
        await ports.carryOut({ goal: `Clean up after: ${testCase.title}`, steps }, within());
    } catch (thrown) {
      if (!(thrown instanceof Blocked)) throw thrown;
      problems.push(thrown.message);
    }
  }

  async function toResult(): Promise<CaseResult> {
    const view = hasBegun ? foldSession(sessionId, await ports.events(sessionId)) : null;
    const judged = view && blocked === null ? judgeCase(testCase, view) : null;
    if (judged?.verdict === "inconclusive") blocked = environment;
    const verdict: Verdict = blocked === null && judged ? judged.verdict : "blocked";
    const spent = view?.spent;
    return {
      id: loaded.id,
      title: testCase.title,
      file: loaded.file,
      tags: [...(suite.tags ?? []), ...(testCase.tags ?? [])],
      verdict,
      reason: blocked ?? judged?.reason ?? "Nothing was begun.",
      flaky: false,
      healed: judged?.steps.some(({ healed }) => healed.length > 0) ?? false,
      attempt: options.attempt,
      sessionId: hasBegun ? sessionId : null,
      steps: [...(judged?.steps ?? [])],
      summary: judged?.summary ?? "",
      durationMs: Math.max(0, ports.now() - startedAt),
      iterations: spent?.iterations ?? 0,
      toolCalls: spent?.toolCalls ?? 0,
      usage: spent?.usage ?? NO_USAGE,
      costUsd: spent === undefined || spent.unpricedCalls > 0 ? null : spent.costUsd,
      problems,
    };
  }
};

/** The case's own words stand above those of its suite. */
export const toWantedBrowser = ({ testCase, suite, suiteFile, variables }: LoadedCase): WantedBrowser => {
  const { baseUrl } = variables;
  const addresses = [baseUrl, suite.app?.url].flatMap((one) => (typeof one === "string" ? (URL.parse(one)?.host ?? []) : []));
  return {
    ...suite.browser,
    ...testCase.browser,
    ...(typeof baseUrl === "string" ? { baseUrl } : {}),
    dialogs: [...(testCase.dialogs ?? []), ...(suite.dialogs ?? [])],
    allowHosts: [...new Set(addresses)],
    secrets: [...(suite.secrets ?? []), ...(testCase.secrets ?? [])],
    role: roleOf({ testCase, suiteFile }),
    ...(suite.inbox === undefined ? {} : { inbox: suite.inbox }),
  };
};

/** The screen that a case works on; undefined where it works on none. */
export const desktopOf = ({ testCase, suite }: Pick<LoadedCase, "suite" | "testCase">): Desktop | undefined =>
  testCase.desktop ?? suite.desktop;

/** Roles belong to their suite: another one may have one of the same name. */
export const roleOf = ({ testCase: { role }, suiteFile }: Pick<LoadedCase, "suiteFile" | "testCase">): string | undefined =>
  role === undefined ? undefined : `${suiteFile ?? ""} ${role}`;

const toCommands = (hooks: readonly Hook[] | undefined): readonly GivenCall[] =>
  (hooks ?? []).flatMap((hook) =>
    "command" in hook
      ? [
          {
            tool: COMMAND_CHECK,
            input: { run: hook.command, ...(hook.timeoutMs === undefined ? {} : { timeoutMs: hook.timeoutMs }) },
          },
        ]
      : [],
  );

const isHeld = ({ isError, text }: CallOutcome): boolean => !isError && (readCheckResult(text)?.status ?? "held") === "held";

const describeOutcome = ({ tool, text }: CallOutcome): string => {
  const found = readCheckResult(text);
  return found ? `${found.expected}; seen: ${found.observed}` : `${tool}: ${text.split("\n", 1)[0] ?? ""}`;
};

/** Why a plan was not begun; throws what is anything else. */
const readRefusal = (thrown: unknown): string => {
  if (thrown instanceof RetinueError && thrown.code === "plan_invalid") return thrown.message;
  throw thrown;
};

/** What is no fault of the case, nor of what is under test. */
const isEnvironment = ({ code }: Fault): boolean =>
  code.startsWith("model_") || code === "provider_unknown" || code === "cancelled";
