/** Schemas of limits and grants: what a run may use, and what it may do. */
import { z } from "zod";
import { APPROVE_MODES, RULE_EFFECTS } from "../grant.ts";
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

export const ruleSchema = z
  .object({
    tools: z.array(z.string()).describe("Names of tools, or globs of names."),
    path: z.string().exactOptional().describe("A glob of paths."),
    like: z.string().exactOptional().describe("What the command, path, address or name reads like; `*` is any text."),
    host: z.string().exactOptional().describe("A host."),
    effect: z.enum(RULE_EFFECTS).describe("What becomes of such a call."),
  })
  .meta({ title: "Rule", description: "What a file says of some calls." });

const ruleSetSchema = z
  .object({
    from: z.string().describe("Whose rules they are."),
    rules: z.array(ruleSchema).describe("Of those that match a call the last decides."),
    base: z.string().exactOptional().describe("The workspace, seen from where the paths of the rules begin."),
  })
  .meta({ title: "RuleSet", description: "The rules of one source." });

export const grantSchema = z
  .object({
    tools: z.array(z.string()).describe("Tools that the run may hand on."),
    writes: z.array(z.array(z.string())).describe("A path may be written if each list has a glob that matches it."),
    hosts: z.array(z.array(z.string())).describe("A host may be reached if each list has a pattern that matches it."),
    rules: z
      .array(ruleSetSchema)
      .exactOptional()
      .describe("A call may run if no set denies it, and without a human's word if no set asks for that."),
    base: z.string().exactOptional().describe("The folder that is worked in, seen from the root of the project."),
    directory: z
      .string()
      .exactOptional()
      .describe("The part of the session's workspace that is worked in, and outside of which nothing is seen."),
    approve: z.enum(APPROVE_MODES).describe("How acts that are more than reading are treated."),
    maxDepth: z.number().describe("Runs deeper than this are not started."),
  })
  .meta({ title: "Grant", description: "What a run and everything below it may ever do." });
