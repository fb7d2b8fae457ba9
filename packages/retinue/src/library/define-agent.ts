/** Agents in code: every field that is not said has the default that an agent file has. What is wrong with one throws here, before anything runs. */
import { toAgentName } from "@retinue/agents";
import type { Guardrails, JsonObject } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition, ParseOutput, Summarize } from "@retinue/protocol/agent-file";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { refuseSlowPatterns, resolveToolName } from "@retinue/runtime";
import { describeIssues } from "@retinue/protocol/describe-issues";
import { z } from "zod";
import { toOutputSchema } from "./output-schema.ts";
import type { SubAgentDefinition } from "./sub-agent-definition.ts";
import { fromSubAgentDefinition, isSubAgentDefinition } from "./sub-agent-definition.ts";

/** An agent whose results have a type. */
export type Agent<Output = unknown> = AgentDefinition & { readonly parseOutput?: ParseOutput<Output> };

/** What an agent file may say, as `z.input` has it; lists may be readonly. */
type Written = {
  readonly [Field in keyof z.input<typeof agentFrontMatterSchema>]: z.input<typeof agentFrontMatterSchema>[Field] extends
    | string[]
    | undefined
    ? readonly string[]
    : z.input<typeof agentFrontMatterSchema>[Field];
};

export type AgentOptions<Output = unknown> = Omit<Written, "input" | "output" | "summarize"> & {
  /** The role, in the words of its prompt. */
  readonly prompt: string;
  /** What whoever calls it must give; as a tool of its own it has this schema. */
  readonly input?: z.ZodType | JsonObject;
  /** What it hands in. It is told once what is wrong with a result that does not fit; then its run has failed. */
  readonly output?: z.ZodType<Output> | JsonObject;
  /** What its parent reads of its result. */
  readonly summarize?: "none" | "model" | Summarize;
  /** Asked for each of its runs, at any depth. */
  readonly guardrails?: Guardrails;
};

/** A name in another spelling is brought into ours: `CodeSearch` is `code-search`, and is found by both. */
export const defineAgent = <Output = unknown>(given: AgentOptions<Output> | SubAgentDefinition): Agent<Output> => {
  const options: AgentOptions<Output> = isSubAgentDefinition(given) ? fromSubAgentDefinition(given) : given;
  const { prompt, input, output, summarize, guardrails, ...written } = options;
  const fields = { ...written, name: nameOf(written.name) };
  const shownOutput = output === undefined ? undefined : toOutputSchema(output);
  const schemas = {
    ...(input === undefined ? {} : { input: isZod(input) ? toOutputSchema(input).json : input }),
    ...(shownOutput === undefined ? {} : { output: shownOutput.json }),
  };
  const parsed = agentFrontMatterSchema.strict().safeParse({ ...fields, ...schemas });
  if (!parsed.success)
    throw new RetinueError("agent_invalid", `The agent "${fields.name}" is not valid:\n${describeIssues(parsed.error)}`);
  if (typeof prompt !== "string" || prompt.trim() === "")
    throw new RetinueError("agent_invalid", `The agent "${fields.name}" has no prompt.`);
  for (const schema of Object.values(schemas)) refuseSlowPatterns(schema);
  const { summarize: _none, ...definition } = parsed.data;
  return {
    ...definition,
    tools: definition.tools.map(resolveToolName),
    deniedTools: definition.deniedTools.map(resolveToolName),
    ...(definition.hiddenTools === undefined ? {} : { hiddenTools: definition.hiddenTools.map(resolveToolName) }),
    prompt,
    ...(summarize === undefined ? {} : { summarize }),
    ...(guardrails === undefined ? {} : { guardrails: copyOf(guardrails) }),
    ...(shownOutput?.parse === undefined ? {} : { parseOutput: shownOutput.parse }),
  };
};

const nameOf = (given: unknown): string => {
  const name = typeof given === "string" ? toAgentName(given) : undefined;
  if (name !== undefined) return name;
  throw new RetinueError("agent_invalid", `${JSON.stringify(given)} is not a name of an agent.`, {
    hint: "A name is letters, digits and dashes and begins with a letter, like code-search or CodeSearch.",
  });
};

const isZod = (schema: z.ZodType | JsonObject): schema is z.ZodType => schema instanceof z.ZodType;

/** Definitions are frozen when a workspace opens; the lists of whoever wrote them are not. */
const copyOf = ({ input, output }: Guardrails): Guardrails => ({
  ...(input === undefined ? {} : { input: [...input] }),
  ...(output === undefined ? {} : { output: [...output] }),
});
