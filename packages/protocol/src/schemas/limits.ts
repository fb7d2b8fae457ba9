/** Schemas of limits and grants: what a run may use, and what it may do. */
import { z } from "zod";
import { APPROVE_MODES } from "../grant.ts";
import { LIMIT_NAMES } from "../limits.ts";

export const limitNameSchema = z.enum(LIMIT_NAMES).meta({ title: "LimitName" });

export const limitsSchema = z
  .object({
    iterations: z.number().exactOptional().describe("Model calls that may use tools; the hand-in is none of them."),
    toolCalls: z.number().exactOptional().describe("Tool calls."),
    durationMs: z.number().exactOptional().describe("Time at work, without waiting for humans."),
    contextTokens: z.number().exactOptional().describe("Size of one request."),
    tokens: z.number().exactOptional().describe("Input and output of all model calls together."),
    costUsd: z.number().exactOptional().describe("US dollars."),
  })
  .meta({
    title: "Limits",
    description: "What a run may use at most. An absent limit is no limit of its own: the one above still holds.",
  });

export const grantSchema = z
  .object({
    tools: z.array(z.string()).describe("Tools that the run may hand on."),
    writes: z.array(z.array(z.string())).describe("A path may be written if each list has a glob that matches it."),
    hosts: z.array(z.array(z.string())).describe("A host may be reached if each list has a pattern that matches it."),
    approve: z.enum(APPROVE_MODES).describe("How acts that are more than reading are treated."),
    maxDepth: z.number().describe("Runs deeper than this are not started."),
  })
  .meta({ title: "Grant", description: "What a run and everything below it may ever do." });
