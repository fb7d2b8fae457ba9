/** Schemas of acts, of who answers for them and of what a run waits for. */
import { z } from "zod";
import { approvalIdSchema, callIdSchema, runIdSchema } from "./ids.ts";
import { jsonSchema } from "./json.ts";

export const toolEffectSchema = z.enum(["read", "write", "execute", "network"]).meta({ title: "ToolEffect" });

const scriptSchema = z
  .object({ path: z.string().describe("The file."), digest: z.string().describe("Hash of its content.") })
  .meta({ title: "Script", description: "A file that a command runs." });

const userQuestionSchema = z
  .object({
    text: z.string().describe("What is asked."),
    options: z.array(z.string()).describe("Answers that it offers; any other may be given."),
  })
  .meta({ title: "UserQuestion", description: "What an agent asks the user." });

export const proposedActSchema = z
  .object({
    callId: callIdSchema.describe("The call that would do it."),
    tool: z.string().describe("The tool."),
    effect: toolEffectSchema.describe("What it would do to the world."),
    input: jsonSchema.describe("The tool's input, as it was parsed."),
    paths: z.array(z.string()).describe("Paths that it would touch, resolved."),
    hosts: z.array(z.string()).describe("Hosts that it would reach."),
    protectedPaths: z.array(z.string()).exactOptional().describe("Those of the paths that need an answer of their own."),
    scripts: z.array(scriptSchema).exactOptional().describe("Files that the command runs: another content is another act."),
    tree: z
      .string()
      .exactOptional()
      .describe(
        "Of a command that could run any file of the workspace: a hash of all of them as they were when it was asked about.",
      ),
    unsandboxed: z
      .string()
      .exactOptional()
      .describe("It would run without a sandbox: why, and what is not protected from it then."),
    askedBy: z.string().exactOptional().describe("The rule that wants a human's word, in every approve mode."),
    secrets: z.array(z.string()).exactOptional().describe("Names of the secrets that it is given; their values stand nowhere."),
    question: userQuestionSchema.exactOptional().describe("The act is a question to the human: the answer carries their words."),
    changed: z
      .array(z.string())
      .exactOptional()
      .describe("The question is put again: what changed since it was put before, such as names of files."),
  })
  .meta({ title: "ProposedAct", description: "The act a human is asked about, in canonical form." });

export const approvalScopeSchema = z.enum(["once", "run", "session"]).meta({ title: "ApprovalScope" });

export const inputSourceSchema = z
  .object({
    via: z
      .enum(["command", "library", "server", "run", "rule"])
      .describe(
        "The way in: the `retinue` command, code that embeds the library, a server's client, another run, or a rule of ours.",
      ),
    user: z.string().exactOptional().describe("The account it was given under."),
    host: z.string().exactOptional().describe("The machine it was given on."),
    pid: z.number().exactOptional().describe("The process it was given in."),
  })
  .meta({ title: "InputSource", description: "Who gave an input, and from where." });

export const waitingForSchema = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("approval"), approvalId: approvalIdSchema.describe("The question that is open.") }),
    z.object({ type: z.literal("run"), runId: runIdSchema.describe("The run that has not settled.") }),
  ])
  .meta({ title: "WaitingFor", description: "What a parked run waits for." });
