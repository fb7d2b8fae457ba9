/** The schema of tokens that were used, and of what a call spent. */
import { z } from "zod";

export const costSchema = z.number().nullable();

export const usageSchema = z
  .object({
    input: z.number().describe("Tokens that the model read."),
    output: z.number().describe("Tokens that the model wrote."),
    cached: z.number().describe("The part of `input` that was read from a cache."),
    reasoning: z.number().describe("The part of `output` that was reasoning."),
    written: z.number().exactOptional().describe("The part of `input` that was put into a cache; sums do not have it."),
  })
  .meta({ title: "Usage", description: "Tokens of one model call or of many." });

export const spentSchema = z
  .object({ usage: usageSchema.describe("Tokens."), costUsd: costSchema.describe("US dollars; null where no price is known.") })
  .meta({ title: "Spent", description: "What a tool spent on models of its own." });
