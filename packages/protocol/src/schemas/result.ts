/** Schemas of the one result that every run hands back, and of what became of a worktree. */
import { z } from "zod";
import { errorValueSchema } from "./error-value.ts";
import { runIdSchema } from "./ids.ts";
import { jsonSchema } from "./json.ts";
import { limitsSchema } from "./limits.ts";
import { costSchema, usageSchema } from "./usage.ts";

const paths = z.array(z.string());

export const mergeConflictSchema = z
  .object({ path: z.string().describe("The file."), reason: z.string().describe("Why its change was not merged.") })
  .meta({ title: "MergeConflict", description: "A file whose change was not merged; its place in the workspace is as it was." });

/** The fields alone: `worktree.merged` carries them beside its envelope. */
export const mergeOutcomeFields = {
  created: paths.describe("Files that the merge created."),
  modified: paths.describe("Files that the merge modified."),
  deleted: paths.describe("Files that the merge deleted."),
  conflicts: z.array(mergeConflictSchema).describe("Files whose change was not merged."),
  ref: z.string().nullable().describe("The ref that keeps everything the run did; null where all of it was merged."),
  notMerged: z.string().exactOptional().describe("Why nothing was merged though there was something."),
  left: z.string().exactOptional().describe("A folder that holds what neither the workspace nor the ref could take."),
};

export const mergeOutcomeSchema = z.object(mergeOutcomeFields).meta({
  title: "MergeOutcome",
  description: "What became of the changes of a run with a worktree. Paths are relative to the workspace they are for.",
});

const bailoutReasonSchema = z.enum([
  "max_iterations",
  "max_tool_calls",
  "timeout",
  "max_context",
  "max_tokens",
  "max_cost",
  "stuck",
  "error",
  "cancelled",
]);

export const countsSchema = z.object({
  run: z.number().describe("Tests that ran."),
  passed: z.number().describe("Those that passed."),
});

const billSchema = z
  .object({
    usage: usageSchema.describe("Tokens."),
    costUsd: costSchema.describe("Null where no price is known for a model that was used."),
    iterations: z.number().describe("Model calls that could use tools."),
    toolCalls: z.number().describe("Tool calls that were executed."),
  })
  .meta({ title: "Bill", description: "What runs have spent together." });

export const runResultSchema = z
  .object({
    status: z.enum(["completed", "partial", "failed", "cancelled", "timeout"]).describe("How the run ended."),
    agent: z.string().exactOptional().describe("Whose result it is."),
    summary: z.string().describe("A few lines. A parent reads the whole answer, and not these alone."),
    details: z.string().describe("The whole of what the agent said last."),
    output: jsonSchema.exactOptional().describe("What the agent handed in by its output schema."),
    filesModified: paths.describe("Files that were modified, as measured."),
    filesCreated: paths.describe("Files that were created, as measured."),
    testsRun: z.number().describe("Tests that were really run."),
    testsPassed: z.number().describe("Tests that passed."),
    latestTests: countsSchema.exactOptional().describe("How the last of several test runs came out."),
    warnings: z.array(z.string()).describe("What a reader should know before trusting the result."),
    unverified: z.array(z.string()).describe("What the agent claims and the record does not support."),
    suggestions: z.array(z.string()).describe("What the agent would do next."),
    findings: z.array(jsonSchema).describe("What the agent found, as data."),
    transferredTo: z
      .object({ runId: runIdSchema.describe("The run."), agent: z.string().describe("Its agent.") })
      .exactOptional()
      .describe("Who answered in its place, where it handed the conversation over."),
    iterations: z.number().describe("Model calls that could use tools."),
    toolCalls: z.number().describe("Tool calls that were executed."),
    contextTokens: z.number().describe("Size of the last request."),
    durationMs: z.number().describe("Time at work."),
    usage: usageSchema.describe("Tokens of this run alone."),
    costUsd: costSchema.describe("Of this run alone; null where no price is known for a model that was used."),
    total: billSchema.exactOptional().describe("Of the run and everything below it."),
    remaining: limitsSchema.exactOptional().describe("What its limits, and those above it, left when it settled."),
    depth: z.number().describe("0 is the main agent."),
    merge: mergeOutcomeSchema.exactOptional().describe("Of a run that worked in a worktree of its own."),
    bailoutReason: bailoutReasonSchema.exactOptional().describe("Why the run was stopped before it was done."),
    error: errorValueSchema.exactOptional().describe("What ended the run."),
  })
  .meta({ title: "RunResult", description: "What every run hands back, whatever became of it." });
