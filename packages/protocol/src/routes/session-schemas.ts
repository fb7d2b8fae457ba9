/** Schemas of what is told of sessions, runs and questions. They agree with the rows of the store, which the server hands out. */
import { z } from "zod";
import { approvalIdSchema, runIdSchema, sessionIdSchema } from "../schemas/ids.ts";
import { proposedActSchema } from "../schemas/proposed-act.ts";
import { workspaceIdSchema } from "./fields.ts";

export const messageStatusSchema = z.enum(["pending", "running", "completed", "failed", "cancelled", "timeout"]);

const driverSchema = z
  .object({
    host: z.string().describe("The machine."),
    pid: z.number().describe("The process."),
    since: z.string().describe("Since when."),
    isSelf: z.boolean().describe("Whether it is this server."),
  })
  .meta({ title: "Driver", description: "The living process that works on a session." });

export const sessionItemSchema = z
  .object({
    sessionId: sessionIdSchema,
    number: z.number().describe("Counts the sessions in the order of their beginning."),
    title: z.string().describe("The first line of the first task."),
    agent: z.string(),
    model: z.string(),
    workspace: z.string().describe("The folder."),
    workspaceId: workspaceIdSchema.describe("By which routes name the folder."),
    status: messageStatusSchema.describe("Of the latest run at depth 0."),
    createdAt: z.string(),
    updatedAt: z.string(),
    runCount: z.number(),
    messageCount: z.number(),
    promptTokens: z.number(),
    completionTokens: z.number(),
    cachedTokens: z.number(),
    reasoningTokens: z.number(),
    costUsd: z.number().describe("Of the calls whose price is known."),
    unpricedCalls: z.number(),
    headSeq: z.number().describe("Of the last event."),
    importedAt: z.string().nullable(),
    driver: driverSchema.nullable().describe("Who works on it; null where it rests, or was cut off."),
    openApprovals: z.number().describe("Questions that wait for an answer."),
    snippet: z.string().optional().describe("The words that were found, where it was searched for."),
  })
  .meta({ title: "SessionItem", description: "A session as lists show it." });

export type RunNodeItem = z.infer<typeof runNodeFields> & { readonly children: readonly RunNodeItem[] };

const runNodeFields = z.object({
  runId: runIdSchema,
  messageId: z.number(),
  parentRunId: runIdSchema.nullable(),
  agent: z.string(),
  depth: z.number(),
  model: z.string(),
  task: z.string(),
  status: messageStatusSchema,
  outcome: z.string().nullable(),
  summary: z.string().nullable(),
  bailoutReason: z.string().nullable(),
  startedAt: z.string(),
  completedAt: z.string().nullable(),
  durationMs: z.number().nullable(),
  iterations: z.number(),
  promptTokens: z.number().nullable(),
  completionTokens: z.number().nullable(),
  costUsd: z.number().nullable(),
});

export const runNodeSchema: z.ZodType<RunNodeItem> = runNodeFields
  .extend({
    get children(): z.ZodArray<z.ZodType<RunNodeItem>> {
      return z.array(runNodeSchema);
    },
  })
  .meta({ title: "RunNode", description: "A run and those it started, in the order of their requests." });

const text = z.string().nullable();
const figure = z.number().nullable();

export const messageItemSchema = z
  .object({
    id: z.number(),
    session_id: z.string(),
    parent_message_id: figure,
    started_at: z.string(),
    completed_at: text,
    duration_ms: figure,
    agent_role: text,
    agent_depth: z.number(),
    model_id: text,
    system_prompt_id: text,
    request_type: z.enum(["prompt", "tool_call", "delegation", "continuation"]),
    request_content: text,
    context_mode: text,
    context_token_count: figure,
    response_content: text,
    response_summary: text,
    tool_calls_json: text,
    files_modified_json: text,
    prompt_tokens: figure,
    completion_tokens: figure,
    total_tokens: figure,
    iteration_count: z.number(),
    max_iterations: figure,
    max_duration_ms: figure,
    bailout_reason: text,
    status: messageStatusSchema,
    error_message: text,
    metadata_json: text,
    run_id: z.string(),
    seq: z.number(),
    step: figure,
    tool_name: text,
    call_id: text,
    effect: text,
    approval: z.enum(["asked", "allowed", "denied"]).nullable(),
    approval_reason: text,
    outcome: text,
    error_code: text,
    files_created_json: text,
    artifact_id: text,
    cached_tokens: figure,
    reasoning_tokens: figure,
    cost_usd: figure,
  })
  .meta({ title: "MessageRow", description: "One recorded request and what came of it; docs/records.md tells each column." });

export const searchHitSchema = z
  .object({
    sessionId: sessionIdSchema,
    seq: z.number(),
    runId: runIdSchema,
    agent: z.string(),
    depth: z.number(),
    type: z.string(),
    at: z.string(),
    messageId: z.number().nullable(),
    snippet: z.string(),
  })
  .meta({ title: "SearchHit", description: "An event in which the words stand." });

export const approvalItemSchema = z
  .object({
    approvalId: approvalIdSchema,
    sessionId: sessionIdSchema,
    runId: runIdSchema,
    parentRunId: runIdSchema.nullable(),
    depth: z.number(),
    agent: z.string(),
    path: z.array(z.string()).describe("The agents from the main agent down to the one that asks."),
    act: proposedActSchema.describe("What would be done, exactly."),
    hash: z.string().describe("SHA-256 of the act; the answer names it."),
    requestedAt: z.string(),
    expiresAt: z.string().nullable(),
    workspace: z.string(),
    workspaceId: workspaceIdSchema,
  })
  .meta({ title: "ApprovalItem", description: "A question that waits for an answer." });

export const statsSchema = z
  .object({
    key: z.string(),
    runs: z.number(),
    completed: z.number(),
    partial: z.number(),
    failed: z.number(),
    cancelled: z.number(),
    timeout: z.number(),
    successRate: z.number().nullable(),
    bailouts: z.record(z.string(), z.number()),
    durationMs: z.number(),
    modelCalls: z.number(),
    toolCalls: z.number(),
    toolFailures: z.number(),
    promptTokens: z.number(),
    completionTokens: z.number(),
    cachedTokens: z.number(),
    reasoningTokens: z.number(),
    costUsd: z.number(),
    unpricedCalls: z.number(),
  })
  .meta({ title: "Stats", description: "Figures of runs and calls under one key." });
