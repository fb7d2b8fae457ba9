/**
 * Agents as tools. `delegate_to_agent` and every agent that is exposed as a tool of its own go through one path, `delegateTask`; what a model
 * wrote is brought into one form here.
 */
import type { JsonObject } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { z } from "zod";
import { isArtifactPath } from "../context/artifact-path.ts";
import { fromJsonSchema } from "../schema/json-schema.ts";
import { catalogueOf } from "./agent-catalogue.ts";
import { findAgentNamed } from "./agent-name.ts";
import { DELEGATE } from "./delegate-tool-name.ts";
import type { Delegation, DelegationOptions } from "./delegation-request.ts";
import { delegationSchema } from "./delegation-request.ts";
import { delegateTask } from "./delegate-task.ts";
import { createFindAgentTool } from "./find-agent.ts";
import type { AnyTool, ToolContext, ToolOutput, Touches } from "../loop/tool.ts";
import { defineTool, leaveOutBounds, toShownSchema } from "../loop/tool.ts";
import { wordInput } from "./word-input.ts";

/** The tools by which this run may start others; none where it may start none. */
export const createDelegationTools = (options: DelegationOptions): readonly AnyTool[] => {
  const { state, agents } = options;
  const { delegates, tools } = state.spec;
  if (!delegates.some((name) => agents.has(name))) return [];
  const delegate = (delegation: Delegation, context: ToolContext): Promise<ToolOutput> =>
    delegateTask(options, delegation, context);
  const { byName, asTools, untold } = catalogueOf(agents, delegates, tools);
  const isAllTold = untold === 0;
  return [
    ...(byName.length > 0 ? [createDelegateTool(byName, isAllTold, delegate)] : []),
    ...(isAllTold ? [] : [createFindAgentTool(byName)]),
    ...asTools.map((agent) => createAgentTool(agent, delegate)),
  ];
};

const toTouches = ({
  context_files: files = [],
  working_directory: directory,
}: Pick<Delegation, "context_files" | "working_directory">): Touches => ({
  paths: [...files.filter((file) => !isArtifactPath(file)), ...(directory === undefined ? [] : [directory])],
});

type Delegate = (delegation: Delegation, context: ToolContext) => Promise<ToolOutput>;

/** What both kinds of tools share: a delegation only reads, is found again after a crash, and keeps its own time, pace and length. */
const COMMON = { effect: "read", repeatable: true, timeoutMs: Infinity, selfPaced: true, selfFitted: true } as const;

/** Numbers by name, without the words for each: as a whole schema they would be the longest part of the tool. */
const SHOWN_LIMITS = z
  .object(
    Object.fromEntries(
      ["iterations", "toolCalls", "durationMs", "tokens", "costUsd"].map((name) => [name, z.number().optional()]),
    ),
  )
  .optional();

const createDelegateTool = (available: readonly AgentDefinition[], isAllTold: boolean, delegate: Delegate): AnyTool => {
  const known = isAllTold
    ? z.enum(available.map(({ name }) => name)).describe("The role/specialization of the sub-agent")
    : z.string().describe("The role/specialization of the sub-agent: a name that find_agent gives");
  // A name that no agent has is answered by the delegation itself, which knows how deep it is.
  const taken = delegationSchema.extend({ form: z.literal("skill").optional(), called: z.string().optional() });
  return defineTool({
    ...COMMON,
    name: DELEGATE,
    description:
      "Delegate a specialized task to a sub-agent with a specific role. Use this when a task requires specialized expertise. " +
      "The sub-agent will work on the task and return a structured result.",
    inputSchema: toShownSchema(delegationSchema.extend({ agent: known, limits: SHOWN_LIMITS })),
    input: z.preprocess((value) => toDelegation(value, available), taken) as z.ZodType<Delegation>,
    touches: toTouches,
    execute: delegate,
  });
};

/** `role` (S2) and `skill_name` (S4) are other words for `agent`; agents may have other names, and words may be written in one. */
const toDelegation = (value: unknown, available: readonly AgentDefinition[]): unknown => {
  if (typeof value !== "object" || value === null) return value;
  const {
    role,
    skill_name: skill,
    subagent_type: type,
    resultTokens,
    workingDirectory,
    form: _form,
    called: _called,
    ...rest
  } = value as Record<string, unknown>;
  const named = rest["agent"] ?? role ?? skill ?? type;
  const agent = findAgentNamed(named, available)?.name ?? named;
  return {
    ...(resultTokens === undefined ? {} : { result_tokens: resultTokens }),
    ...(workingDirectory === undefined ? {} : { working_directory: workingDirectory }),
    ...rest,
    agent,
    ...(skill !== undefined && { form: "skill" }),
    ...(typeof named === "string" && named !== agent && { called: named }),
  };
};

const createAgentTool = (agent: AgentDefinition, delegate: Delegate): AnyTool => {
  const base = { ...COMMON, name: agent.name, description: agent.description };
  if (!agent.input) {
    const plain = delegationSchema.omit({ agent: true });
    return defineTool({
      ...base,
      input: plain,
      touches: toTouches,
      execute: (input, context) => delegate({ ...input, agent: agent.name }, context),
    });
  }
  const input = fromJsonSchema(agent.input);
  return defineTool({
    ...base,
    inputSchema: leaveOutBounds(agent.input) as JsonObject,
    input,
    execute: (value, context) => delegate({ agent: agent.name, task: wordInput(value as JsonObject) }, context),
  });
};
