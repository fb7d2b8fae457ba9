/**
 * Sub-agents as the design of agents as tools writes them: `SubAgentDefinition` and what comes of a run in its words. They are agents like any other;
 * unknown fields are rejected, since a misspelt right would widen the agent.
 */
import type { JsonObject, RunResult } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";

export type SubAgentDefinition = {
  /** In any spelling: `CodeSearch` is `code-search`. */
  readonly name: string;
  readonly description: string;
  readonly icon?: string;
  readonly systemPrompt: string;
  /** By the names of any world: `Read`, `Glob`, `read_file`. */
  readonly allowedTools: readonly string[];
  readonly maxIterations: number;
  readonly model?: string;
  readonly temperature?: number;
  /** JSON Schema of what its caller passes to it. */
  readonly inputSchema: JsonObject;
  /** What its parent reads in place of its answer. */
  readonly summarize?: (result: SubAgentResult) => string;
};

export type SubAgentResult = {
  readonly success: boolean;
  readonly output: string;
  readonly toolCallCount: number;
  readonly iterations: number;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
};

const FIELDS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "icon",
  "systemPrompt",
  "allowedTools",
  "maxIterations",
  "model",
  "temperature",
  "inputSchema",
  "summarize",
] satisfies readonly (keyof SubAgentDefinition)[]);

const REQUIRED = ["name", "description", "systemPrompt", "allowedTools", "maxIterations", "inputSchema"] as const;

/** Fields that only this form has. */
const OWN = ["systemPrompt", "allowedTools", "maxIterations", "inputSchema"] as const;

export const isSubAgentDefinition = (given: object): given is SubAgentDefinition => OWN.some((field) => field in given);

/** The same in the fields that `defineAgent` takes. */
type DefinedFields = Pick<SubAgentDefinition, "name" | "description" | "icon" | "model" | "temperature"> & {
  readonly prompt: string;
  readonly tools: readonly string[];
  readonly limits: { readonly iterations: number };
  readonly input: JsonObject;
  readonly summarize?: (result: RunResult) => string;
};

export const fromSubAgentDefinition = (given: SubAgentDefinition): DefinedFields => {
  const unknown = Object.keys(given).filter((field) => !FIELDS.has(field));
  const missing = REQUIRED.filter((field) => given[field] === undefined);
  if (unknown.length > 0 || missing.length > 0)
    throw new RetinueError(
      "agent_invalid",
      `The sub-agent "${given.name}" is not valid: ${[
        ...(missing.length > 0 ? [`it lacks ${missing.join(", ")}`] : []),
        ...(unknown.length > 0 ? [`it has unknown fields: ${unknown.join(", ")}`] : []),
      ].join("; ")}.`,
      { hint: `A SubAgentDefinition has ${[...FIELDS].join(", ")}; defineAgent takes the fields of an agent file.` },
    );
  const { name, description, icon, systemPrompt, allowedTools, maxIterations, model, temperature, inputSchema, summarize } =
    given;
  return {
    name,
    description,
    prompt: systemPrompt,
    tools: allowedTools,
    limits: { iterations: maxIterations },
    input: inputSchema,
    ...(icon === undefined ? {} : { icon }),
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(summarize === undefined ? {} : { summarize: (result: RunResult) => summarize(toSubAgentResult(result)) }),
  };
};

export const toSubAgentResult = ({ status, summary, details, toolCalls, iterations, usage }: RunResult): SubAgentResult => ({
  success: status === "completed",
  output: details === "" ? summary : details,
  toolCallCount: toolCalls,
  iterations,
  usage: { inputTokens: usage.input, outputTokens: usage.output },
});
