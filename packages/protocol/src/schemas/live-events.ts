/** Schemas of live events: they may be dropped, and a recorded event carries the whole value. */
import { z } from "zod";
import { eventSchema } from "./envelope.ts";
import { errorValueSchema } from "./error-value.ts";
import { callIdSchema } from "./ids.ts";

const step = z.int().describe("The turn.");

export const LIVE_SCHEMAS = {
  "model.delta": eventSchema("model.delta", "The model writes. Closed by `model.answered`.", {
    step,
    kind: z.enum(["text", "reasoning", "tool-input"]).describe("What the model writes."),
    text: z.string().describe("The next piece of it."),
  }),
  "model.retrying": eventSchema(
    "model.retrying",
    "A model failed and is asked again. What was streamed of this turn is void. Closed by `model.answered` or `model.failed`.",
    {
      step,
      model: z.string().describe("The model."),
      attempt: z.number().describe("Counts the attempts from 1."),
      waitMs: z.number().describe("How long is waited before the next attempt."),
      error: errorValueSchema.describe("Why it failed."),
      giveUpAt: z
        .string()
        .exactOptional()
        .describe("Where every model that the run could ask is away: until when is waited. Then the run is left open."),
    },
  ),
  "tool.progress": eventSchema("tool.progress", "A tool tells how far it has come. Closed by `tool.settled`.", {
    callId: callIdSchema.describe("The call."),
    text: z.string().describe("What it tells; the latest takes the place of those before."),
  }),
};
