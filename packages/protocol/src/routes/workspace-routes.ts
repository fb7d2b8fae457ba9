/** Routes of workspaces: what a folder brings, who its agents are, what is in force there. */
import { z } from "zod";
import { jsonSchema } from "../schemas/json.ts";
import { limitsSchema } from "../schemas/limits.ts";
import { agentParams, doneSchema, ruleParams, workspaceIdSchema, workspaceParams } from "./fields.ts";
import { defineRoute } from "./route.ts";

export const workspaceItemSchema = z
  .object({
    workspaceId: workspaceIdSchema,
    folder: z.string().describe("Its real path."),
    name: z.string().describe("The last part of the path."),
    model: z.string().describe("Used where neither agent nor run names one."),
    isOffline: z.boolean().describe("No model is configured or reachable; the built-in rules answer."),
    agentCount: z.number(),
    toolCount: z.number(),
    problems: z.array(z.string()).describe("What is wrong with files of tools, skills, servers and agents, and is left out."),
    untrusted: z
      .array(z.object({ subject: z.string(), shown: z.string() }))
      .describe("What the project would load or start if it were trusted: `retinue trust`."),
  })
  .meta({ title: "WorkspaceItem", description: "A folder that this server works in." });

export const agentItemSchema = z
  .object({
    name: z.string(),
    icon: z.string(),
    aliases: z.array(z.string()),
    description: z.string(),
    origin: z.string().describe("`built-in`, `user` or `project`."),
    dialect: z.string(),
    file: z.string(),
    tools: z.array(z.string()).describe("Those that it has here."),
    limits: limitsSchema.describe("Those that hold here."),
    delegates: z.array(z.string()).describe("Agents that it may start."),
  })
  .meta({ title: "AgentItem", description: "An agent, and what it may use here." });

export const problemSchema = z
  .object({
    file: z.string(),
    line: z.number(),
    severity: z.enum(["error", "warning", "notice"]),
    message: z.string(),
  })
  .meta({ title: "Problem", description: "What is wrong with a file of agents, and at which line." });

const originSchema = z
  .object({
    type: z.enum(["default", "user", "project", "env", "flag"]),
    file: z.string().optional(),
    line: z.number().optional(),
    name: z.string().optional(),
  })
  .meta({ title: "SettingOrigin", description: "Who set a value, and where." });

const MOST_AGENT_CHARS = 1_000_000;

export const WORKSPACE_ROUTES = {
  listWorkspaces: defineRoute({
    summary: "The folders that this server works in.",
    response: z.object({ workspaces: z.array(workspaceItemSchema) }),
  }),
  openWorkspace: defineRoute({
    summary: "Opens one more folder.",
    body: z.strictObject({ folder: z.string().min(1).max(4_096) }),
    response: workspaceItemSchema,
    status: 201,
  }),
  listAgents: defineRoute({
    summary: "The agents of a workspace, and what the check finds in their files.",
    params: workspaceParams,
    response: z.object({ agents: z.array(agentItemSchema), problems: z.array(problemSchema) }),
  }),
  checkAgent: defineRoute({
    summary: "Checks the text of an agent's file without saving it.",
    params: workspaceParams,
    body: z.strictObject({ name: z.string().min(1).max(200), text: z.string().max(MOST_AGENT_CHARS) }),
    maxBody: 4 * MOST_AGENT_CHARS,
    response: z.object({ problems: z.array(problemSchema), agent: agentItemSchema.nullable() }),
  }),
  getAgent: defineRoute({
    summary: "One agent: what takes effect and whose word it is, and its file.",
    params: agentParams,
    response: z.object({
      agent: agentItemSchema,
      effective: z.array(z.object({ key: z.string(), value: z.string(), from: z.string() })),
      problems: z.array(problemSchema),
      text: z.string().nullable().describe("What its file holds; null for one that was given in code."),
      version: z.string().nullable().describe("Hash of the text; `saveAgent` takes it."),
      isEditable: z
        .boolean()
        .describe("Whether it stands in a file of this project. Another one is copied there when it is saved."),
    }),
  }),
  saveAgent: defineRoute({
    summary: "Checks the text and writes it as the project's file of this agent; new runs have it.",
    params: agentParams,
    body: z.strictObject({
      text: z.string().max(MOST_AGENT_CHARS),
      version: z
        .string()
        .max(200)
        .nullable()
        .optional()
        .describe("Of the text that was edited; refused where the file was changed since."),
    }),
    maxBody: 4 * MOST_AGENT_CHARS,
    response: z.object({
      isSaved: z.boolean().describe("False where the check found errors: nothing was written then."),
      file: z.string(),
      problems: z.array(problemSchema),
    }),
  }),
  listSkills: defineRoute({
    summary: "The skills that agents of a workspace can load.",
    params: workspaceParams,
    response: z.object({
      skills: z.array(z.object({ name: z.string(), description: z.string(), origin: z.string(), file: z.string() })),
    }),
  }),
  listTools: defineRoute({
    summary: "The tools of a workspace.",
    params: workspaceParams,
    response: z.object({
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string(),
          effect: z.string().describe("What it does to the world: read, write, execute or network."),
          input: jsonSchema.describe("JSON Schema of its input."),
        }),
      ),
    }),
  }),
  listCommands: defineRoute({
    summary: "What can be typed after a slash.",
    params: workspaceParams,
    response: z.object({
      commands: z.array(
        z.object({
          name: z.string().describe("With its slash."),
          description: z.string(),
          argument: z.string().optional().describe("What is typed after it."),
          kind: z.enum(["command", "skill", "agent"]),
        }),
      ),
    }),
  }),
  listFiles: defineRoute({
    summary: "Files of a workspace whose path holds these characters in this order; protected and ignored ones are left out.",
    params: workspaceParams,
    query: z.object({
      search: z.string().max(500).optional(),
      limit: z.coerce.number().int().min(1).max(200).optional().describe("20 by default."),
    }),
    response: z.object({ files: z.array(z.string()) }),
  }),
  listSettings: defineRoute({
    summary: "The settings in force, and where each comes from.",
    params: workspaceParams,
    response: z.object({
      settings: z.array(
        z.object({ key: z.string(), value: z.union([z.string(), z.number(), z.boolean()]), origin: originSchema }),
      ),
      files: z.object({ user: z.string().optional(), project: z.string().optional() }),
      warnings: z.array(z.string()),
    }),
  }),
  listRules: defineRoute({
    summary: "The rules that answer questions in the user's place in this folder.",
    params: workspaceParams,
    response: z.object({
      rules: z.array(z.object({ ruleId: z.string(), text: z.string().describe("What it allows.") })),
      file: z.string().describe("Where they are kept: a file of the user's own, which no project writes."),
    }),
  }),
  deleteRule: defineRoute({
    summary: "Takes a rule away: what it allowed is asked about again.",
    params: ruleParams,
    response: doneSchema,
  }),
  listModels: defineRoute({
    summary: "Models that can be named, and the providers that were found.",
    params: workspaceParams,
    response: z.object({
      current: z.string(),
      models: z.array(z.object({ name: z.string(), from: z.string().describe("A provider, or `settings` for a short name.") })),
    }),
  }),
  getDoctor: defineRoute({
    summary: "What is in force and what can be reached, as `retinue doctor` tells it.",
    params: workspaceParams,
    response: z.looseObject({ version: z.string(), workspace: z.string() }),
    isOpen: true,
  }),
};
