/**
 * Schemas of a session as it stands at one of its events, in pieces: heads of all runs, and of some runs what else is drawn of them. They agree
 * with the views of the client, whose reducer makes them on the server and goes on from them in a page.
 */
import { z } from "zod";
import { errorValueSchema } from "../schemas/error-value.ts";
import { INPUT_SCHEMAS } from "../schemas/input-events.ts";
import { approvalIdSchema, callIdSchema, messageIdSchema, runIdSchema, sessionIdSchema } from "../schemas/ids.ts";
import { jsonSchema } from "../schemas/json.ts";
import { limitNameSchema, limitsSchema } from "../schemas/limits.ts";
import { userPartSchema } from "../schemas/messages.ts";
import { PLAN_SCHEMAS, planSchema, planStepSchema } from "../schemas/plan.ts";
import { inputSourceSchema, proposedActSchema, toolEffectSchema, waitingForSchema } from "../schemas/proposed-act.ts";
import { runResultSchema } from "../schemas/result.ts";
import { RUN_SCHEMAS } from "../schemas/run-events.ts";
import { TURN_SCHEMAS } from "../schemas/turn-events.ts";
import { costSchema, usageSchema } from "../schemas/usage.ts";
import { WORKTREE_SCHEMAS } from "../schemas/worktree-events.ts";

const text = z.string().nullable();

const spendingSchema = z
  .object({
    usage: usageSchema,
    costUsd: z.number().describe("Of what has a price."),
    unpricedCalls: z.number().describe("Calls of models whose price is not known."),
    modelCalls: z.number(),
    iterations: z.number(),
    toolCalls: z.number(),
    runs: z.number(),
  })
  .meta({ title: "Spending", description: "What was used." });

const runStateSchema = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("unseen") }),
    z.object({ type: z.literal("requested") }),
    z.object({ type: z.literal("running") }),
    z.object({ type: z.literal("waiting"), on: z.enum(["approval", "run"]), isParked: z.boolean() }),
    z.object({ type: z.literal("finishing") }),
    z.object({ type: z.literal("settled"), status: runResultSchema.shape.status }),
  ])
  .meta({ title: "RunState", description: "What a run is doing." });

export const runHeadSchema = z
  .object({
    runId: runIdSchema,
    parentRunId: runIdSchema.nullable(),
    parentCallId: callIdSchema.nullable().describe("The call of the parent that this run is the body of."),
    depth: z.number(),
    agent: z.string(),
    state: runStateSchema,
    title: z.string().describe("The beginning of what it was asked."),
    model: z.string().describe("The model that was asked last."),
    requestedAt: text,
    startedAt: text,
    endedAt: text,
    updatedAt: text.describe("When its latest event was."),
    drives: z.number().describe("How often a process began to drive it."),
    own: spendingSchema.describe("Its own."),
    inclusive: spendingSchema.describe("With that of everything below it."),
    activeMs: z.number(),
    contextTokens: z.number(),
    limits: limitsSchema,
    treeLimits: limitsSchema,
    transferredTo: z
      .object({
        callId: callIdSchema.describe("The call that hands it over."),
        runId: runIdSchema.describe("The run that goes on with it; it may hand it over in turn."),
        agent: z.string(),
        at: z.string(),
        hasAnswered: z.boolean().describe("Whoever has it has answered for good. Until then it may come back."),
      })
      .nullable()
      .describe("Who goes on with the conversation in its place."),
    stepCount: z.number().describe("How many steps it has taken."),
    children: z.array(runIdSchema).describe("The runs that it started, in their order."),
  })
  .meta({ title: "RunHead", description: "A run as its line in the tree shows it." });

const answered = INPUT_SCHEMAS["approval.answered"].shape;

const approvalSchema = z
  .object({
    approvalId: approvalIdSchema,
    runId: runIdSchema,
    agent: z.string(),
    depth: z.number(),
    act: proposedActSchema,
    hash: z.string(),
    requestedAt: z.string(),
    expiresAt: text,
    answer: z
      .object({
        allowed: answered.allowed,
        scope: answered.scope,
        reason: answered.reason,
        text: answered.text,
        source: answered.source,
        at: answered.at,
      })
      .nullable(),
    isClosed: z.boolean().describe("Nobody can answer any more."),
  })
  .meta({ title: "Question", description: "What a human was asked, and what became of it." });

const settled = TURN_SCHEMAS["tool.settled"].shape;

export const callItemSchema = z
  .object({
    callId: callIdSchema,
    tool: z.string(),
    step: z.number().nullable(),
    state: z.enum(["asked", "running", "settled"]),
    arguments: text.describe("As the model wrote them."),
    input: jsonSchema.exactOptional().describe("As they were parsed, once it has started."),
    effect: toolEffectSchema.nullable(),
    startedAt: text,
    settledAt: text,
    outcome: settled.outcome.nullable(),
    content: z.array(userPartSchema),
    error: errorValueSchema.nullable(),
    artifact: settled.artifact.unwrap().nullable(),
    files: settled.files.unwrap().nullable(),
    tests: settled.tests.unwrap().nullable(),
    sandbox: text,
    progress: z.string(),
    approval: approvalSchema.nullable(),
    aside: settled.aside.unwrap().nullable(),
  })
  .meta({ title: "CallItem", description: "A tool call, with what came of it." });

