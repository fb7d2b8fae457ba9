/** What providers refuse in the schema of a tool's arguments. Each knows a subset of JSON Schema of its own. */
import type { Json, JsonObject } from "@retinue/protocol";
import { firstComplaint, isObject, stringOf } from "./strict-rule.ts";

/** A rule about one schema, of a tool called `tool`. */
export type SchemaRule = {
  readonly name: string;
  readonly source: string;
  readonly refuse: (schema: JsonObject, tool: string) => string | undefined;
};

/** The schema and all that stand in it. */
export function* schemasIn(schema: JsonObject): Generator<JsonObject> {
  yield schema;
  for (const [keyword, value] of Object.entries(schema)) {
    if (NAMED.has(keyword) && isObject(value)) for (const one of Object.values(value)) if (isObject(one)) yield* schemasIn(one);
    if (LISTED.has(keyword) && Array.isArray(value)) for (const one of value) if (isObject(one)) yield* schemasIn(one);
    if (SINGLE.has(keyword) && isObject(value)) yield* schemasIn(value);
  }
}

const NAMED = new Set(["properties", "$defs", "definitions", "patternProperties"]);
const LISTED = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const SINGLE = new Set(["items", "additionalProperties", "not"]);

const hasType = (schema: JsonObject, type: string): boolean =>
  schema["type"] === type || (Array.isArray(schema["type"]) && schema["type"].includes(type));

export const IS_OBJECT: SchemaRule = {
  name: "a schema is one of an object",
  source: "https://github.com/vercel/ai/issues/1485",
  refuse: (schema, tool) =>
    schema["type"] === "object"
      ? undefined
      : `Invalid schema for function '${tool}': schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(schema["type"] ?? null)}'.`,
};

export const NO_UNION_ON_TOP: SchemaRule = {
  name: "no union at the top of a schema",
  source: "https://github.com/nspady/google-calendar-mcp/issues/39",
  refuse: (schema, tool) =>
    ["oneOf", "anyOf", "allOf", "enum", "not"].some((keyword) => schema[keyword] !== undefined)
      ? `Invalid schema for function '${tool}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`
      : undefined,
};

export const ARRAYS_HAVE_ITEMS: SchemaRule = {
  name: "arrays name their items",
  source: "https://github.com/streamnative/streamnative-mcp-server/issues/26",
  refuse: (schema, tool) =>
    firstComplaint(schemasIn(schema), (one) =>
      hasType(one, "array") && !isObject(one["items"]) && one["prefixItems"] === undefined
        ? `Invalid schema for function '${tool}': array schema missing items.`
        : undefined,
    ),
};

export const ANCHORED_PATTERNS: SchemaRule = {
  name: "patterns are anchored",
  source: "https://github.com/openclaw/openclaw/issues/113562",
  refuse: (schema) =>
    firstComplaint(schemasIn(schema), ({ pattern }) =>
      typeof pattern !== "string" || (pattern.startsWith("^") && pattern.endsWith("$"))
        ? undefined
        : "Unable to generate parser for this template. JSON schema conversion failed: Pattern must start with '^' and end with '$'",
    ),
};

const GRAMMAR_KEYWORDS = [
  "type",
  "enum",
  "const",
  "anyOf",
  "oneOf",
  "allOf",
  "$ref",
  "properties",
  "items",
  "prefixItems",
  "pattern",
];

export const HAS_A_GRAMMAR: SchemaRule = {
  name: "a schema becomes a grammar",
  source: "https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md",
  refuse: (schema) =>
    firstComplaint(schemasIn(schema), (one) => {
      const constrains = Object.keys(one).filter(
        (keyword) => keyword !== "description" && keyword !== "title" && keyword !== "default",
      );
      return constrains.length === 0 || constrains.some((keyword) => GRAMMAR_KEYWORDS.includes(keyword))
        ? undefined
        : `JSON schema conversion failed: Unrecognized schema: ${JSON.stringify(one)}`;
    }),
};

/** Anthropic's, whose words differ. */
export const CLAUDE_PROPERTY_NAMES: SchemaRule = {
  name: "names of properties are short and plain",
  source: "https://github.com/n8n-io/n8n/issues/30590",
  refuse: (schema) =>
    firstComplaint(schemasIn(schema), ({ properties }) =>
      firstComplaint(Object.keys(isObject(properties) ? properties : {}), (name) =>
        /^[\w.-]{1,64}$/.test(name) ? undefined : `Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`,
      ),
    ),
};

const GEMINI_KEYWORDS = new Set(
  "type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum".split(
    " ",
  ),
);

/** What stands in `parameters`; `parametersJsonSchema` takes JSON Schema as it is. */
export const GEMINI_SUBSET: SchemaRule = {
  name: "the OpenAPI subset of Gemini",
  source:
    "https://ai.google.dev/api/caching#Schema, https://github.com/decolua/9router/pull/380, https://github.com/anomalyco/opencode/pull/43495",
  refuse: (schema) =>
    firstComplaint(schemasIn(schema), (one) => {
      const type = stringOf(one["type"]).toUpperCase();
      const unknown = Object.keys(one).find((keyword) => !GEMINI_KEYWORDS.has(keyword));
      if (unknown !== undefined) return `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`;
      if (Array.isArray(one["type"])) return `Proto field is not repeating, cannot start list: type`;
      if (one["enum"] !== undefined && type !== "STRING") return "enum: only allowed for STRING type";
      if (Array.isArray(one["enum"]) && one["enum"].some((value: Json) => value === "")) return "enum: cannot be empty";
      if (one["properties"] !== undefined && type !== "OBJECT") return "properties: only allowed for OBJECT type";
      if (type === "ARRAY" && !isObject(one["items"])) return "items: missing field";
      const properties = isObject(one["properties"]) ? one["properties"] : {};
      const missing = Array.isArray(one["required"])
        ? one["required"].find((name) => !Object.hasOwn(properties, stringOf(name)))
        : undefined;
      return missing === undefined ? undefined : `required[0]: property is not defined`;
    }),
};
