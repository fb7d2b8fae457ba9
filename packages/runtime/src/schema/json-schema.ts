/**
 * JSON Schemas that others wrote, as checks. Their patterns are run on what models write, so that a pattern that could take long is refused
 * before anything is checked with it.
 */
import type { Json, JsonObject } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { z } from "zod";
import { findSlowness } from "./linear-pattern.ts";

/** Throws `pattern_slow`, or what zod throws for what is no JSON Schema. */
export const fromJsonSchema = (schema: JsonObject): z.ZodType => {
  refuseSlowPatterns(schema);
  return z.fromJSONSchema(schema);
};

/** Throws `pattern_slow` where the schema has such a pattern. */
export const refuseSlowPatterns = (schema: JsonObject): void => {
  for (const pattern of patternsOf(schema)) {
    const slowness = findSlowness(pattern);
    if (slowness !== null)
      throw new RetinueError("pattern_slow", `The pattern ${JSON.stringify(pattern)} is not used: ${slowness}.`);
  }
};

/** Below these stand names of the schema's own, each with a schema. */
const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** Below these stand values, in which nothing is a keyword. */
const VALUES: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);

function* patternsOf(value: Json): Generator<string> {
  if (Array.isArray(value)) for (const child of value as readonly Json[]) yield* patternsOf(child);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return;
  for (const [key, child] of Object.entries(value as JsonObject)) {
    if (VALUES.has(key)) continue;
    if (key === "pattern" && typeof child === "string") yield child;
    if (key === "patternProperties" && child !== null && typeof child === "object") yield* Object.keys(child);
    if (NAMED.has(key) && child !== null && typeof child === "object" && !Array.isArray(child))
      for (const named of Object.values(child as JsonObject)) yield* patternsOf(named);
    else yield* patternsOf(child);
  }
}
