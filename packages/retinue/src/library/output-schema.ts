/** A schema of results as a run needs it: JSON Schema for the model and the record, and a function for all that JSON Schema cannot say. */
import type { JsonObject } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition, ParseOutput } from "@retinue/protocol/agent-file";
import { describeIssues } from "@retinue/protocol/describe-issues";
import { z } from "zod";

export type OutputSchema<Output> = {
  readonly json: NonNullable<AgentDefinition["output"]>;
  /** Absent for what was JSON Schema already. */
  readonly parse?: ParseOutput<Output>;
};

export const toOutputSchema = <Output>(schema: z.ZodType<Output> | JsonObject): OutputSchema<Output> => {
  // JSON is JSON, whichever of its types is readonly.
  if (!(schema instanceof z.ZodType)) return { json: schema as NonNullable<AgentDefinition["output"]> };
  return {
    json: toJsonSchema(schema),
    parse: async (value) => {
      const parsed = await schema.safeParseAsync(value);
      return parsed.success
        ? { type: "fits", value: parsed.data }
        : { type: "misfit", reason: `it does not fit the schema:\n${describeIssues(parsed.error)}` };
    },
  };
};

/** What the model writes is what goes into the schema, before its defaults and transformations. */
const toJsonSchema = (schema: z.ZodType): NonNullable<AgentDefinition["output"]> => {
  try {
    const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" });
    // A JSON Schema is JSON.
    return json as NonNullable<AgentDefinition["output"]>;
  } catch (cause) {
    throw new RetinueError(
      "agent_invalid",
      `The schema of an output must be one that JSON can hold: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
};
