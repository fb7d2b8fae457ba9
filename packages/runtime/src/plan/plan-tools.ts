/** Plans as tools of an agent: `plan_for_goal` has one made, `execute_plan` carries one out. */
import type { CallId, GivenCalls, Json, JsonObject, Plan, RunId, RunResult, RunSpec } from "@retinue/protocol";
import { CALL_MODEL, RetinueError, toCallTask } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { givenPlanSchema, planReplySchema } from "@retinue/protocol/schemas/plan";
import { z } from "zod";
import type { Conduct, PartAnswer } from "../loop/parts.ts";
import type { AnyTool, ToolContext, ToolOutput } from "../loop/tool.ts";
import { defineTool } from "../loop/tool.ts";
import { namesTool } from "../policy/tool-spellings.ts";
import type { RunState } from "../record/run-state.ts";
import { ORCHESTRATOR } from "./orchestrator.ts";
import { planKey } from "./plan-key.ts";
import { toPlanGraph } from "./plan-graph.ts";
import { planToMarkdown } from "./plan-markdown.ts";
import { caseTask, planTask } from "./plan-words.ts";
import type { Reply } from "./replies.ts";
import { replyForm, toPlan } from "./replies.ts";
import type { PlanOutcome, PlanRun, Worker } from "./run-plan.ts";
import { runPlan } from "./run-plan.ts";

export const PLAN_FOR_GOAL = "plan_for_goal";
export const PLAN_TEST_CASE = "plan_test_case";
export const EXECUTE_PLAN = "execute_plan";

export type PlanSettings = {
  /** How many steps a plan may have. */
  readonly maxSteps: number;
  /** How often a step is tried again after a recovery. */
  readonly maxRecoveries: number;
  /** How many steps run at the same time. */
  readonly maxConcurrent: number;
  /** How long the state that a step is told may be, in characters. */
  readonly stateChars: number;
};

export const PLAN_DEFAULTS: PlanSettings = { maxSteps: 30, maxRecoveries: 1, maxConcurrent: 3, stateChars: 4_000 };

/** A run that a plan needs, by the call of ours that it is the body of. */
export type SpawnedForPlan = {
  readonly callId: CallId;
  readonly agent: AgentDefinition;
  readonly task: string;
  readonly ending?: RunSpec["ending"];
  /** Of the agent's tools only these. */
  readonly tools?: readonly string[];
};

export type PlanToolOptions = {
  readonly state: RunState;
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly settings: PlanSettings;
  /** A person has asked for the plan to be carried out; whoever else does is judged as for a command. */
  readonly isAskedByPerson: boolean;
  readonly spawn: (spawned: SpawnedForPlan, signal: AbortSignal) => Promise<RunResult>;
  readonly runIdOf: (callId: CallId) => RunId;
};

const PLANNER = "planner";
const RESEARCHER = "researcher";

const QA_ORCHESTRATOR = "qa-orchestrator";

const goalSchema = z.object({
  goal: z.string().min(1),
  research: z.boolean().optional().describe("Explore the workspace first"),
});

/** In few words, since every request of a main agent holds it; a wrong call is answered with what is allowed. */
const SHOWN_EXECUTE: JsonObject = {
  type: "object",
  properties: {
    goal: { type: "string" },
    steps: {
      type: "array",
      items: {
        type: "object",
        properties: {
          id: { type: "string" },
          description: { type: "string" },
          expectedResult: { type: "string" },
          agent: { type: "string" },
          dependsOn: { type: "array", items: { type: "string" } },
          requiresApproval: { type: "boolean" },
        },
      },
      description: "As plan_for_goal gives them",
    },
    one_by_one: { type: "boolean" },
  },
  required: ["goal", "steps"],
};

const caseSchema = z.object({ goal: z.string().min(1).describe("The test case, in words") });

const executeFields = {
  goal: z.string().min(1),
  one_by_one: z.boolean().optional().describe("One at a time, in this order"),
} as const;
const executeSchema = planReplySchema.extend(executeFields);
/** What a person gives may hold calls, too. */
const executeGivenSchema = givenPlanSchema.extend(executeFields);

/** None for a run that may start neither a planner nor the orchestrator of test cases. */
export const createPlanTools = (options: PlanToolOptions): readonly AnyTool[] => {
  const { delegates } = options.state.spec;
  const isForCases = delegates.includes(QA_ORCHESTRATOR);
  if (!delegates.includes(PLANNER) && !isForCases) return [];
  const common = { repeatable: true, timeoutMs: Infinity, selfPaced: true, selfFitted: true } as const;
  const execute = defineTool({
    ...common,
    name: EXECUTE_PLAN,
    description:
      "Carry out a plan: each step by a sub-agent, independent ones at once, with recovery after failures. Gives the verdict.",
    input: options.isAskedByPerson ? executeGivenSchema : executeSchema,
    inputSchema: SHOWN_EXECUTE,
    effect: options.isAskedByPerson ? "read" : "execute",
    execute: ({ one_by_one: isSequential = false, goal, steps }, context) =>
      executePlan(options, { plan: toPlan({ steps } as Json, goal), isSequential }, context),
  });
  if (isForCases)
    return [
      defineTool({
        ...common,
        name: PLAN_TEST_CASE,
        description: "Have a test case broken into sub-tasks. Nothing is carried out.",
        input: caseSchema,
        effect: "read",
        execute: ({ goal }, context) => planTestCase(options, goal, context),
      }),
      execute,
    ];
  return [
    defineTool({
      ...common,
      name: PLAN_FOR_GOAL,
      description: "Have a plan of several steps made for a goal. Nothing is carried out.",
      input: goalSchema,
      effect: "read",
      execute: (input, context) => makePlan(options, input, context),
    }),
    execute,
  ];
};