const failed = TURN_SCHEMAS["model.failed"].shape;

export const stepItemSchema = z
  .object({
    step: z.number(),
    state: z.enum(["asked", "answered", "failed"]),
    model: z.string(),
    handIn: z.boolean(),
    askedAt: z.string(),
    endedAt: text,
    text: z.string().describe("What the model said."),
    reasoning: z.string(),
    calls: z.array(callItemSchema),
    failures: z.array(z.object({ model: failed.model, error: failed.error, next: failed.next })),
    finishReason: TURN_SCHEMAS["model.answered"].shape.finishReason.nullable(),
    usage: usageSchema.nullable(),
    costUsd: costSchema,
  })
  .meta({ title: "StepItem", description: "A turn of a run: what the model said and called." });

const decided = PLAN_SCHEMAS["plan.decided"].shape;
const planSettled = PLAN_SCHEMAS["plan.settled"].shape;

const planItemSchema = z
  .object({
    callId: callIdSchema,
    plan: planSchema,
    steps: z.array(
      z.object({
        step: planStepSchema,
        state: PLAN_SCHEMAS["plan.step"].shape.state,
        attempt: z.number(),
        runId: runIdSchema.nullable(),
        summary: text,
        decisions: z.array(
          z.object({
            attempt: decided.attempt,
            decision: decided.decision,
            reason: decided.reason,
            recoveryTask: decided.recoveryTask,
          }),
        ),
      }),
    ),
    verdict: z.object({ status: planSettled.status, summary: planSettled.summary, totals: planSettled.totals }).nullable(),
  })
  .meta({ title: "PlanItem", description: "A plan, and what became of its steps." });

const merging = WORKTREE_SCHEMAS["worktree.merging"].shape;

const runRestSchema = z
  .object({
    isFinishing: z.boolean().describe("Its next turn is its last."),
    requested: RUN_SCHEMAS["run.requested"].nullable(),
    limitsReached: z.array(z.object({ limit: limitNameSchema, used: z.number(), max: z.number() })),
    approvals: z.array(approvalSchema).describe("Questions that belong to none of its calls."),
    messages: z.array(
      z.object({
        messageId: messageIdSchema.nullable(),
        from: z.union([z.literal("human"), runIdSchema]),
        content: z.array(userPartSchema),
        source: inputSourceSchema.nullable(),
        receivedAt: z.string(),
        withdrawnAt: z.string().nullable(),
        deliveredAt: text,
      }),
    ),
    cancelRequests: z.array(
      z.object({ at: z.string(), reason: text, isFinish: z.boolean(), source: inputSourceSchema.nullable() }),
    ),
    parkedOn: z.array(waitingForSchema).nullable(),
    todo: z
      .array(z.object({ text: z.string(), status: z.enum(["pending", "in_progress", "completed"]) }))
      .nullable()
      .describe("The list that it keeps for itself."),
    asides: z.array(callItemSchema).describe("Calls that belong to no step."),
    plans: z.array(planItemSchema),
    worktree: z
      .object({
        state: z.enum(["requested", "made", "refused", "merging", "merged"]),
        folder: text,
        of: text,
        base: text,
        merging: z.object({ commit: merging.commit, changes: merging.changes, conflicts: merging.conflicts }).nullable(),
        merged: WORKTREE_SCHEMAS["worktree.merged"].nullable(),
        error: errorValueSchema.nullable(),
      })
      .nullable(),
    errors: z.array(
      z.object({
        seq: z.number(),
        at: z.string(),
        from: z.enum(["model", "tool", "worktree", "run"]),
        name: z.string(),
        error: errorValueSchema,
      }),
    ),
    result: runResultSchema.nullable(),
  })
  .meta({ title: "RunRest", description: "What there is of a run besides its head and its steps." });

const stepsSchema = z
  .array(z.object({ at: z.number().describe("The place of the step among those of its run, from 0."), step: stepItemSchema }))
  .describe("In the order of their places; others of the run are left out.");

export const runPartSchema = z
  .object({
    seq: z.number().describe("The event at which this is so."),
    runId: runIdSchema,
    rest: runRestSchema,
    stepCount: z.number(),
    steps: stepsSchema,
  })
  .meta({
    title: "RunPart",
    description: "A run whose head is known already, with its latest steps and all that can still change.",
  });

export const stepsPageSchema = z
  .object({ seq: z.number(), runId: runIdSchema, steps: stepsSchema })
  .meta({ title: "StepsPage", description: "Steps of a run by their places." });

export const viewSnapshotSchema = z
  .object({
    sessionId: sessionIdSchema,
    seq: z.number().describe("The event at which all this is so; a feed goes on after it."),
    updatedAt: text,
    spent: spendingSchema,
    roots: z.array(runIdSchema),
    runs: z.array(runHeadSchema).describe("All runs, in the order in which they were first told of."),
    parts: z.array(runPartSchema).describe("Of the runs that can still change, and of the latest."),
    isFirstGlance: z
      .boolean()
      .exactOptional()
      .describe("The latest run at depth 0 alone, without its sums; the whole is asked for next. No feed goes on after it."),
    openApprovals: z.array(approvalIdSchema).describe("In the order in which they were asked."),
  })
  .meta({ title: "ViewSnapshot", description: "A session as surfaces draw it, at one of its events." });
