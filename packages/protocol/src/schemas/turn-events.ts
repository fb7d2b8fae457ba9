/** Schemas of what is recorded of a turn: the model's answer, approvals, and the settling of its calls. */
import { z } from "zod";
import { eventSchema } from "./envelope.ts";
import { errorValueSchema } from "./error-value.ts";
import { approvalIdSchema, artifactIdSchema, callIdSchema, runIdSchema } from "./ids.ts";
import { jsonSchema } from "./json.ts";
import { assistantPartSchema, userPartSchema } from "./messages.ts";
import { proposedActSchema, toolEffectSchema } from "./proposed-act.ts";
import { countsSchema } from "./result.ts";
import { costSchema, spentSchema, usageSchema } from "./usage.ts";

const step = z.int().describe("Counts the turns of the run from 1. A turn asked again keeps its number.");
const activeMs = z.number().describe("Time the run has worked so far, without waiting for humans.");
const aside = z
  .enum(["accept", "plan", "summary"])
  .exactOptional()
  .describe("We, and not the model, made this call: what it is for.");

const digestSchema = z
  .object({
    system: z.string().describe("Of the system prompt."),
    tools: z.string().describe("Of the tools that were offered."),
    messages: z.string().describe("Of the conversation."),
  })
  .meta({ title: "RequestDigest", description: "Hashes of the parts of a request, so that two can be compared." });

const artifactRefSchema = z
  .object({
    artifactId: artifactIdSchema.describe("Where it is kept."),
    chars: z.number().describe("Its length; 0 for bytes."),
    lines: z.number().describe("Its lines; 0 for bytes."),
    bytes: z.number().exactOptional().describe("How many bytes there are; absent where the artifact is a text."),
    mediaType: z.string().exactOptional().describe("What the bytes are, as `image/png`."),
  })
  .meta({ title: "ArtifactRef", description: "The full text behind a shortened tool output, or bytes that a tool gave." });

const fileChangesSchema = z
  .object({
    modified: z.array(z.string()).describe("Files that were there before."),
    created: z.array(z.string()).describe("Files that were not."),
  })
  .meta({ title: "FileChanges", description: "Files that an act really changed, measured, relative to the workspace." });

const testCountsSchema = countsSchema
  .extend({ latest: countsSchema.exactOptional().describe("Of several runs counted together, the last one.") })
  .meta({ title: "TestCounts", description: "Tests that an act really ran." });

const transferredSchema = z
  .object({
    runId: runIdSchema.describe("The run that went on with the conversation."),
    agent: z.string().describe("Its agent."),
    text: z.string().describe("What it answered in the end."),
  })
  .meta({ title: "Transferred", description: "Who went on with a conversation in the place of the run that had it." });

export const TURN_SCHEMAS = {
  "model.requested": eventSchema("model.requested", "A model is about to be asked.", {
    step,
    model: z.string().describe("The model."),
    estimatedTokens: z.number().describe("Size of the request, estimated."),
    digest: digestSchema.describe("What exactly was asked."),
    handIn: z.boolean().describe("Whether this is the last, tool-less turn of a run that hit a limit."),
  }),
  "model.answered": eventSchema("model.answered", "The model's answer is whole.", {
    step,
    model: z.string().describe("The model that answered."),
    content: z.array(assistantPartSchema).describe("What the model said and called."),
    finishReason: z.enum(["stop", "tool-calls", "length", "filtered", "other"]).describe("Why the model ended its answer."),
    usage: usageSchema.describe("Tokens of this call."),
    costUsd: costSchema.describe("US dollars; null where no price is known."),
    cutBy: z
      .enum(["tokens", "costUsd"])
      .exactOptional()
      .describe("The limit that allowed no longer answer, where one cut it off."),
    leftOut: z
      .array(z.string())
      .exactOptional()
      .describe("What was asked for and left out, since the model does not take it; told once a model."),
    activeMs,
  }),
  "model.failed": eventSchema("model.failed", "A model could not answer, after its retries.", {
    step,
    model: z.string().describe("The model that failed."),
    error: errorValueSchema.describe("Why."),
    next: z
      .string()
      .nullable()
      .describe("The model that is asked next: a fallback, or the first one again where all are away; null where there is none."),
    learnedWindow: z.number().exactOptional().describe("How large a request to this model may be, learned from its refusal."),
  }),
  "approval.requested": eventSchema("approval.requested", "A human is asked.", {
    approvalId: approvalIdSchema.describe("Names the question."),
    act: proposedActSchema.describe("What would be done."),
    hash: z.string().describe("SHA-256 of the act; what then runs has the same."),
    expiresAt: z.string().exactOptional().describe("After this time nobody can answer any more, and the act is denied."),
  }),
  "tool.started": eventSchema("tool.started", "A tool is about to run.", {
    callId: callIdSchema.describe("The call."),
    tool: z.string().describe("The tool."),
    input: jsonSchema.describe("Its input, as it was parsed."),
    effect: toolEffectSchema.describe("What it may do to the world."),
    repeatable: z.boolean().describe("Whether it may run again after a crash without being asked."),
    aside,
  }),
  "tool.settled": eventSchema("tool.settled", "A call has its answer.", {
    callId: callIdSchema.describe("The call."),
    tool: z.string().describe("The tool."),
    outcome: z
      .enum(["ok", "error", "denied", "cancelled", "unknown"])
      .describe(
        "ok: did what was asked. error: tried and failed, or the call was malformed. denied: policy or a human said no. " +
          "cancelled: the run was stopped first. unknown: it was under way at a crash.",
      ),
    aside,
    content: z.array(userPartSchema).describe("What the model reads."),
    error: errorValueSchema.exactOptional().describe("Why it failed."),
    artifact: artifactRefSchema.exactOptional().describe("The full text behind a shortened output."),
    files: fileChangesSchema.exactOptional().describe("Files that it changed."),
    tests: testCountsSchema.exactOptional().describe("Tests that it ran."),
    arguments: z
      .string()
      .exactOptional()
      .describe("Of a call that was not started: its arguments as the model wrote them, or the beginning of those."),
    sandbox: z.string().exactOptional().describe("What kept the command that it ran to its rights: `bwrap 0.8`, or `none`."),
    transferred: transferredSchema
      .exactOptional()
      .describe("The conversation was handed over for good: who answered in the place of this run, and what."),
    spent: spentSchema.exactOptional().describe("On models, by the tool itself."),
    activeMs,
  }),
};
