/** Schemas of what is said between an agent and its model. */
import { z } from "zod";
import { callIdSchema } from "./ids.ts";
import { jsonSchema } from "./json.ts";

const opaque = jsonSchema.exactOptional().describe("What the provider wants back unread.");

export const textPartSchema = z
  .object({ type: z.literal("text"), text: z.string().describe("The words."), opaque })
  .meta({ title: "TextPart", description: "Words." });

export const imagePartSchema = z
  .object({
    type: z.literal("image"),
    mediaType: z.string().describe("Its media type, as `image/png`."),
    data: z.string().describe("Its bytes, in base64."),
  })
  .meta({ title: "ImagePart", description: "A picture." });

export const reasoningPartSchema = z
  .object({ type: z.literal("reasoning"), text: z.string().describe("The thoughts, as far as the provider shows them."), opaque })
  .meta({ title: "ReasoningPart", description: "What a model thought before it answered." });

export const toolCallPartSchema = z
  .object({
    type: z.literal("tool-call"),
    callId: callIdSchema.describe("Unique within its run."),
    tool: z.string().describe("The tool that the model calls."),
    arguments: z.string().describe("The text exactly as the model wrote it, unless it was repaired; it need not be JSON."),
    repaired: z
      .object({
        how: z.array(z.string()).describe("What was mended, in words."),
        wrote: z.string().describe("The arguments as the model wrote them."),
      })
      .exactOptional()
      .describe("The call was mended: its form, its name or its arguments."),
    opaque,
  })
  .meta({ title: "ToolCallPart", description: "A call of a tool by a model." });

export const userPartSchema = z.discriminatedUnion("type", [textPartSchema, imagePartSchema]).meta({ title: "UserPart" });

export const assistantPartSchema = z
  .discriminatedUnion("type", [textPartSchema, reasoningPartSchema, toolCallPartSchema])
  .meta({ title: "AssistantPart" });

const userMessageSchema = z
  .object({ role: z.literal("user"), content: z.array(userPartSchema).describe("What is said to the model.") })
  .meta({ title: "UserMessage", description: "A human, the parent or Retinue speaks to the model." });

const assistantMessageSchema = z
  .object({ role: z.literal("assistant"), content: z.array(assistantPartSchema).describe("What the model said and called.") })
  .meta({ title: "AssistantMessage", description: "The model speaks." });

const toolMessageSchema = z
  .object({
    role: z.literal("tool"),
    callId: callIdSchema.describe("The call that this answers."),
    tool: z.string().describe("The tool that was called."),
    content: z.array(userPartSchema).describe("What the model reads."),
    isError: z.boolean().describe("Whether the call failed."),
  })
  .meta({ title: "ToolMessage", description: "The answer to a call." });

export const messageSchema = z
  .discriminatedUnion("role", [userMessageSchema, assistantMessageSchema, toolMessageSchema])
  .meta({ title: "Message" });
