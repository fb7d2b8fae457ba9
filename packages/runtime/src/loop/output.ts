/** Results by schema: a JSON value, alone or in one fenced block, that fits. */
import type { Json, JsonObject } from "@retinue/protocol";
import { describeIssues } from "@retinue/protocol/describe-issues";
import { z } from "zod";
import { fromJsonSchema } from "../schema/json-schema.ts";

const OPENINGS = ["```", "```json"] as const;

/** Undefined where there is none. */
export const readJson = (text: string): Json | undefined => {
  for (const candidate of [text.trim(), fencedIn(text)]) {
    try {
      return JSON.parse(candidate) as Json;
    } catch {
      // Not this one.
    }
  }
  return undefined;
};

/** What stands in the first fenced block, line by line, since models may write what makes a search for it slow. */
const fencedIn = (text: string): string => {
  const lines = text.split("\n");
  const from = lines.findIndex((line) => OPENINGS.some((opening) => line.trimEnd().endsWith(opening)));
  const rest = lines.slice(from + 1);
  const length = rest.findIndex((line) => line.trimStart().startsWith("```"));
  return from < 0 || length < 0 ? "" : rest.slice(0, length).join("\n");
};

/** Why the text is not a result by this schema, or null where it is. */
export const findMisfit = (schema: JsonObject, text: string): string | null => {
  const value = readJson(text);
  if (value === undefined) return "it is not one JSON value.";
  let check: z.ZodType;
  try {
    check = fromJsonSchema(schema);
  } catch (thrown) {
    // Of a record, since agents with such a schema are not started.
    return `its schema cannot be checked: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
  const parsed = check.safeParse(value);
  return parsed.success ? null : `it does not fit the schema:\n${describeIssues(parsed.error)}`;
};
