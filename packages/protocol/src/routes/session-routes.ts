/** Routes of sessions: find, begin, go on, look into. */
import { z } from "zod";
import { APPROVE_MODES } from "../grant.ts";
import { RECORDED_SCHEMAS } from "../schemas/event-schemas.ts";
import { runIdSchema, sessionIdSchema, turnIdSchema } from "../schemas/ids.ts";
import { limitsSchema } from "../schemas/limits.ts";
import { planSchema } from "../schemas/plan.ts";
import {
  artifactParams,
  continuesWithField,
  doneSchema,
  flagQuery,
  nextField,
  pageQuery,
  queuedTurnParams,
  runFields,
  SAID_MAX_BODY,
  saidFields,
  sessionParams,
  sessionRunParams,
  startedSchema,
  workspaceIdSchema,
} from "./fields.ts";
import { defineRoute } from "./route.ts";
import { messageItemSchema, messageStatusSchema, runNodeSchema, searchHitSchema, sessionItemSchema } from "./session-schemas.ts";
import { runPartSchema, stepsPageSchema, viewSnapshotSchema } from "./view-schemas.ts";

const atLeast = z.coerce
  .number()
  .int()
  .min(0)
  .optional()
  .describe("The answer stands at this event or a later one; at the last event by default.");

const [firstEvent, ...otherEvents] = Object.values(RECORDED_SCHEMAS);

export const recordedEventSchema = z
  .discriminatedUnion("type", [firstEvent as NonNullable<typeof firstEvent>, ...otherEvents])
  .meta({ title: "RecordedEvent", description: "An event of the record; docs/events.md tells each." });