type Started = Omit<SpawnedForPlan, "callId"> & { readonly name: string };

/** Starts the runs of one call, each as a recorded part of it. */
const createStarter = (options: PlanToolOptions, context: ToolContext) => {
  const conduct = conductOf(context);
  const callIdOf = (name: string): CallId => `${context.callId}.${name}`;
  const start = ({ name, ...started }: Started): Promise<RunResult> => {
    const callId = callIdOf(name);
    const part = { callId, tool: started.agent.name, input: { part: name } };
    return conduct.part(part, () => options.spawn({ ...started, callId }, context.signal), toAnswer);
  };
  return { conduct, callIdOf, start };
};

const conductOf = ({ conduct }: ToolContext): Conduct => {
  if (!conduct) throw new RetinueError("internal", "a plan is carried out by the loop alone");
  return conduct;
};

/** What the parent's record says of a part: its summary, and what changed below it. */
const toAnswer = ({ status, summary, filesModified, filesCreated, testsRun, testsPassed, error }: RunResult): PartAnswer => ({
  outcome: status === "completed" || status === "partial" ? "ok" : status === "cancelled" ? "cancelled" : "error",
  content: [{ type: "text", text: summary }],
  files: { modified: filesModified, created: filesCreated },
  ...(testsRun > 0 ? { tests: { run: testsRun, passed: testsPassed } } : {}),
  ...(error === undefined ? {} : { error }),
});

const agentOf = ({ agents }: PlanToolOptions, name: string): AgentDefinition => {
  const agent = agents.get(name);
  if (!agent) throw new RetinueError("agent_unknown", `There is no agent "${name}".`);
  return agent;
};

const makePlan = async (
  options: PlanToolOptions,
  { goal, research = false }: z.output<typeof goalSchema>,
  context: ToolContext,
): Promise<ToolOutput> => {
  const { state, settings } = options;
  const { conduct, start } = createStarter(options, context);
  const agents = state.spec.delegates.filter((name) => name !== PLANNER && name !== "orchestrator");
  const found =
    research && state.spec.delegates.includes(RESEARCHER)
      ? (
          await start({
            name: "research",
            agent: agentOf(options, RESEARCHER),
            task: `Find out what somebody must know who plans this, and change nothing:\n\n${goal}`,
          })
        ).details
      : undefined;
  let fault: string | undefined;
  // A plan that cannot be carried out is told why, once.
  for (const name of ["plan", "plan.2"]) {
    const task = planTask(goal, { agents, maxSteps: settings.maxSteps, research: found, fault });
    const result = await start({
      name,
      agent: { ...agentOf(options, PLANNER), output: toOutput("plan"), input: undefined },
      task,
    });
    if (result.status !== "completed")
      throw new RetinueError("tool_failed", `No plan was made: ${result.error?.message ?? result.status}`);
    try {
      const { plan } = toPlanGraph(toPlan(result.output, goal), { maxSteps: settings.maxSteps, agents });
      conduct.tell({ type: "plan.made", callId: context.callId, plan });
      return {
        content: [
          {
            type: "text",
            text: `${planToMarkdown(plan)}\n\nTo carry it out, call ${EXECUTE_PLAN} with:\n${JSON.stringify(plan)}`,
          },
        ],
      };
    } catch (thrown) {
      if (!(thrown instanceof RetinueError) || thrown.code !== "plan_invalid") throw thrown;
      fault = thrown.message;
    }
  }
  throw new RetinueError("tool_failed", fault ?? "No plan was made.");
};

/** The orchestrator of test cases plans without tools, as it decides without them. */
const planTestCase = async (options: PlanToolOptions, goal: string, context: ToolContext): Promise<ToolOutput> => {
  const { settings } = options;
  const { conduct, start } = createStarter(options, context);
  const agent = { ...agentOf(options, QA_ORCHESTRATOR), output: toOutput("subTasks"), tools: [], delegates: [] };
  const result = await start({ name: "plan", agent, task: caseTask(goal, settings.maxSteps) });
  if (result.status !== "completed")
    throw new RetinueError("tool_failed", `No plan was made: ${result.error?.message ?? result.status}`);
  const plan = toPlan(result.output, goal);
  conduct.tell({ type: "plan.made", callId: context.callId, plan });
  return { content: [{ type: "text", text: JSON.stringify(plan) }] };
};

