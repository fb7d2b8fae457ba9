/**
 * Agents as tools. `delegate_to_agent` and every agent that is exposed as a tool of its own go through one path, `delegateTask`; what a model
 * wrote is brought into one form here.
 */
import type { JsonObject } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { z } from "zod";
import { fromJsonSchema } from "../schema/json-schema.ts";
import { findAgentNamed } from "./agent-name.ts";
import { DELEGATE } from "./delegate-tool-name.ts";
import type { Delegation, DelegationOptions } from "./delegation-request.ts";
import { delegationSchema } from "./delegation-request.ts";
import { delegateTask } from "./delegate-task.ts";
import type { AnyTool, ToolContext, ToolOutput } from "../loop/tool.ts";
import { defineTool, stripSchema } from "../loop/tool.ts";
import { wordInput } from "./word-input.ts";

/** The tools by which this run may start others; none where it may start none. */
export const createDelegationTools = (options: DelegationOptions): readonly AnyTool[] => {
  const { state, agents } = options;
  const available = state.spec.delegates.flatMap((name) => agents.get(name) ?? []);
  if (available.length === 0) return [];
  const delegate = (delegation: Delegation, context: ToolContext): Promise<ToolOutput> =>
    delegateTask(options, delegation, context);
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
