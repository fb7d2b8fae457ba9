/**
 * Agents as tools. `delegate_to_agent` and every agent that is exposed as a tool of its own go through one path: they word the task, narrow
 * the rights, and hand the child's result back as a value, whatever became of it.
 */
import type { CallId, FileChanges, Json, JsonObject, Limits, Message, RunId, RunResult, RunSpec } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { z } from "zod";
import { settledMessages } from "../record/fold.ts";
import { fromJsonSchema } from "../schema/json-schema.ts";
import type { RunState } from "../record/run-state.ts";
import { createSpec, stricter } from "./spec.ts";
import type { AnyTool, Spent, ToolContext, ToolOutput } from "../loop/tool.ts";
import { defineTool, stripSchema } from "../loop/tool.ts";
import type { WorktreePlace } from "./worktrees.ts";

export const DELEGATE = "delegate_to_agent";

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
  details: z.boolean().optional().describe("Hand back everything it said, and not the summary alone"),
});

type Delegation = z.infer<typeof delegationSchema>;

/** The tools by which this run may start others; none where it may start none. */
export const createDelegationTools = (options: DelegationOptions): readonly AnyTool[] => {
  const { state, agents } = options;
  const available = state.spec.delegates.flatMap((name) => agents.get(name) ?? []);
  if (available.length === 0) return [];
  const given = createCounter();
  const delegate = (delegation: Delegation, context: ToolContext): Promise<ToolOutput> =>
    startChild(options, delegation, given, context);
  const byName = available.filter(({ expose }) => expose !== "tool");
  const asTools = available.filter(({ expose, name }) => expose !== "delegate" && !state.spec.tools.includes(name));
  return [
    ...(byName.length > 0 ? [createDelegateTool(byName, delegate)] : []),
    ...asTools.map((agent) => createAgentTool(agent, delegate)),
  ];
};

type Delegate = (delegation: Delegation, context: ToolContext) => Promise<ToolOutput>;

/** What both kinds of tools share: a delegation only reads, is found again after a crash, and keeps its own time and pace. */
const COMMON = { effect: "read", repeatable: true, timeoutMs: Infinity, selfPaced: true } as const;

const createDelegateTool = (available: readonly AgentDefinition[], delegate: Delegate): AnyTool => {
  const names = available.map(({ name }) => name);
  const known = z.enum(names).describe("The agent to hand the task to");
  const declared = delegationSchema.extend({ agent: known });
  return defineTool({
    ...COMMON,
    name: DELEGATE,
    description: `Delegate a specialized task to a sub-agent with a role of its own. It works in a context of its own and returns a structured result.\n${available
      .map(({ name, description }) => `- ${name}: ${description}`)
      .join("\n")}`,
    inputSchema: stripSchema(z.toJSONSchema(declared, { io: "input" }) as JsonObject) as JsonObject,
    input: z.preprocess((value) => withAliases(value, available), declared),
    touches: ({ context_files = [] }) => ({ paths: context_files }),
    execute: delegate,
  });
};

/** `role` (S2) and `skill_name` (S4) are other words for `agent`, and an agent may have other names. */
const withAliases = (value: unknown, available: readonly AgentDefinition[]): unknown => {
  if (typeof value !== "object" || value === null) return value;
  const { role, skill_name: skill, ...rest } = value as Record<string, unknown>;
  const named = rest["agent"] ?? role ?? skill;
  const agent = available.find(({ name, aliases }) => name === named || aliases.some((alias) => alias === named))?.name ?? named;
  return { ...rest, agent };
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
    execute: (value, context) => delegate({ agent: agent.name, task: wordInput(value as Json) }, context),
  });
};

/** A structured input as the task of a run: one text is the task itself, several are named. */
const wordInput = (input: Json): string => {
  const entries = Object.entries((input ?? {}) as JsonObject);
  const [only] = entries;
  if (entries.length === 1 && only && typeof only[1] === "string") return only[1];
  return entries.map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join("\n");
};

/** How often the same delegation may be made. */
const MOST_REPEATS = 2;

const createCounter = (): ((key: string) => number) => {
  const counts = new Map<string, number>();
  return (key) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };
};

