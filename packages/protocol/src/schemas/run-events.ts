/** Schemas of what is recorded of a run as a whole: how it begins, waits, is limited and ends. */
import { z } from "zod";
import { eventSchema } from "./envelope.ts";
import { callIdSchema, messageIdSchema, runIdSchema, turnIdSchema } from "./ids.ts";
import { limitNameSchema } from "./limits.ts";
import { messageSchema, userPartSchema } from "./messages.ts";
import { inputSourceSchema, waitingForSchema } from "./proposed-act.ts";
import { runResultSchema } from "./result.ts";
import { forkPointSchema, runSpecSchema } from "./run-spec.ts";
import { costSchema, usageSchema } from "./usage.ts";

const fittedSummarySchema = z
  .object({
    from: z.number().describe("The first message that was replaced."),
    to: z.number().describe("The first message after those that were replaced."),
    text: z.string().describe("What stands in their place."),
    model: z.string().describe("The model that wrote it."),
    usage: usageSchema.describe("Tokens."),
    costUsd: costSchema.describe("US dollars; null where no price is known."),
  })
  .meta({ title: "FittedSummary", description: "Old messages, replaced by a summary." });

export const RUN_SCHEMAS = {
  "run.requested": eventSchema("run.requested", "The request for a run is admitted.", {
    task: z.array(userPartSchema).describe("What the run is asked to do."),
    spec: runSpecSchema.describe("Everything needed to run it, frozen."),
    parentCallId: callIdSchema.exactOptional().describe("The call of the parent that this run is the body of."),
    continues: runIdSchema.exactOptional().describe("The run of the same session whose conversation this one goes on with."),
    forkedFrom: forkPointSchema.exactOptional().describe("Where another run was when this one left it."),
    history: z.array(messageSchema).exactOptional().describe("The conversation of that run up to there."),
    queuedTurn: turnIdSchema.exactOptional().describe("The queued turn that this run begins."),
    source: inputSourceSchema.exactOptional().describe("Who asked for it, and from where; of main runs alone."),
  }),
  "run.started": eventSchema("run.started", "A process holds the run's lease and drives it.", {
    epoch: z.number().describe("Of the lease; a later lease has a higher one."),
    resumed: z.boolean().describe("Whether the run was driven before."),
  }),
  "message.delivered": eventSchema("message.delivered", "Messages that were received enter the conversation, in this order.", {
    messageIds: z.array(messageIdSchema).describe("Those of `message.received`."),
  }),
  "run.parked": eventSchema("run.parked", "The driver leaves the run: whoever sees what it waits for happen drives it on.", {
    on: z.array(waitingForSchema).describe("What the run waits for."),
    activeMs: z.number().describe("Time the run has worked so far, without waiting for humans."),
  }),
  "run.finishing": eventSchema("run.finishing", "Somebody asked the run to finish, or it is stuck: its next turn is its last.", {
    reason: z.string().exactOptional().describe("Why."),
    stuck: z.literal(true).exactOptional().describe("Nobody asked: it repeated the same calls with the same outcome."),
  }),
  "context.fitted": eventSchema("context.fitted", "The conversation is shortened to fit the model.", {
    cleared: z.array(callIdSchema).describe("Calls whose outputs were cleared from the context."),
    summary: fittedSummarySchema.exactOptional().describe("What replaced old messages."),
    beforeTokens: z.number().describe("Size of the request before."),
    afterTokens: z.number().describe("Size of the request after."),
    limitTokens: z.number().describe("What the request had to fit into."),
  }),
  "limit.reached": eventSchema("limit.reached", "The next act would break a limit; the run hands in what it has.", {
    limit: limitNameSchema.describe("Which limit."),
    used: z.number().describe("How much of it was used."),
    max: z.number().describe("How much there was."),
  }),
  "result.rejected": eventSchema(
    "result.rejected",
    "The result was rejected. The agent is told why, once; the second time the run has failed. One that is unfinished fails nothing.",
    {
      by: z
        .enum(["schema", "accept", "hook", "unfinished"])
        .describe(
          "The agent's output schema, what must accept its results, a hook that is asked before runs end, or an answer that is none yet.",
        ),
      reason: z.string().describe("Why."),
    },
  ),
  "guardrail.refused": eventSchema(
    "guardrail.refused",
    "A guardrail refused what was asked of the run, or what the run would hand back; the run has failed.",
    {
      on: z.enum(["input", "output"]).describe("What was refused."),
      guardrail: z.string().describe("The name of its function, or its place among them."),
      reason: z.string().describe("Why."),
    },
  ),
  "run.settled": eventSchema("run.settled", "The run is over.", { result: runResultSchema.describe("What it hands back.") }),
};
