/** Schemas of plans, of what orchestrators reply, and of what is recorded of a plan while it is carried out. */
import { z } from "zod";
import { STEP_TYPES } from "../plan.ts";
import { eventSchema } from "./envelope.ts";
import { jsonSchema } from "./json.ts";
import { callIdSchema, runIdSchema } from "./ids.ts";
import { costSchema, usageSchema } from "./usage.ts";

const givenCallSchema = z
  .object({ tool: z.string().describe("The tool."), input: jsonSchema.describe("What it is given.") })
  .meta({ title: "GivenCall", description: "A call of a tool that no model decides on." });

const stepCallFields = {
  calls: z.array(givenCallSchema).exactOptional().describe("Made in place of what an agent would do."),
  checks: z.array(givenCallSchema).exactOptional().describe("Made after it; the step is completed only where all of them hold."),
  withoutTools: z.array(z.string()).exactOptional().describe("Tools of its agent that it goes without."),
  heal: z
    .object({ tools: z.array(z.string()).describe("The only tools that the agent has then.") })
    .exactOptional()
    .describe("Its agent does the step once where one of the calls cannot be made and the checks do not hold."),
} as const;

export const planStepSchema = z
  .object({
    id: z.string().describe("Names it within its plan."),
    description: z.string().describe("What is to be done."),
    expectedResult: z.string().describe("What can be observed once it is done."),
    type: z.enum(STEP_TYPES).describe("What kind of work it is."),
    agent: z.string().describe("Who carries it out."),
    dependsOn: z.array(z.string()).describe("The steps that must be completed before it."),
    requiresApproval: z.boolean().describe("Whether a human is asked before it begins."),
    estimatedToolCalls: z.number().exactOptional().describe("How many tool calls it may take."),
    ...stepCallFields,
  })
  .meta({ title: "PlanStep", description: "One unit of a plan; one run carries it out." });

export const planSchema = z
  .object({ goal: z.string().describe("What is to be achieved."), steps: z.array(planStepSchema).describe("In order.") })
  .meta({ title: "Plan", description: "A declarative list of steps." });

export const subTaskSchema = z
  .object({
    description: z.string().describe("What is to be done."),
    expected_result: z.string().describe("What can be observed once it is done."),
  })
  .meta({ title: "SubTask", description: "A piece of work for one sub-agent, as orchestrators write it." });

export const subTaskResultSchema = z
  .object({
    status: z.enum(["pass", "fail"]),
    summary: z.string(),
    iterations: z.int().nonnegative(),
    error: z.string().nullable(),
  })
  .meta({ title: "SubTaskResult", description: "What became of a sub-task." });

export const orchestratorDecisionSchema = z
  .object({
    action: z.enum(["continue", "recover", "stop"]),
    reason: z.string(),
    recovery_task: subTaskSchema.nullable(),
  })
  .meta({ title: "OrchestratorDecision", description: "What an orchestrator decides after a failure." });

export const orchestratorResultSchema = z
  .object({
    status: z.enum(["pass", "fail"]),
    summary: z.string(),
    sub_task_results: z.array(subTaskResultSchema),
    total_iterations: z.int().nonnegative(),
  })
  .meta({ title: "OrchestratorResult", description: "What became of all sub-tasks together." });

/** As it is replied: with something in it. */
const subTaskReplySchema = z.strictObject({ description: z.string().min(1), expected_result: z.string().min(1) });

/** What an orchestrator replies when it plans a test case; `step` says which step of the case a sub-task is for. */
export const subTasksReplySchema = z.strictObject({
  sub_tasks: z.array(subTaskReplySchema.extend({ step: z.int().positive().optional() })).min(1),
});

/** What it replies when it evaluates a failure. */
export const evaluateReplySchema = z.union([
  z.strictObject({
    decision: z.enum(["continue", "stop"]),
    reason: z.string().min(1),
    recovery_task: subTaskReplySchema.nullish(),
  }),
  z.strictObject({ decision: z.literal("recover"), reason: z.string().min(1), recovery_task: subTaskReplySchema }),
]);

/** What it replies when all is done. */
export const verdictReplySchema = z.strictObject({ status: z.enum(["pass", "fail"]), summary: z.string().min(1) });

/** What it replies when the state has grown too long. */
export const stateReplySchema = z.strictObject({ state: z.string().min(1) });

const stepReplySchema = z.strictObject({
  id: z.string().min(1).max(64).optional(),
  description: z.string().min(1),
  expectedResult: z.string().min(1),
  type: z.enum(STEP_TYPES).optional(),
  agent: z.string().min(1).optional(),
  dependsOn: z.array(z.string()).optional(),
  requiresApproval: z.boolean().optional(),
  estimatedToolCalls: z.int().nonnegative().optional(),
});

/** What a planner replies. All but description and expected result has a default. */
export const planReplySchema = z.strictObject({ steps: z.array(stepReplySchema).min(1) });

/** A plan as a person gives it: its steps may hold calls, on which no model decides. */
export const givenPlanSchema = z.strictObject({ steps: z.array(stepReplySchema.extend(stepCallFields)).min(1) });

const totalsSchema = z
  .object({
    iterations: z.number().describe("Turns."),
    toolCalls: z.number().describe("Tool calls."),
    usage: usageSchema.describe("Tokens."),
    costUsd: costSchema.describe("US dollars; null where no price is known."),
  })
  .meta({ title: "PlanTotals", description: "What carrying out a plan took, in all the runs that it needed." });

const stepId = z.string().describe("The step.");
const attempt = z.int().describe("Counts the attempts at the step from 1.");
const callId = callIdSchema.describe("The call that carries the plan out.");

export const PLAN_SCHEMAS = {
  "plan.made": eventSchema("plan.made", "A plan is made, or begins to be carried out.", {
    callId: callIdSchema.describe("The call that made it, or carries it out."),
    plan: planSchema.describe("The plan."),
  }),
  "plan.step": eventSchema("plan.step", "A step of a plan begins or has ended.", {
    callId,
    stepId,
    state: z
      .enum(["pending", "in_progress", "completed", "failed", "skipped", "blocked"])
      .describe("What became of it. skipped: a step that it depends on failed. blocked: it was not begun for another reason."),
    attempt,
    stepRunId: runIdSchema.exactOptional().describe("The run that carries it out."),
    summary: z.string().exactOptional().describe("What happened."),
  }),
  "plan.decided": eventSchema("plan.decided", "A step has failed, and the orchestrator has decided how to go on.", {
    callId,
    stepId,
    attempt,
    decision: z.enum(["continue", "recover", "stop"]).describe("How to go on."),
    reason: z.string().describe("Why."),
    recoveryTask: subTaskSchema.exactOptional().describe("What is done before the step is tried again."),
  }),
  "plan.settled": eventSchema("plan.settled", "A plan was carried out, or stopped.", {
    callId,
    status: z.enum(["pass", "fail"]).describe("The verdict."),
    summary: z.string().describe("What was done, and what came of it."),
    totals: totalsSchema.describe("What it took."),
  }),
};