type Execution = { readonly plan: Plan; readonly isSequential: boolean };

const executePlan = async (
  options: PlanToolOptions,
  { plan, isSequential }: Execution,
  context: ToolContext,
): Promise<ToolOutput> => {
  const { state, settings } = options;
  const { callId } = context;
  const graph = toPlanGraph(plan, { maxSteps: settings.maxSteps, agents: state.spec.delegates });
  const { conduct, callIdOf, start } = createStarter(options, context);
  const isTestCase = plan.steps.every(({ agent }) => agent === "qa-step");
  const orchestrator = isTestCase ? agentOf(options, QA_ORCHESTRATOR) : (options.agents.get(ORCHESTRATOR.name) ?? ORCHESTRATOR);
  conduct.tell({ type: "plan.made", callId, plan });
  const outcome = await runPlan(
    graph,
    {
      start: (run) =>
        start(toStarted(run, { orchestrator, find: (name) => agentOf(options, name), granted: state.spec.grant.tools })),
      runIdOf: (name) => options.runIdOf(callIdOf(name)),
      hasBegun: (stepId) =>
        state.toldOfPlans.has(planKey({ type: "plan.step", callId, stepId, attempt: 1, state: "in_progress" })),
      ask: ({ id, description, agent }) =>
        conduct.ask({ callId: callIdOf(`${id}.approval`), tool: EXECUTE_PLAN, input: { step: id, agent, description } }),
      onStep: ({ step, state: now, attempt, runId, summary }) =>
        conduct.tell({
          type: "plan.step",
          callId,
          stepId: step.id,
          state: now,
          attempt,
          ...(runId === undefined ? {} : { stepRunId: runId }),
          ...(summary === undefined ? {} : { summary }),
        }),
      onDecision: (step, attempt, { action, reason, recovery_task: recovery }) =>
        conduct.tell({
          type: "plan.decided",
          callId,
          stepId: step.id,
          attempt,
          decision: action,
          reason,
          ...(recovery === null ? {} : { recoveryTask: recovery }),
        }),
    },
    { ...settings, maxConcurrent: isSequential ? 1 : settings.maxConcurrent, signal: context.signal },
  );
  const { status, summary, totals } = outcome;
  conduct.tell({ type: "plan.settled", callId, status, summary, totals });
  return {
    content: [{ type: "text", text: JSON.stringify(toReport(outcome)) }],
    ...(status === "fail" ? { error: { code: "tool_failed", message: `The plan failed: ${summary}` } } : {}),
  };
};

/** JSON as zod types it, and as we do, is the same. */
const toOutput = (reply: Reply): NonNullable<AgentDefinition["output"]> =>
  replyForm(reply) as NonNullable<AgentDefinition["output"]>;

/** Who makes calls that are given: no model decides, and no tool is there but those that are called. */
const toCaller = ({ calls }: GivenCalls): AgentDefinition => ({
  ...agentFrontMatterSchema.parse({
    name: "calls",
    description: "Makes the calls that it was given, and hands back what came out.",
    icon: "☑️",
    model: CALL_MODEL,
    tools: [...new Set(calls.map(({ tool }) => tool))],
    expose: "none",
  }),
  prompt: "You make the calls that you were given.",
});

type Cast = {
  readonly orchestrator: AgentDefinition;
  readonly find: (name: string) => AgentDefinition;
  /** The tools that whoever carries the plan out may hand on. */
  readonly granted: readonly string[];
};

const toStarted = ({ name, by, task }: PlanRun, { orchestrator, find, granted }: Cast): Started =>
  "agent" in by
    ? { name, agent: find(by.agent), task, ending: "verdict", ...toolsFor(by, granted) }
    : "given" in by
      ? { name, agent: toCaller(by.given), task: toCallTask(`The calls of ${name}:`, by.given) }
      : // It decides by what it is told, and holds nothing.
        { name, agent: { ...orchestrator, output: toOutput(by.reply), tools: [], delegates: [] }, task };

/** Absent where it has all that its definition gives it. */
const toolsFor = ({ tools, withoutTools = [] }: Worker, granted: readonly string[]): Pick<Started, "tools"> => {
  const left = (tools ?? granted).filter((name) => !namesTool(withoutTools, name));
  return tools === undefined && left.length === granted.length ? {} : { tools: left };
};

const toReport = ({ status, summary, steps, totals }: PlanOutcome): JsonObject => ({
  status,
  summary,
  steps: steps.map(({ step, state, result }) => ({ id: step.id, agent: step.agent, state, summary: result.summary })),
  totals: {
    iterations: totals.iterations,
    toolCalls: totals.toolCalls,
    tokens: totals.usage.input + totals.usage.output,
    costUsd: totals.costUsd,
  },
});
