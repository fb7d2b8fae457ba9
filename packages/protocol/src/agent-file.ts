/** The front matter of an agent file, and the agent that file and body make together. */
import { z } from "zod";
import type { Guardrails } from "./guardrails.ts";
import type { Json } from "./json.ts";
import type { RunResult } from "./result.ts";
import { RULE_EFFECTS } from "./grant.ts";
import { thinkingSchema } from "./schemas/thinking.ts";

const limitsSchema = z.strictObject({
  iterations: z.int().positive().optional(),
  toolCalls: z.int().nonnegative().optional(),
  durationMs: z.int().positive().optional(),
  contextTokens: z.int().positive().optional(),
  tokens: z.int().positive().optional(),
  costUsd: z.number().nonnegative().optional(),
});

/** JSON Schema as it stands in the file. */
const jsonSchemaSchema = z.record(z.string(), z.json());

/** What becomes of some calls; with none of `path`, `like` and `host` of every call of its tools. */
export const agentRuleSchema = z
  .strictObject({
    tools: z.array(z.string()).min(1),
    path: z.string().min(1).exactOptional(),
    like: z.string().min(1).exactOptional(),
    host: z.string().min(1).exactOptional(),
    effect: z.enum(RULE_EFFECTS),
  })
  .refine(({ path, like, host }) => [path, like, host].filter((one) => one !== undefined).length <= 1, {
    message: "a rule has one of path, like and host at most",
  });

export const agentFrontMatterSchema = z.object({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, "a name is lower case letters, digits and dashes, and begins with a letter"),
  /** Other names that it answers to. */
  aliases: z.array(z.string()).default([]),
  description: z.string().min(1),
  /** When to hand work to it, one case each, in the words that whoever may start it is told: "Delegate to NAME when:". */
  delegateWhen: z.array(z.string().min(1)).optional(),
  icon: z.string().optional(),
  model: z.string().optional(),
  fallbacks: z.array(z.string()).default([]),
  temperature: z.number().min(0).max(2).optional(),
  maxOutputTokens: z.int().positive().optional(),
  /** How hard its model thinks: a level, or at most so many tokens. */
  thinking: thinkingSchema.optional(),
  /** Names or globs. */
  tools: z.array(z.string()).default(["*"]),
  /** Names or globs: neither this agent nor any agent below it may use them. */
  deniedTools: z.array(z.string()).default([]),
  /** Names or globs that are only left out of what this agent is offered; agents that it starts may use them. */
  hiddenTools: z.array(z.string()).optional(),
  /** Globs of paths it may write; absent: as whoever starts it. */
  writes: z.array(z.string()).optional(),
  /** Hosts it may reach; absent: as whoever starts it. */
  hosts: z.array(z.string()).optional(),
  /** What of its tools' calls is allowed, asked about or denied: of the rules that match a call the last decides. They hold for what it starts, too. */
  rules: z.array(agentRuleSchema).optional(),
  /** Agents it may start: names, globs, and with `!` before them those it may not; the last that matches holds. Loading makes names of them. */
  delegates: z.array(z.string()).default([]),
  /** `own`: what is below gets no more than this agent's own tools. `session`: it may pass on what it was passed. */
  grant: z.enum(["own", "session"]).default("own"),
  limits: limitsSchema.default({}),
  input: jsonSchemaSchema.optional(),
  output: jsonSchemaSchema.optional(),
  contextMode: z.enum(["none", "summary", "selective", "full"]).default("none"),
  /** To other agents: as a tool of its own, by `delegate_to_agent`, both, or not at all. */
  expose: z.enum(["tool", "delegate", "both", "none"]).default("both"),
  /** How many tokens of its answer enter its parent's context; absent: as the session says. */
  resultTokens: z.int().positive().optional(),
  /** What its parent reads: `none` its answer, `model` a summary of it by the cheap model. In code also a function. */
  summarize: z.enum(["none", "model"]).optional(),
  /** How its results are worded: as every result, or as `{status, skill, result, depth}`. */
  reportAs: z.enum(["result", "skill"]).optional(),
  skills: z.array(z.string()).default([]),
  /** Whether it is given the project's `AGENTS.md` and `CLAUDE.md`. */
  instructions: z.boolean().optional(),
  mcpServers: z.array(z.string()).default([]),
  isolation: z.enum(["none", "worktree"]).default("none"),
  /** What must agree before a result counts as completed: a command that we run, or an agent that verifies. */
  accept: z.union([z.strictObject({ command: z.string().min(1) }), z.strictObject({ agent: z.string().min(1) })]).optional(),
});

export type AgentFrontMatter = z.infer<typeof agentFrontMatterSchema>;

/** Words a result for the parent of the run. */
export type Summarize = (result: RunResult) => string | Promise<string>;

/** Makes the typed value of what fits the JSON Schema already, or says what is wrong with it. */
export type ParseOutput<Output = unknown> = (
  value: Json,
) => Promise<{ readonly type: "fits"; readonly value: Output } | { readonly type: "misfit"; readonly reason: string }>;

/** An agent: who it is, what it may use, and the prompt that makes it so. */
export type AgentDefinition = Omit<AgentFrontMatter, "summarize"> & {
  readonly prompt: string;
  readonly summarize?: AgentFrontMatter["summarize"] | Summarize;
  /** Of an agent that code defines: what its output schema means beyond JSON Schema. */
  readonly parseOutput?: ParseOutput;
  /** Of an agent that code defines: asked for each of its runs, at any depth. */
  readonly guardrails?: Guardrails;
};
