/**
 * Tells a model what is wrong with its arguments before they go to a server: types, required and unknown names, choices and bounds. What it
 * does not know it lets pass, since the server judges anyway; patterns are never run, because the server chose them.
 */
import type { Json, JsonObject } from "@retinue/protocol";

export type InputIssue = { readonly path: readonly (string | number)[]; readonly message: string };

/** Against schemas that refer to themselves or branch without end. */
const MOST_STEPS = 20_000;
const MOST_DEPTH = 100;
const MOST_ISSUES = 20;

type Check = { readonly root: JsonObject; readonly issues: InputIssue[]; readonly steps: { left: number; depth: number } };

export const checkInput = (schema: JsonObject, input: Json): readonly InputIssue[] => {
  const check: Check = { root: schema, issues: [], steps: { left: MOST_STEPS, depth: 0 } };
  walk(check, schema, input, []);
  return check.issues.slice(0, MOST_ISSUES);
};

const walk = (check: Check, given: Json | undefined, value: Json, path: InputIssue["path"]): void => {
  check.steps.left -= 1;
  if (check.steps.left < 0 || check.steps.depth >= MOST_DEPTH || check.issues.length >= MOST_ISSUES) return;
  check.steps.depth += 1;
  walkOne(check, given, value, path);
  check.steps.depth -= 1;
};

const walkOne = (check: Check, given: Json | undefined, value: Json, path: InputIssue["path"]): void => {
  if (given === false) return say(check, path, "is not allowed");
  const schema = follow(check, given);
  if (schema === undefined) return;
  const types = typesOf(schema["type"]);
  if (types.length > 0 && !types.some((type) => isOfType(type, value)))
    return say(check, path, `must be ${types.join(" or ")}, not ${typeOf(value)}`);
  if (Array.isArray(schema["enum"]) && !schema["enum"].some((choice: Json) => isSame(choice, value)))
    say(check, path, `must be one of ${JSON.stringify(schema["enum"]).slice(0, 500)}`);
  if (schema["const"] !== undefined && !isSame(schema["const"], value))
    say(check, path, `must be ${JSON.stringify(schema["const"]).slice(0, 500)}`);
  walkBranches(check, schema, value, path);
  if (typeof value === "number") walkNumber(check, schema, value, path);
  else if (typeof value === "string")
    walkSize(check, path, value.length, [schema["minLength"], schema["maxLength"]], "characters");
  else if (Array.isArray(value)) walkArray(check, schema, value, path);
  else if (isObject(value)) walkObject(check, schema, value, path);
};

const say = ({ issues }: Check, path: InputIssue["path"], message: string): void => void issues.push({ path, message });

const isObject = (value: Json | undefined): value is JsonObject =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** The schema itself, or what it refers to within the same document. */
const follow = (check: Check, given: Json | undefined): JsonObject | undefined => {
  let schema = given;
  for (let hops = 0; hops < 10 && isObject(schema) && typeof schema["$ref"] === "string"; hops += 1) {
    const reference = schema["$ref"];
    if (reference !== "#" && !reference.startsWith("#/")) return undefined;
    schema = reference
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<Json | undefined>((at, part) => (isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined), check.root);
  }
  return isObject(schema) ? schema : undefined;
};

const walkBranches = (check: Check, schema: JsonObject, value: Json, path: InputIssue["path"]): void => {
  if (Array.isArray(schema["allOf"])) for (const branch of schema["allOf"] as readonly Json[]) walk(check, branch, value, path);
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) continue;
    const outcomes = branches.map((branch: Json): readonly InputIssue[] => {
      const inner: Check = { ...check, issues: [] };
      walk(inner, branch, value, path);
      return inner.issues;
    });
    if (outcomes.every((issues) => issues.length > 0) && check.steps.left >= 0)
      say(check, path, `fits none of ${outcomes.length} alternatives: ${outcomes[0]?.[0]?.message ?? ""}`);
  }
};

const walkNumber = (check: Check, schema: JsonObject, value: number, path: InputIssue["path"]): void => {
  const bounds: readonly [string, (bound: number) => boolean, string][] = [
    ["minimum", (bound) => value >= bound, "at least"],
    ["maximum", (bound) => value <= bound, "at most"],
    ["exclusiveMinimum", (bound) => value > bound, "more than"],
    ["exclusiveMaximum", (bound) => value < bound, "less than"],
  ];
  for (const [keyword, holds, words] of bounds) {
    const bound = schema[keyword];
    if (typeof bound === "number" && !holds(bound)) say(check, path, `must be ${words} ${bound}`);
  }
};

const walkSize = (
  check: Check,
  path: InputIssue["path"],
  size: number,
  [least, most]: readonly [Json | undefined, Json | undefined],
  what: string,
): void => {
  if (typeof least === "number" && size < least) say(check, path, `must have at least ${least} ${what}`);
  if (typeof most === "number" && size > most) say(check, path, `must have at most ${most} ${what}`);
};

const walkArray = (check: Check, schema: JsonObject, value: readonly Json[], path: InputIssue["path"]): void => {
  walkSize(check, path, value.length, [schema["minItems"], schema["maxItems"]], "items");
  const first = Array.isArray(schema["prefixItems"]) ? (schema["prefixItems"] as readonly Json[]) : [];
  for (const [index, item] of value.entries()) walk(check, first[index] ?? schema["items"], item, [...path, index]);
};

const walkObject = (check: Check, schema: JsonObject, value: JsonObject, path: InputIssue["path"]): void => {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  for (const name of required)
    if (typeof name === "string" && !Object.hasOwn(value, name)) say(check, [...path, name], "is required");
  // A pattern could allow any other name, and patterns are not run.
  const isOpen = schema["patternProperties"] !== undefined;
  for (const [name, child] of Object.entries(value))
    if (Object.hasOwn(properties, name)) walk(check, properties[name], child, [...path, name]);
    else if (schema["additionalProperties"] === false && !isOpen)
      say(check, [...path, name], `is unknown; known are: ${Object.keys(properties).join(", ") || "none"}`);
    else if (!isOpen) walk(check, schema["additionalProperties"], child, [...path, name]);
};

const typesOf = (type: Json | undefined): readonly string[] =>
  typeof type === "string"
    ? [type]
    : Array.isArray(type)
      ? type.filter((one: Json): one is string => typeof one === "string")
      : [];

const typeOf = (value: Json): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

const isOfType = (type: string, value: Json): boolean =>
  type === "integer" ? typeof value === "number" && Number.isInteger(value) : typeOf(value) === type;

const isSame = (one: Json, other: Json): boolean => {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((child: Json, index) => isSame(child, other[index] as Json));
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key] ?? null, other[key] ?? null))
  );
};
