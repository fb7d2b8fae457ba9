/** Checks what one source says against the schema and tells everything that is wrong with it in a user's words. */
import type { z } from "zod";
import type { Layer, Raw } from "./layer.ts";
import { rawAt } from "./layer.ts";
import { closestWord } from "@retinue/protocol/names";
import type { Problem } from "./problem.ts";
import { MOST_TOLD } from "./problem.ts";
import { placeAt } from "./schema-walk.ts";
import type { SettingsPath } from "./schema-walk.ts";
import { settingsSchema } from "./schema.ts";

const EXPECTED: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "true or false",
  object: "a mapping of keys",
  record: "a mapping of names",
};

const kindOf = (value: Raw | undefined): string => {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  return typeof value === "string" ? "a text" : String(value);
};

export const describeUnknownKey = (path: SettingsPath, key: string): string => {
  const place = placeAt(path);
  const known = place?.type === "keys" ? place.keys : [];
  if (key === "apiKey" && known.includes("apiKeyEnv"))
    return "keys never stand in settings; apiKeyEnv names the environment variable that holds it";
  return `unknown key; did you mean ${closestWord(key, known) ?? "another"}? Known here: ${known.join(", ")}`;
};

const describe = (issue: z.core.$ZodIssue, value: Raw | undefined): string => {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${EXPECTED[issue.expected] ?? issue.expected}, not ${kindOf(value)}`;
    case "too_small":
      return `must be at least ${issue.minimum}, not ${kindOf(value)}`;
    case "too_big":
      return `must be at most ${issue.maximum}, not ${kindOf(value)}`;
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}${typeof value === "string" && value.length < 40 ? `, not ${value}` : ""}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? issue.message;
    case "custom":
    case "invalid_element":
    case "invalid_format":
    case "invalid_union":
    case "not_multiple_of":
    case "unrecognized_keys":
      break;
  }
  // The schema's own words; they never repeat the value, which may be a secret in the wrong place.
  return issue.message;
};

export const checkLayer = (layer: Layer): readonly Problem[] => {
  const parsed = settingsSchema.safeParse(layer.tree);
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue): Problem[] => {
    const path = issue.path.map(String);
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key, index) => ({
        code: "settings_invalid",
        where: layer.where([...path, key], "key"),
        key: [...path, key].join("."),
        what: index < MOST_TOLD ? describeUnknownKey(path, key) : "unknown key",
      }));
    return [
      {
        code: "settings_invalid",
        where: layer.where(path, issue.code === "invalid_key" ? "key" : "value"),
        key: path.join("."),
        what: describe(issue, rawAt(layer.tree, path)),
      },
    ];
  });
};
