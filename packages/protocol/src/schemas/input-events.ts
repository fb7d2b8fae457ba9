/** Schemas of inputs: what anybody who may reach the session can append, without the run's lease. */
import { z } from "zod";
import { eventSchema } from "./envelope.ts";
import { approvalIdSchema, messageIdSchema, runIdSchema, turnIdSchema } from "./ids.ts";
import { userPartSchema } from "./messages.ts";
import { approvalScopeSchema, inputSourceSchema } from "./proposed-act.ts";

const source = inputSourceSchema.exactOptional().describe("Who gave it, and from where.");

export const INPUT_SCHEMAS = {
  "message.received": eventSchema(
    "message.received",
    "Somebody speaks to the run. The run has the message once it is delivered.",
    {
      messageId: messageIdSchema
        .exactOptional()
        .describe("Absent in records in which a message entered the conversation where it stands."),
      from: z.union([z.literal("human"), runIdSchema]).describe("A human, or the run that speaks."),
      content: z.array(userPartSchema).describe("What is said."),
      source,
    },
  ),
  "message.withdrawn": eventSchema(
    "message.withdrawn",
    "Who said something takes it back. A message that was on its way into the conversation by then is delivered all the same.",
    { messageId: messageIdSchema.describe("That of `message.received`."), source },
  ),
  "approval.answered": eventSchema("approval.answered", "A human has answered.", {
    approvalId: approvalIdSchema.describe("The question."),
    allowed: z.boolean().describe("Whether the act may be done."),
    scope: approvalScopeSchema.describe(
      "For what the answer holds: this act, acts like it in this run, or anywhere in the session.",
    ),
    reason: z.string().exactOptional().describe("Why."),
    text: z.string().exactOptional().describe("What the human said, where the act is a question to them."),
    source,
  }),
  "cancel.requested": eventSchema("cancel.requested", "The run, and everything below it, is to stop.", {
    reason: z.string().exactOptional().describe("Why."),
    finish: z.boolean().exactOptional().describe("It hands in what it has, in one last turn, in place of being cancelled."),
    source,
  }),
  "turn.queued": eventSchema(
    "turn.queued",
    "Somebody said what the session is to do next. It begins with the `run.requested` that names it, when the turns before it have ended.",
    {
      turnId: turnIdSchema.describe("The turn."),
      task: z.array(userPartSchema).describe("What is to be done."),
      source,
    },
  ),
  "turn.withdrawn": eventSchema("turn.withdrawn", "A queued turn that has not begun is taken back.", {
    turnId: turnIdSchema.describe("That of `turn.queued`."),
    source,
  }),
};
