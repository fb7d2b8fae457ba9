/** What running test cases needs, by a workspace: every case is a session, in which each part is a run like any other. */
import type { RunHandle } from "@retinue/engine";
import type { QaPorts, Fault, Within, WantedBrowser } from "@retinue/qa";
import { readSubTasks, toSubTaskPlan } from "@retinue/qa";
import type { Plan, RecordedEvent, RunResult, SessionId } from "@retinue/protocol";
import { CALL_MODEL, readCallOutcomes, RetinueError, toCallTask, toErrorValue } from "@retinue/protocol";
import { createId } from "../create-id.ts";
import type { Workspace } from "../host/workspace.ts";
import { QA_FLAT, QA_RUNNER } from "./qa-agents.ts";

const ORCHESTRATOR = "qa-orchestrator";

export type QaPortsOptions = {
  readonly workspace: Pick<Workspace, "run" | "executePlan" | "planTestCase" | "events">;
  readonly configureBrowser?: (sessionId: SessionId, wanted: WantedBrowser) => void;
  readonly configureDesktop?: QaPorts["configureDesktop"];
  readonly browserProblems?: (sessionId: SessionId) => readonly string[];
  readonly now?: () => number;
};

export const createQaPorts = ({
  workspace,
  configureBrowser = () => undefined,
  configureDesktop = () => undefined,
  browserProblems = () => [],
  now = Date.now,
}: QaPortsOptions): QaPorts => ({
  makeCalls: async (words, given, within) => {
    const run = await workspace.run(toCallTask(words, given), { ...at(within), agent: QA_RUNNER, model: CALL_MODEL });
    const { result, fault } = await follow(run, within);
    const outcomes = result?.status === "completed" ? readCallOutcomes(result.details) : null;
    return { outcomes: outcomes ?? [], fault: outcomes === null ? fault : null };
  },
  planCase: async (text, within) => {
    const run = await workspace.planTestCase(text, { ...at(within), agent: QA_RUNNER });
    const { result, fault } = await follow(run, within);
    if (result === null) return { plan: null, fault };
    return run.plan.then(
      (plan) => ({ plan, fault: null }),
      async (thrown: unknown) => {
        const events = await workspace.events(within.sessionId);
        const plan = readSaidPlan(events, text);
        return { plan, fault: plan ? null : (modelFault(events) ?? toErrorValue(thrown)) };
      },
    );
  },
  carryOut: async (plan, { timeoutMs, ...within }) => {
    const limits = timeoutMs === undefined ? {} : { limits: { durationMs: timeoutMs } };
    const run = await workspace.executePlan(plan, { ...at(within), ...limits, agent: QA_RUNNER, oneByOne: true });
    const { fault } = await follow(run, within);
    const isDone = await run.verdict.then(
      () => true,
      () => false,
    );
    return { fault: isDone ? null : fault };
  },
  runFlat: async (task, within) => {
    const run = await workspace.run(task, { ...at(within), agent: QA_FLAT });
    const { result, fault } = await follow(run, within);
    return { fault: result?.status === "completed" ? null : fault };
  },
  newSessionId: () => `ses_${createId()}`,
  configureBrowser,
  configureDesktop,
  browserProblems,
  events: (sessionId) => workspace.events(sessionId),
  now,
});

const at = ({
  sessionId,
  isNew,
  signal,
}: Within): { readonly signal: AbortSignal } & ({ readonly sessionId: SessionId } | { readonly newSessionId: SessionId }) => ({
  signal,
  ...(isNew ? { newSessionId: sessionId } : { sessionId }),
});

type Followed = { readonly result: RunResult; readonly fault: Fault } | { readonly result: null; readonly fault: Fault };

/** A run that is left open, as where its model cannot be reached, has tested nothing. */
const follow = async (run: RunHandle, { onEvent, signal }: Within): Promise<Followed> => {
  try {
    if (onEvent) for await (const event of run) onEvent(event);
    const result = await run.result;
    return { result, fault: toFault(result) };
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof RetinueError) || thrown.code !== "run_left_open") throw thrown;
    return { result: null, fault: { code: "model_unreachable", message: thrown.message } };
  }
};

const toFault = ({ status, error, summary }: RunResult): Fault => ({
  code: error?.code ?? "internal",
  message: error?.message ?? (summary === "" ? `It ended as ${status}.` : `It ended as ${status}: ${summary}`),
});

/** Why the orchestrator did not answer, where that is the model's fault. */
const modelFault = (events: readonly RecordedEvent[]): Fault | undefined => {
  const settled = events.findLast((event) => event.type === "run.settled" && event.agent === ORCHESTRATOR);
  const error = settled?.type === "run.settled" ? settled.result.error : undefined;
  return error?.code.startsWith("model_") === true ? { code: error.code, message: error.message } : undefined;
};

/** The plan that the orchestrator wrote last in some other form than it was asked for, also after it was asked again. */
const readSaidPlan = (events: readonly RecordedEvent[], testCase: string): Plan | null => {
  for (const event of events.toReversed()) {
    if (event.type !== "model.answered" || event.agent !== ORCHESTRATOR) continue;
    const tasks = readSubTasks(event.content.map((part) => (part.type === "text" ? part.text : "")).join(""));
    if (tasks) return toSubTaskPlan(testCase, tasks);
  }
  return null;
};
