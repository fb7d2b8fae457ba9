/**
 * Agents as tools. `delegate_to_agent` and every agent that is exposed as a tool of its own go through one path, `startChild`; what a model
 * wrote is brought into one form here.
 */
import type { CallId, JsonObject, Message, RunId, RunResult, RunSpec } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { z } from "zod";
import { fromJsonSchema } from "../schema/json-schema.ts";
import type { RunState } from "../record/run-state.ts";
import { findAgentNamed } from "./agent-name.ts";
import { DELEGATE } from "./delegate-tool-name.ts";
import { startChild } from "./start-child.ts";
import type { AnyTool, Spent, ToolContext, ToolOutput } from "../loop/tool.ts";
import { defineTool, stripSchema } from "../loop/tool.ts";
import { wordInput } from "./word-input.ts";
import type { WorktreePlace } from "./worktrees.ts";

const CONTEXT_MODES = ["none", "summary", "selective", "full"] as const;

/** A run to be started below another one. */
export type ChildRun = {
  readonly callId: CallId;
  readonly agent: string;
  readonly task: string;
  readonly spec: RunSpec;
  /** The parent's conversation, where the child is given all of it. */
  readonly history?: readonly Message[];
  readonly background: boolean;
};

/** It goes on by itself; its result comes as a message. */
export type InBackground = { readonly inBackground: RunId };

export type DelegationOptions = {
  readonly state: RunState;
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** Used by agents that name none. */
  readonly model: string;
  /** The agents and tasks from the main agent down to this run. */
  readonly chain: readonly { readonly agent: string; readonly task: string }[];
  /** Resolves when the child has settled, or at once where it runs in the background. */
  readonly start: (child: ChildRun, signal: AbortSignal) => Promise<RunResult | InBackground>;
  /** The parent's state in a few lines. */
  readonly summarise: (signal: AbortSignal) => Promise<{ readonly text: string; readonly spent: Spent }>;
  /** An answer in a few lines, by the cheap model; undefined where it said nothing. Absent: answers are handed on as they are. */
  readonly condense?: (
    text: string,
    signal: AbortSignal,
  ) => Promise<{ readonly text: string; readonly spent: Spent } | undefined>;
  /** How many tokens of a child's answer enter this run's context, where the child's definition does not say. */
  readonly resultTokens?: number | undefined;
  /** Finds a place for the worktree of a child. Those that were asked for first are given first. */
  readonly isolate: (callId: CallId) => Promise<WorktreePlace>;
  /** The text of a file of the workspace that policy has let through. */
  readonly readFile: (file: string) => Promise<string>;
};

const delegationSchema = z.object({
  agent: z.string(),
  task: z
    .string()
    .min(1)
    .describe("Clear description of what the sub-agent should accomplish. It sees nothing else of this conversation."),
  context: z.string().optional().describe("Anything it must know besides the task"),
  context_files: z.array(z.string()).optional().describe("Files that it should focus on"),
  success_criteria: z.string().optional().describe("How to tell whether the task was done"),
  context_mode: z
    .enum(CONTEXT_MODES)
    .optional()
    .describe(
      "none: task and context alone; summary: and what you know, summarised; selective: and the text of context_files; full: and this whole conversation",
    ),
  limits: z
    .object({
      iterations: z.int().positive().optional(),
      toolCalls: z.int().nonnegative().optional(),
      durationMs: z.int().positive().optional(),
      tokens: z.int().positive().optional(),
      costUsd: z.number().nonnegative().optional(),
    })
    .optional()
    .describe("For it and everything below it; it never gets more than you have left"),
  tools: z.array(z.string()).optional().describe("The only tools it may use, out of those it has"),
  background: z.boolean().optional().describe("Go on at once; the result is handed to you when it is there"),
  result_tokens: z
    .int()
    .positive()
    .optional()
    .describe(
      "How much of its answer you want to read at once; what is longer is kept as an artifact that you can read in ranges",
    ),
});

/** `skill`: it was asked for as a skill, and is answered as one. */
export type Delegation = z.infer<typeof delegationSchema> & { readonly form?: "skill" };

/** The tools by which this run may start others; none where it may start none. */
export const createDelegationTools = (options: DelegationOptions): readonly AnyTool[] => {
  const { state, agents } = options;
  const available = state.spec.delegates.flatMap((name) => agents.get(name) ?? []);
  if (available.length === 0) return [];
  const delegate = (delegation: Delegation, context: ToolContext): Promise<ToolOutput> =>
    startChild(options, delegation, context);
  const byName = available.filter(({ expose }) => expose !== "tool");
  const asTools = available.filter(({ expose, name }) => expose !== "delegate" && !state.spec.tools.includes(name));
  return [
    ...(byName.length > 0 ? [createDelegateTool(byName, delegate)] : []),
    ...asTools.map((agent) => createAgentTool(agent, delegate)),
  ];
};

type Delegate = (delegation: Delegation, context: ToolContext) => Promise<ToolOutput>;

/** What both kinds of tools share: a delegation only reads, is found again after a crash, and keeps its own time, pace and length. */
const COMMON = { effect: "read", repeatable: true, timeoutMs: Infinity, selfPaced: true, selfFitted: true } as const;

const createDelegateTool = (available: readonly AgentDefinition[], delegate: Delegate): AnyTool => {
  const known = z.enum(available.map(({ name }) => name)).describe("The agent to hand the task to");
  const shown = z.toJSONSchema(delegationSchema.extend({ agent: known }), { io: "input" });
  // A name that no agent has is answered by the delegation itself, which knows how deep it is.
  const taken = delegationSchema.extend({ form: z.literal("skill").optional() });
  return defineTool({
    ...COMMON,
    name: DELEGATE,
    description: `Delegate a specialized task to a sub-agent with a role of its own. It works in a context of its own and returns a structured result.\n${available
      .map(({ name, description }) => `- ${name}: ${description}`)
      .join("\n")}`,
    inputSchema: stripSchema(shown as JsonObject) as JsonObject,
    input: z.preprocess((value) => toDelegation(value, available), taken) as z.ZodType<Delegation>,
    touches: ({ context_files = [] }) => ({ paths: context_files }),
    execute: delegate,
  });
};

/** `role` (S2) and `skill_name` (S4) are other words for `agent`; agents may have other names, and words may be written in one. */
const toDelegation = (value: unknown, available: readonly AgentDefinition[]): unknown => {
  if (typeof value !== "object" || value === null) return value;
  const { role, skill_name: skill, subagent_type: type, resultTokens, form: _, ...rest } = value as Record<string, unknown>;
  const named = rest["agent"] ?? role ?? skill ?? type;
  return {
    ...(resultTokens === undefined ? {} : { result_tokens: resultTokens }),
    ...rest,
    agent: findAgentNamed(named, available)?.name ?? named,
    ...(skill !== undefined && { form: "skill" }),
  };
};

const createAgentTool = (agent: AgentDefinition, delegate: Delegate): AnyTool => {
  const base = { ...COMMON, name: agent.name, description: agent.description };
  if (!agent.input) {
    const plain = delegationSchema.omit({ agent: true });
    return defineTool({
      ...base,
      input: plain,
      touches: ({ context_files = [] }) => ({ paths: context_files }),
      execute: (input, context) => delegate({ ...input, agent: agent.name }, context),
    });
  }
  const input = fromJsonSchema(agent.input);
  return defineTool({
    ...base,
    inputSchema: agent.input,
    input,
    execute: (value, context) => delegate({ agent: agent.name, task: wordInput(value as JsonObject) }, context),
  });
};