const startChild = async (
  options: DelegationOptions,
  delegation: Delegation,
  count: (key: string) => number,
  context: ToolContext,
): Promise<ToolOutput> => {
  const { state, agents, chain } = options;
  const { depth } = state.identity;
  const agent = agents.get(delegation.agent);
  if (!agent) throw new RetinueError("agent_unknown", `There is no agent "${delegation.agent}".`);
  if (depth + 1 > state.spec.grant.maxDepth)
    throw new RetinueError(
      "depth_exceeded",
      `This run is at depth ${depth}, and ${state.spec.grant.maxDepth} is the deepest (currentDepth: ${depth}).`,
    );
  const same = ({ agent: name, task }: { readonly agent: string; readonly task: string }): boolean =>
    name === agent.name && normalise(task) === normalise(delegation.task);
  if (chain.some(same))
    throw new RetinueError("delegation_loop", `"${agent.name}" is already at work on this task above (currentDepth: ${depth}).`);
  if (count(`${agent.name}\0${normalise(delegation.task)}`) > MOST_REPEATS)
    throw new RetinueError(
      "delegation_loop",
      `"${agent.name}" was given this task ${MOST_REPEATS} times already (currentDepth: ${depth}).`,
    );

  const place = agent.isolation === "worktree" ? await options.isolate(context.callId) : undefined;
  const mode = delegation.context_mode ?? agent.contextMode;
  const summary = mode === "summary" ? await options.summarise(context.signal) : null;
  const files = mode === "selective" ? await readFiles(delegation.context_files ?? [], options.readFile) : [];
  const assignment = { parentAgent: state.identity.agent, task: delegation.task, successCriteria: delegation.success_criteria };
  const spec = createSpec({
    agent,
    agents,
    grant: state.spec.grant,
    model: options.model,
    workspace: place?.workspace ?? state.spec.workspace,
    worktree: place?.worktree,
    depth: depth + 1,
    assignment,
    summaryModel: state.spec.summaryModel,
    request: { tools: delegation.tools, limits: toLimits(delegation.limits, context.timeLeftMs()) },
  });
  const result = await options.start(
    {
      callId: context.callId,
      agent: agent.name,
      task: wordTask(delegation, summary?.text ?? null, files),
      spec,
      background: delegation.background ?? false,
      ...(mode === "full" ? { history: settledMessages(state) } : {}),
    },
    context.signal,
  );
  const spent = summary === null ? {} : { spent: summary.spent };
  if ("inBackground" in result)
    return {
      ...spent,
      content: [
        {
          type: "text",
          text: `${agent.name} is at work in the background as ${result.inBackground}; its result will be handed to you.`,
        },
      ],
    };
  return {
    ...spent,
    content: [{ type: "text", text: JSON.stringify(toReport(result, delegation.details ?? false)) }],
    files: toFileChanges(result),
    isError: result.status === "failed" || result.status === "cancelled" || result.status === "timeout",
  };
};

/** What changed in the parent's workspace: of a child in a worktree of its own, just what was merged. */
const toFileChanges = ({ merge, filesModified, filesCreated }: RunResult): FileChanges =>
  merge ? { modified: merge.modified, created: merge.created } : { modified: filesModified, created: filesCreated };

const normalise = (task: string): string => task.replaceAll(/\s+/g, " ").trim().toLowerCase();

/** What was asked for, in the time that the parent has left. */
const toLimits = (limits: Delegation["limits"], timeLeftMs: number): Limits =>
  stricter(limits ?? {}, timeLeftMs === Infinity ? {} : { durationMs: Math.max(1, Math.floor(timeLeftMs)) });

const FILE_CHARS = 16_000;

const readFiles = (files: readonly string[], readFile: (file: string) => Promise<string>): Promise<string[]> =>
  Promise.all(
    files.map(async (file) => {
      const text = await readFile(file);
      return `### ${file}\n\n${text.length > FILE_CHARS ? `${text.slice(0, FILE_CHARS)}\n[… cut at ${FILE_CHARS} of ${text.length} characters]` : text}`;
    }),
  );

const wordTask = (delegation: Delegation, summary: string | null, files: readonly string[]): string =>
  [
    delegation.task,
    ...(delegation.context === undefined ? [] : [`## Context\n\n${delegation.context}`]),
    ...(summary === null ? [] : [`## What your parent knows\n\n${summary}`]),
    ...(files.length > 0
      ? [`## Files\n\n${files.join("\n\n")}`]
      : delegation.context_files?.length
        ? [`## Files to focus on\n\n${delegation.context_files.map((file) => `- ${file}`).join("\n")}`]
        : []),
    ...(delegation.success_criteria === undefined ? [] : [`## Success criteria\n\n${delegation.success_criteria}`]),
  ].join("\n\n");

/** What enters the parent's context: the summary, and what was measured. */
export const toReport = (result: RunResult, withDetails: boolean): JsonObject => {
  const { status, summary, details, filesModified, filesCreated, testsRun, testsPassed, warnings, suggestions, findings } =
    result;
  return {
    status,
    summary,
    ...(withDetails ? { details } : {}),
    ...(filesModified.length > 0 ? { filesModified } : {}),
    ...(filesCreated.length > 0 ? { filesCreated } : {}),
    ...(result.merge && result.merge.conflicts.length > 0 ? { conflicts: result.merge.conflicts } : {}),
    ...(testsRun > 0 ? { testsRun, testsPassed } : {}),
    ...(result.output === undefined ? {} : { output: result.output }),
    ...(result.unverified.length > 0 ? { unverified: result.unverified } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(suggestions.length > 0 ? { suggestions } : {}),
    ...(findings.length > 0 ? { findings } : {}),
    iterations: result.iterations,
    toolCalls: result.toolCalls,
    depth: result.depth,
    ...(result.bailoutReason === undefined ? {} : { bailoutReason: result.bailoutReason }),
    ...(result.error === undefined ? {} : { error: `${result.error.code}: ${result.error.message}`, currentDepth: result.depth }),
  };
};
