/** Finds the place in the settings' schema that a path of keys leads to. */
import { z } from "zod";
import { settingsSchema } from "./schema.ts";

export type SettingsPath = readonly string[];

export type Place =
  /** Just these keys. */
  | { readonly type: "keys"; readonly keys: readonly string[] }
  /** Keys of the user's choice. */
  | { readonly type: "names" }
  | { readonly type: "number" }
  | { readonly type: "yes-no" }
  /** `of`: what its entries are; `words` have no commas in them. */
  | { readonly type: "list"; readonly of: "numbers" | "words" | "texts" | "other" }
  | { readonly type: "text" };

const unwrap = (schema: z.core.$ZodType): z.core.$ZodType => (schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema);

const descend = (schema: z.core.$ZodType, key: string): z.core.$ZodType | undefined => {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) return Object.hasOwn(inner.shape, key) ? (inner.shape[key] as z.core.$ZodType) : undefined;
  return inner instanceof z.ZodRecord ? inner.valueType : undefined;
};

/** Undefined where the path leads nowhere. */
export const placeAt = (path: SettingsPath): Place | undefined => {
  let schema: z.core.$ZodType | undefined = settingsSchema;
  for (const key of path) schema = schema && descend(schema, key);
  if (!schema) return undefined;
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) return { type: "keys", keys: Object.keys(inner.shape) };
  if (inner instanceof z.ZodRecord) return { type: "names" };
  if (inner instanceof z.ZodBoolean) return { type: "yes-no" };
  if (inner instanceof z.ZodArray) return { type: "list", of: entriesOf(unwrap(inner.element)) };
  return { type: inner instanceof z.ZodNumber ? "number" : "text" };
};

const entriesOf = (element: z.core.$ZodType): Extract<Place, { readonly type: "list" }>["of"] => {
  if (element instanceof z.ZodNumber) return "numbers";
  if (element instanceof z.ZodEnum) return "words";
  return element instanceof z.ZodString ? "texts" : "other";
};
