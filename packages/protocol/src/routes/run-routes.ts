/** Routes that reach runs at work, whichever process drives them; and plans. */
import { z } from "zod";
import { APPROVE_MODES } from "../grant.ts";
import { sessionIdSchema } from "../schemas/ids.ts";
import { limitsSchema } from "../schemas/limits.ts";
import { planSchema } from "../schemas/plan.ts";
import { approvalScopeSchema } from "../schemas/proposed-act.ts";
import {
  approvalParams,
  continuesWithField,
  doneSchema,
  messageParams,
  nextField,
  pageQuery,
  runParams,
  SAID_MAX_BODY,
  saidFields,
  startedSchema,
  workspaceIdSchema,
} from "./fields.ts";
import { defineRoute } from "./route.ts";
import { approvalItemSchema, sessionItemSchema, statsSchema } from "./session-schemas.ts";

const planRunFields = {
  workspaceId: workspaceIdSchema,
  approve: z.enum(APPROVE_MODES).optional(),
  limits: limitsSchema.optional().describe("Of all runs of the plan together."),
};

export const RUN_ROUTES = {
  cancelRun: defineRoute({
    summary: "Stops one run and everything below it.",
    params: runParams,
    body: z.strictObject({
      finish: z.boolean().optional().describe("It hands in what it has, in one last turn."),
      reason: z.string().max(10_000).optional().describe("Why; it stands in the record."),
    }),
    response: doneSchema,
  }),
  sendMessage: defineRoute({
    summary: "Says something to a run; it reads it before its next turn.",
    params: runParams,
    body: z.strictObject(saidFields),
    maxBody: SAID_MAX_BODY,
    response: doneSchema,
  }),
  withdrawMessage: defineRoute({
    summary: "Takes back what was said to a run, while the run has not read it.",
    params: messageParams,
    response: doneSchema,
  }),
  listApprovals: defineRoute({
    summary: "Questions that wait for an answer, of one session or of all.",
    query: z.object({ sessionId: sessionIdSchema.optional() }),
    response: z.object({ approvals: z.array(approvalItemSchema) }),
  }),
  getApproval: defineRoute({
    summary: "One question that waits, with the change that it would make.",
    params: approvalParams,
    response: approvalItemSchema.extend({
      diff: z.string().nullable().describe("The change as a unified diff; null where the act is no change of a file."),
      rule: z
        .string()
        .nullable()
        .describe("What the rule would allow that can be kept for acts like this one; null where none is offered."),
    }),
  }),
  answerApproval: defineRoute({
    summary: "Answers a question, once; a run that no process drives goes on here.",
    params: approvalParams,
    body: z.strictObject({
      allowed: z.boolean(),
      hash: z.string().max(200).describe("Of the act that was shown; another act is not answered by it."),
      scope: approvalScopeSchema.optional().describe("`once` by default."),
      reason: z.string().max(10_000).optional().describe("The agent reads it."),
      text: z
        .string()
        .max(100_000)
        .optional()
        .describe(
          "Where the act is a question to the user: one of its options, or anything else. Such a question is only allowed with it.",
        ),
      rule: z
        .string()
        .max(2_000)
        .optional()
        .describe("Of a yes: keeps the rule that `getApproval` tells, in these words, for this folder, in the user's own files."),
    }),
    response: doneSchema.extend({ approve: continuesWithField.optional() }),
  }),
  listPlans: defineRoute({
    summary: "Sessions in which a person had a plan made or carried out.",
    query: z.object({ ...pageQuery, workspaceId: workspaceIdSchema.optional() }),
    response: z.object({ items: z.array(sessionItemSchema), next: nextField }),
  }),
  makePlan: defineRoute({
    summary: "Has a plan made for a goal.",
    body: z.strictObject({
      ...planRunFields,
      goal: z.string().min(1).max(1_000_000),
      research: z.boolean().optional().describe("The workspace is explored first."),
    }),
    maxBody: 4_000_000,
    response: startedSchema,
    status: 201,
  }),
  runPlan: defineRoute({
    summary: "Carries out a plan: the one that is given, or the latest of a session.",
    body: z.strictObject({
      ...planRunFields,
      plan: planSchema.optional(),
      sessionId: sessionIdSchema.optional(),
      oneByOne: z.boolean().optional().describe("Steps in the order of the list, one at a time."),
    }),
    maxBody: 4_000_000,
    response: startedSchema,
    status: 201,
  }),
  getStats: defineRoute({
    summary: "Figures by agent, model, depth, pair or day.",
    query: z.object({
      by: z.enum(["agent", "model", "depth", "pair", "day"]).optional().describe("`agent` by default."),
      sessionId: sessionIdSchema.optional(),
      since: z.string().max(40).optional().describe("Runs and calls that started then or later, ISO 8601."),
      until: z.string().max(40).optional().describe("… and before this time."),
    }),
    response: z.object({ stats: z.array(statsSchema) }),
  }),
};
