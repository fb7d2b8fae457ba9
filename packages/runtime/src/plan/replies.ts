/** The JSON forms that planners and orchestrators reply in: as schemas for the run that must keep to them, and as plans. */
import type { Json, JsonObject, Plan, PlanStep, StepType } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { describeIssues } from "@retinue/protocol/describe-issues";
import {
  evaluateReplySchema,
  givenPlanSchema,
  planReplySchema,
  stateReplySchema,
  subTasksReplySchema,
  verdictReplySchema,
} from "@retinue/protocol/schemas/plan";
import { z } from "zod";
import { stripSchema } from "../loop/tool.ts";

const toJsonSchema = (schema: z.ZodType): JsonObject =>
  stripSchema(z.toJSONSchema(schema, { io: "input" }) as JsonObject) as JsonObject;

const REPLIES = {
  plan: planReplySchema,
  subTasks: subTasksReplySchema,
  evaluate: evaluateReplySchema,
  verdict: verdictReplySchema,
  state: stateReplySchema,
} as const satisfies Record<string, z.ZodType>;

export type Reply = keyof typeof REPLIES;

/** Made when a plan first needs it; most runs have none. */
const forms = new Map<Reply, JsonObject>();

export const replyForm = (reply: Reply): JsonObject => {
  const known = forms.get(reply);
  if (known) return known;
  const form = toJsonSchema(REPLIES[reply]);
  forms.set(reply, form);
  return form;
};

/** Who carries out a step of a kind, where the plan does not say. */
export const AGENT_OF_TYPE: Readonly<Record<StepType, string>> = {
  research: "researcher",
  planning: "planner",
  implementation: "executor",
  testing: "tester",
  review: "reviewer",
  debugging: "debugger",
  check: "qa-step",
};

/** Throws `plan_invalid` where the value is no plan in either of the two forms. */
export const toPlan = (value: Json | undefined, goal: string): Plan => {
  const subTasks = subTasksReplySchema.safeParse(value);
  if (subTasks.success)
    return {
      goal,
      steps: subTasks.data.sub_tasks.map((task, at, all) => ({
        id: toSubTaskId(task.step, at, all),
        description: task.description,
        expectedResult: task.expected_result,
        type: "check",
        agent: AGENT_OF_TYPE.check,
        dependsOn: [],
        requiresApproval: false,
      })),
    };
  const reply = givenPlanSchema.safeParse(value);
  if (!reply.success) throw new RetinueError("plan_invalid", `This is no plan:\n${describeIssues(reply.error)}`);
  return { goal, steps: reply.data.steps.map(toStep) };
};

/** `3-2` is the second sub-task of step 3. Without steps they are counted. */
const toSubTaskId = (step: number | undefined, at: number, all: readonly { readonly step?: number | undefined }[]): string =>
  step === undefined ? String(at + 1) : `${step}-${all.slice(0, at + 1).filter((one) => one.step === step).length}`;

type StepReply = z.output<typeof givenPlanSchema>["steps"][number];

const toStep = (
  { id, type = "implementation", agent, dependsOn = [], requiresApproval = false, ...step }: StepReply,
  at: number,
): PlanStep => ({
  id: id ?? String(at + 1),
  description: step.description,
  expectedResult: step.expectedResult,
  type,
  agent: agent ?? AGENT_OF_TYPE[type],
  dependsOn,
  requiresApproval,
  ...(step.estimatedToolCalls === undefined ? {} : { estimatedToolCalls: step.estimatedToolCalls }),
  ...(step.calls === undefined ? {} : { calls: step.calls }),
  ...(step.checks === undefined ? {} : { checks: step.checks }),
  ...(step.withoutTools === undefined ? {} : { withoutTools: step.withoutTools }),
  ...(step.heal === undefined ? {} : { heal: step.heal }),
});
