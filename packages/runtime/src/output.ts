/** Results by schema: a JSON value, alone or in one fenced block, that fits. */
import type { Json, JsonObject } from "@retinue/protocol";
import { z } from "zod";

const FENCED = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/;

/** Undefined where there is none. */
export const readJson = (text: string): Json | undefined => {
  for (const candidate of [text.trim(), FENCED.exec(text)?.[1] ?? ""]) {
    try {
      return JSON.parse(candidate) as Json;
    } catch {
      // Not this one.
    }
  }
  return undefined;
};

/** Why the text is not a result by this schema, or null where it is. */
export const findMisfit = (schema: JsonObject, text: string): string | null => {
  const value = readJson(text);
  if (value === undefined) return "it is not one JSON value.";
  const parsed = z.fromJSONSchema(schema).safeParse(value);
  return parsed.success ? null : `it does not fit the schema:\n${z.prettifyError(parsed.error)}`;
};
