/** Plans from code and from the command: made for a goal, and carried out. A person decides, so that no model is asked what to do first. */
import type { RunHandle } from "@retinue/engine";
import type {
  ApproveMode,
  InputSource,
  Json,
  Limits,
  Plan,
  PlanTotals,
  RecordedEvent,
  SessionId,
  StepState,
} from "@retinue/protocol";
import { CALL_MODEL, RetinueError, toCallTask } from "@retinue/protocol";
import { EXECUTE_PLAN, PLAN_FOR_GOAL, PLAN_TEST_CASE } from "@retinue/runtime";

export type PlanRunOptions = {
  /** Who asked for it, where that is to be recorded. */
  readonly source?: InputSource;
  /** Of all runs of the plan together. */
  readonly limits?: Limits;
  readonly approve?: ApproveMode;
  readonly signal?: AbortSignal;
  /** Who holds the plan in hand, `main` by default; steps are carried out by those whom it may start. */
  readonly agent?: string;
  /** Goes on with the conversation of this session. */
  readonly sessionId?: SessionId;
  /** The id of the session that it begins, where it is known before. */
  readonly newSessionId?: SessionId;
};

export type PlanForGoalOptions = PlanRunOptions & {
  /** The workspace is explored first, and what is found out is told to the planner. */
  readonly research?: boolean;
};

export type ExecutePlanOptions = PlanRunOptions & {
  /** Steps run in the order of the list, one at a time, and each is told what became of all before it. */
  readonly oneByOne?: boolean;
};

/** What became of a plan. */
export type PlanVerdict = {
  readonly status: "pass" | "fail";
  readonly summary: string;
  readonly steps: ReadonlyMap<string, { readonly state: StepState; readonly summary: string | undefined }>;
  readonly totals: PlanTotals;
};

export type Planning = RunHandle & {
  /** Rejects where none was made. */
  readonly plan: Promise<Plan>;
};

export type PlanExecution = RunHandle & {
  /** Rejects where the plan was not carried out to its end. */
  readonly verdict: Promise<PlanVerdict>;
};

export type Plans = {
  readonly planForGoal: (goal: string, options?: PlanForGoalOptions) => Promise<Planning>;
  /** Has a test case broken into sub-tasks by the orchestrator of test cases, whom `agent` may start. */
  readonly planTestCase: (testCase: string, options: PlanRunOptions & { readonly agent: string }) => Promise<Planning>;
  readonly executePlan: (plan: Plan, options?: ExecutePlanOptions) => Promise<PlanExecution>;
};

type PlansPorts = {
  /** Throws `plan_invalid` where it cannot be carried out. */
  readonly check: (plan: Plan, agent: string | undefined) => void;
  readonly run: (task: string, options: PlanRunOptions & { readonly model: string }) => Promise<RunHandle>;
  readonly events: (sessionId: SessionId) => Promise<readonly RecordedEvent[]>;
};

export const createPlans = ({ check, run, events }: PlansPorts): Plans => {
  /** What is made of the record once the run has settled; nobody has to wait for it. */
  const after = <T>(handle: RunHandle, read: (events: readonly RecordedEvent[]) => T): Promise<T> => {
    const made = handle.result.then(async () =>
      read((await events(handle.sessionId)).filter(({ runId }) => runId === handle.runId)),
    );
    made.catch(() => undefined);
    return made;
  };
  return {
    planForGoal: async (goal, { research, ...options } = {}) => {
      const input = { goal, ...(research === undefined ? {} : { research }) };
      const handle = await run(toCallTask(`Make a plan: ${goal}`, { tool: PLAN_FOR_GOAL, input }), {
        ...options,
        model: CALL_MODEL,
      });
      return withFields(handle, { plan: after(handle, readPlan) });
    },
    planTestCase: async (testCase, options) => {
      const title = testCase.split("\n", 1)[0] ?? "";
      const task = toCallTask(`Plan the test case: ${title}`, { tool: PLAN_TEST_CASE, input: { goal: testCase } });
      const handle = await run(task, { ...options, model: CALL_MODEL });
      return withFields(handle, { plan: after(handle, readPlan) });
    },
    executePlan: async (plan, { oneByOne, ...options } = {}) => {
      check(plan, options.agent);
      const input = { ...plan, ...(oneByOne === undefined ? {} : { one_by_one: oneByOne }) } as unknown as Json;
      const handle = await run(toCallTask(`Carry out the plan: ${plan.goal}`, { tool: EXECUTE_PLAN, input }), {
        ...options,
        model: CALL_MODEL,
      });
      return withFields(handle, { verdict: after(handle, readVerdict) });
    },
  };
};

/** The handle itself stays what is iterated. */
const withFields = <Fields extends object>(handle: RunHandle, fields: Fields): RunHandle & Fields =>
  Object.assign(Object.create(handle) as RunHandle, fields);

/** The plan that a session speaks of: the one that was made, or carried out, last. */
export const readPlan = (events: readonly RecordedEvent[]): Plan => {
  const made = events.findLast((event) => event.type === "plan.made");
  if (made?.type === "plan.made") return made.plan;
  throw whyNot(events, "no plan was made");
};

const readVerdict = (events: readonly RecordedEvent[]): PlanVerdict => {
  const settled = events.findLast((event) => event.type === "plan.settled");
  if (settled?.type !== "plan.settled") throw whyNot(events, "the plan was not carried out to its end");
  const { status, summary, totals } = settled;
  return { status, summary, totals, steps: readSteps(events) };
};

/** What became of the steps, as far as it was told. */
export const readSteps = (events: readonly RecordedEvent[]): PlanVerdict["steps"] => {
  const steps = new Map<string, { readonly state: StepState; readonly summary: string | undefined }>();
  for (const event of events) {
    if (event.type === "plan.made") steps.clear();
    if (event.type === "plan.step") steps.set(event.stepId, { state: event.state, summary: event.summary });
  }
  return steps;
};

const whyNot = (events: readonly RecordedEvent[], what: string): RetinueError => {
  const call = events.findLast((event) => event.type === "tool.settled" && event.aside === undefined);
  const run = events.findLast((event) => event.type === "run.settled");
  const error =
    (call?.type === "tool.settled" ? call.error : undefined) ?? (run?.type === "run.settled" ? run.result.error : undefined);
  return error
    ? new RetinueError(error.code, error.message, error.hint === undefined ? {} : { hint: error.hint })
    : new RetinueError("plan_invalid", `In this session ${what}.`);
};
