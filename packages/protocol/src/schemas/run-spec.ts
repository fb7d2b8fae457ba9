/** The schema of everything that is frozen when a run is requested. */
import { z } from "zod";
import { thinkingSchema } from "./thinking.ts";
import { jsonObjectSchema } from "./json.ts";
import { grantSchema, limitsSchema } from "./limits.ts";

const acceptanceSchema = z
  .union([
    z.object({ command: z.string().describe("Runs in the workspace and must end with 0.") }),
    z.object({ agent: z.string().describe("Judges the result.") }),
  ])
  .meta({ title: "Acceptance", description: "What must agree before a result counts as completed." });

const worktreeSchema = z
  .object({
    folder: z.string().describe("Its top."),
    of: z.string().describe("The workspace that it is made from, and that its changes are merged into."),
  })
  .meta({ title: "Worktree", description: "A git worktree that one run works in." });

export const runSpecSchema = z
  .object({
    system: z.string().describe("The system prompt."),
    roleChars: z
      .number()
      .exactOptional()
      .describe("How many characters (code points) at its beginning are the role's own prompt."),
    sharedChars: z
      .number()
      .exactOptional()
      .describe("How many characters at the beginning of `system` are the same in runs beside it; absent where all are."),
    contextMode: z
      .enum(["none", "summary", "selective", "full"])
      .exactOptional()
      .describe("What of its parent's context the run was given."),
    model: z.string().describe("The model, as `provider/model`."),
    fallbacks: z.array(z.string()).describe("Models that are asked where it fails, in order."),
    tools: z.array(z.string()).describe("Tools that the run may use itself."),
    askedTools: z.array(z.string()).exactOptional().describe("Names or globs that whoever started the run kept its tools to."),
    limits: limitsSchema.describe("Of this run alone; tokens, cost and time count what is below too."),
    treeLimits: limitsSchema.describe("What this run and everything below it may use together."),
    grant: grantSchema.describe("What it may hand on."),
    delegates: z.array(z.string()).describe("Agents that it may start."),
    tooDeepFor: z
      .array(z.string())
      .exactOptional()
      .describe("Agents that it could start if it were not at the greatest depth, by all of their names."),
    output: jsonObjectSchema.exactOptional().describe("JSON Schema of the result that it owes."),
    ending: z
      .enum(["verdict"])
      .exactOptional()
      .describe("Its last message ends with `RESULT: PASS` or `RESULT: FAIL`, and `SUMMARY: …`."),
    accept: acceptanceSchema.exactOptional().describe("What must agree before its result counts as completed."),
    workspace: z.string().describe("The folder that the run works in."),
    directory: z
      .string()
      .exactOptional()
      .describe("The way there from the folder of the run above, where it was given a part of that."),
    worktree: worktreeSchema.exactOptional().describe("A copy of its own that `workspace` lies in."),
    temperature: z.number().exactOptional().describe("How freely the model chooses."),
    maxOutputTokens: z.number().exactOptional().describe("How much one answer may write."),
    thinking: thinkingSchema.exactOptional().describe("How hard the model thinks: a level, or at most so many tokens."),
    treeModel: z
      .string()
      .exactOptional()
      .describe(
        "The model that a person chose for the run and everything below it; agents that name one of their own keep that.",
      ),
    summaryModel: z.string().exactOptional().describe("The model that summarises old context, where another than `model`."),
    compact: z
      .literal(true)
      .exactOptional()
      .describe("What was said in the session before is summarised ahead of the first turn."),
    recordedOnly: z
      .literal(true)
      .exactOptional()
      .describe("A host made this call itself and only recorded it: nobody drives it, resumes it or replays it."),
  })
  .meta({ title: "RunSpec", description: "Everything needed to run, resume or replay a run, frozen when it is requested." });

export const forkPointSchema = z
  .object({
    sessionId: z.templateLiteral(["ses_", z.string()]).describe("The session that was left."),
    runId: z.templateLiteral(["run_", z.string()]).describe("The run that was left."),
    seq: z.int().describe("The event after which it was left."),
  })
  .meta({ title: "ForkPoint", description: "Where another run was when this one left it." });