export const SESSION_ROUTES = {
  listSessions: defineRoute({
    summary: "Sessions of all workspaces, or those in which words were said.",
    query: z.object({
      ...pageQuery,
      search: z.string().max(1_000).optional().describe("Words that were said in them; what was said last comes first."),
      order: z.enum(["newest", "oldest", "updated"]).optional().describe("`newest` by default; not where words are searched."),
      status: messageStatusSchema.optional(),
      agent: z.string().max(200).optional(),
      workspaceId: workspaceIdSchema.optional(),
    }),
    response: z.object({ items: z.array(sessionItemSchema), next: nextField }),
  }),
  startSession: defineRoute({
    summary: "Begins a session with a task.",
    body: z.strictObject({ workspaceId: workspaceIdSchema, ...saidFields, ...runFields }),
    maxBody: SAID_MAX_BODY,
    response: startedSchema,
    status: 201,
  }),
  getSession: defineRoute({ summary: "One session.", params: sessionParams, response: sessionItemSchema }),
  deleteSession: defineRoute({
    summary: "Takes a session away for good.",
    params: sessionParams,
    query: z.object({ force: flagQuery.describe("Also where a living process works on it.") }),
    response: doneSchema,
  }),
  startTurn: defineRoute({
    summary: "Says the next thing in a session that rests.",
    params: sessionParams,
    body: z.strictObject({ ...saidFields, ...runFields }),
    maxBody: SAID_MAX_BODY,
    response: startedSchema,
    status: 201,
  }),
  listQueuedTurns: defineRoute({
    summary: "What is said once the turn that runs has ended, in order.",
    params: sessionParams,
    response: z.object({ turns: z.array(z.object({ turnId: turnIdSchema, text: z.string() })) }),
  }),
  queueTurn: defineRoute({
    summary:
      "Says something once the turn that runs has ended; at once where none runs. It is kept until then, also over a restart.",
    params: sessionParams,
    body: z.strictObject({ text: z.string().min(1).max(1_000_000) }),
    maxBody: 4_000_000,
    response: z.object({ isQueued: z.boolean().describe("False where the turn has begun already.") }),
    status: 201,
  }),
  dropQueuedTurn: defineRoute({
    summary: "Takes back what waits for the end of the turn.",
    params: queuedTurnParams,
    response: doneSchema,
  }),
  resumeSession: defineRoute({
    summary: "Goes on with the latest run of a session where it was left.",
    params: sessionParams,
    body: z.strictObject({
      takeOver: z.boolean().optional().describe("Also from a living process that works on it."),
      approve: z.enum(APPROVE_MODES).optional(),
      limits: limitsSchema.optional(),
    }),
    response: startedSchema.extend({ approve: continuesWithField }),
    status: 201,
  }),
  forkSession: defineRoute({
    summary: "Leaves a session at one of its events, in a session of its own.",
    params: sessionParams,
    body: z.strictObject({
      seq: z.int().min(1).optional().describe("The event after which it is left; the last one by default."),
      runId: runIdSchema.optional().describe("The run that is left; by default the one that the event belongs to."),
      text: z
        .string()
        .max(8 * 1024 * 1024)
        .optional()
        .describe("What is said next; without it the run goes on without a word."),
      prompt: z.string().max(1_000_000).optional().describe("In place of the agent's prompt."),
      ...runFields,
    }),
    response: startedSchema,
    status: 201,
  }),
  stopSession: defineRoute({
    summary: "Stops the latest main run of a session and everything below it.",
    params: sessionParams,
    body: z.strictObject({
      finish: z.boolean().optional().describe("It hands in what it has, in one last turn."),
      reason: z.string().max(10_000).optional().describe("Why; it stands in the record."),
    }),
    response: doneSchema,
  }),
  exportSession: defineRoute({
    summary: "A session taken out whole: events, messages and artifacts.",
    params: sessionParams,
    response: z.looseObject({ format: z.literal("retinue-session"), version: z.literal(1) }),
    isOpen: true,
  }),
  listEvents: defineRoute({
    summary: "Recorded events of a session after a number, in order.",
    params: sessionParams,
    query: z.object({
      after: z.coerce.number().int().min(0).optional().describe("The last number that is known; 0 by default."),
      limit: z.coerce.number().int().min(1).max(5_000).optional().describe("At most so many; 1,000 by default."),
    }),
    response: z.object({
      events: z.array(recordedEventSchema),
      headSeq: z.number().describe("The number of the session's last event."),
    }),
    isOpen: true,
  }),
  getView: defineRoute({
    summary:
      "A session as it stands: all runs in brief, the latest and those at work with their latest steps. A feed goes on after `seq`.",
    params: sessionParams,
    query: z.object({
      first: flagQuery.describe(
        "Where reading all of a large session takes long, its latest run at depth 0 alone is told at once.",
      ),
    }),
    response: viewSnapshotSchema,
    isOpen: true,
  }),
  getRunPart: defineRoute({
    summary: "What there is of a run besides its head, with its latest steps.",
    params: sessionRunParams,
    query: z.object({ atLeast }),
    response: runPartSchema,
    isOpen: true,
  }),
  listSteps: defineRoute({
    summary: "Steps of a run by their places, with their calls.",
    params: sessionRunParams,
    query: z.object({
      from: z.coerce.number().int().min(0).describe("The place of the first one, counted from 0."),
      to: z.coerce.number().int().min(0).describe("The place after the last one; 200 at most are given."),
      atLeast,
    }),
    response: stepsPageSchema,
    isOpen: true,
  }),
  listMessages: defineRoute({
    summary: "The rows of a session: runs, model calls and tool calls.",
    params: sessionParams,
    query: z.object({
      ...pageQuery,
      order: z.enum(["oldest", "newest"]).optional(),
      runId: runIdSchema.optional(),
      agent: z.string().max(200).optional(),
      status: messageStatusSchema.optional(),
      requestType: z.enum(["prompt", "tool_call", "delegation", "continuation"]).optional(),
    }),
    response: z.object({ items: z.array(messageItemSchema), next: nextField }),
  }),
  getTree: defineRoute({
    summary: "The runs of a session as a tree.",
    params: sessionParams,
    response: z.object({ runs: z.array(runNodeSchema) }),
  }),
  listSessionPlans: defineRoute({
    summary: "The plans that were made or carried out in a session, with what became of their steps.",
    params: sessionParams,
    response: z.object({
      plans: z.array(
        z.object({
          runId: runIdSchema,
          callId: z.string(),
          plan: planSchema,
          steps: z.array(
            z.object({
              stepId: z.string(),
              state: z.string(),
              attempt: z.number(),
              runId: runIdSchema.nullable(),
              summary: z.string().nullable(),
            }),
          ),
          verdict: z.object({ status: z.enum(["pass", "fail"]), summary: z.string() }).nullable(),
        }),
      ),
    }),
    isOpen: true,
  }),
  getArtifact: defineRoute({
    summary: "The bytes of an artifact, as a download that no browser runs.",
    params: artifactParams,
    media: "application/octet-stream",
  }),
  streamSession: defineRoute({
    summary: "A session as server-sent events; `Last-Event-ID` or `after` is the last number that is known.",
    params: sessionParams,
    query: z.object({ after: z.string().max(40).optional() }),
    media: "text/event-stream",
  }),
  search: defineRoute({
    summary: "Events in which words were said.",
    query: z.object({ ...pageQuery, text: z.string().min(1).max(1_000), sessionId: sessionIdSchema.optional() }),
    response: z.object({ items: z.array(searchHitSchema), next: nextField }),
  }),
};
