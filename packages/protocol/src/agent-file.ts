/** The front matter of an agent file, and the agent that file and body make together. */
import { z } from "zod";

const limitsSchema = z.strictObject({
  iterations: z.int().positive().optional(),
  toolCalls: z.int().nonnegative().optional(),
  durationMs: z.int().positive().optional(),
  contextTokens: z.int().positive().optional(),
  tokens: z.int().positive().optional(),
  costUsd: z.number().nonnegative().optional(),
});

export const agentFrontMatterSchema = z.object({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, "a name is lower case letters, digits and dashes, and begins with a letter"),
  description: z.string().min(1),
  icon: z.string().optional(),
  model: z.string().optional(),
  fallbacks: z.array(z.string()).default([]),
  temperature: z.number().min(0).max(2).optional(),
  maxOutputTokens: z.int().positive().optional(),
  /** Names or globs. */
  tools: z.array(z.string()).default(["*"]),
  deniedTools: z.array(z.string()).default([]),
  limits: limitsSchema.default({}),
});

export type AgentFrontMatter = z.infer<typeof agentFrontMatterSchema>;

/** An agent: who it is, what it may use, and the prompt that makes it so. */
export type AgentDefinition = AgentFrontMatter & { readonly prompt: string };
