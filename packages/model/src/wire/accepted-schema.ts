/**
 * The schema of a tool as every provider takes it: of an object, without a union on top, arrays with their items, patterns that a grammar can be made of.
 * What is left out only tells the model less; arguments are checked against the tool's own schema all the same.
 */
import type { Json, JsonObject } from "@retinue/protocol";

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const UNIONS = ["anyOf", "oneOf", "allOf"] as const;
/** Refused at the top of a schema, or said by nobody who reads it. */
const LEFT_OUT = new Set<string>(["$schema", "$id", "enum", "not", ...UNIONS]);

export const toAcceptedSchema = (schema: JsonObject): JsonObject => {
  const own = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(namesOf(schema["required"]));
  const joined: Record<string, Json> = {};
  for (const keyword of UNIONS)
    for (const branch of Array.isArray(schema[keyword]) ? schema[keyword].filter(isObject) : []) {
      if (isObject(branch["properties"]))
        for (const [name, value] of Object.entries(branch["properties"])) joined[name] ??= value;
      // Each of them holds; of the others one does.
      if (keyword === "allOf") for (const name of namesOf(branch["required"])) required.add(name);
    }
  const rest = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !LEFT_OUT.has(keyword)));
  const properties = { ...joined, ...own };
  return toAccepted({
    ...rest,
    type: "object",
    properties,
    ...(required.size === 0 ? {} : { required: [...required].filter((name) => Object.hasOwn(properties, name)) }),
  });
};

const namesOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];

/** The same for what stands inside; the schema itself where nothing is to be changed. */
const toAccepted = (schema: JsonObject): JsonObject => {
  const changed: Record<string, Json> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "pattern" && !(typeof value === "string" && value.startsWith("^") && value.endsWith("$"))) continue;
    if (NAMED.has(keyword) && isObject(value))
      changed[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, isObject(one) ? toAccepted(one) : one]),
      );
    else if (LISTED.has(keyword) && Array.isArray(value))
      changed[keyword] = value.map((one) => (isObject(one) ? toAccepted(one) : one));
    else if (SINGLE.has(keyword) && isObject(value)) changed[keyword] = toAccepted(value);
    else changed[keyword] = value;
  }
  const { type, items } = schema;
  const isArray = type === "array" || (Array.isArray(type) && type.includes("array"));
  if (isArray && !isObject(items) && schema["prefixItems"] === undefined) changed["items"] = {};
  return changed;
};

const NAMED = new Set(["properties", "$defs", "definitions", "patternProperties"]);
const LISTED = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const SINGLE = new Set(["items", "additionalProperties", "not"]);
