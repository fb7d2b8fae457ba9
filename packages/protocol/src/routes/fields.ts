/** Fields that several routes share. */
import { z } from "zod";
import { APPROVE_MODES } from "../grant.ts";
import {
  approvalIdSchema,
  artifactIdSchema,
  messageIdSchema,
  runIdSchema,
  sessionIdSchema,
  turnIdSchema,
} from "../schemas/ids.ts";
import { limitsSchema } from "../schemas/limits.ts";

/** Long enough for every id we make, and short enough for every index. */
const MOST_ID = 200;

const bounded = <S extends z.ZodType<string>>(schema: S): S => schema.refine((id) => id.length <= MOST_ID);

export const workspaceIdSchema = z.templateLiteral(["wsp_", z.string()]).meta({ title: "WorkspaceId" });

export const workspaceParams = z.object({ workspaceId: bounded(workspaceIdSchema) });
export const sessionParams = z.object({ sessionId: bounded(sessionIdSchema) });
export const runParams = z.object({ runId: bounded(runIdSchema) });
export const messageParams = z.object({ runId: bounded(runIdSchema), messageId: bounded(messageIdSchema) });
export const queuedTurnParams = z.object({ sessionId: bounded(sessionIdSchema), turnId: bounded(turnIdSchema) });
export const sessionRunParams = z.object({ sessionId: bounded(sessionIdSchema), runId: bounded(runIdSchema) });
export const approvalParams = z.object({ approvalId: bounded(approvalIdSchema) });
export const artifactParams = z.object({ sessionId: bounded(sessionIdSchema), artifactId: bounded(artifactIdSchema) });
export const agentParams = z.object({ workspaceId: bounded(workspaceIdSchema), name: z.string().min(1).max(MOST_ID) });
export const testRunParams = z.object({ workspaceId: bounded(workspaceIdSchema), testRunId: z.string().min(1).max(MOST_ID) });

export const ruleParams = z.object({ workspaceId: bounded(workspaceIdSchema), ruleId: z.string().min(1).max(MOST_ID) });

export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(500).optional().describe("Items a page; 50 by default."),
  after: z.string().max(500).optional().describe("Where the page begins: `next` of the one before."),
};

export const flagQuery = z.enum(["true", "false"]).optional();

export const nextField = z.string().nullable().describe("Where the next page begins; null at the end.");

/** 5 MiB of bytes in base64. */
export const MOST_IMAGE_CHARS = 7_000_000;
export const MOST_IMAGES = 8;
export const MOST_TEXT_CHARS = 8 * 1024 * 1024;

/** What is said, with pictures. */
export const saidFields = {
  text: z.string().max(MOST_TEXT_CHARS).describe("The words."),
  images: z
    .array(
      z.object({
        mediaType: z.enum(["image/png", "image/jpeg", "image/webp", "image/gif"]).describe("What it is."),
        data: z.base64().max(MOST_IMAGE_CHARS).describe("Its bytes, in base64."),
      }),
    )
    .max(MOST_IMAGES)
    .optional()
    .describe("Pictures that the model sees with it."),
};

/** Of a body that may carry pictures. */
export const SAID_MAX_BODY = MOST_IMAGES * MOST_IMAGE_CHARS + 2 * MOST_TEXT_CHARS;

export const runFields = {
  agent: z.string().max(MOST_ID).optional().describe("`main` by default."),
  model: z.string().max(500).optional().describe("`provider/model`, or a name from the settings."),
  limits: limitsSchema.optional().describe("What the run and everything below it may use."),
  approve: z.enum(APPROVE_MODES).optional().describe("How acts that are more than reading are treated."),
  isolation: z.enum(["none", "worktree"]).optional().describe("`worktree`: it works in a git worktree of its own."),
};

export const startedSchema = z
  .object({ sessionId: sessionIdSchema, runId: runIdSchema })
  .meta({ title: "Started", description: "The run that was recorded and works on its own now." });

export const continuesWithField = z
  .enum(APPROVE_MODES)
  .describe("What the run that continues here may do unasked: as it was begun, or stricter where the settings say so now.");

export const doneSchema = z.object({ ok: z.literal(true) }).meta({ title: "Done", description: "It is recorded." });
