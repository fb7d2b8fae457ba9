/**
 * Arguments of a call as the tool's schema wants them, where what the model wrote can mean one thing only. Nothing is made up, completed or chosen: a number
 * that came as text becomes a number, a null for what may be left out is left out. What leaves a doubt stays as it was written, and is answered as any bad call.
 */
import type { Json, JsonObject } from "@retinue/protocol";
import { parseLenient } from "./lenient-json.ts";

export type MendedArguments = {
  /** A JSON object. */
  readonly text: string;
  /** What was done, in words for the record; empty where nothing was. */
  readonly how: readonly string[];
};

/** The arguments as they stand where nothing can be mended. */
export const mendArguments = (written: string, schema: JsonObject): MendedArguments => {
  const asWritten: MendedArguments = { text: written, how: [] };
  const how = new Set<string>();
  const read = written.trim() === "" ? { value: {} } : readJson(written, how);
  if (read === undefined) return asWritten;
  let { value } = read;
  if (typeof value === "string") {
    const inner = readJson(value, how);
    if (!isObject(inner?.value)) return asWritten;
    how.add("encoded twice");
    value = inner.value;
  }
  if (!isObject(value)) return asWritten;
  const mended = mendObject(value, schema, how);
  return how.size === 0 ? asWritten : { text: JSON.stringify(mended), how: [...how] };
};

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const readJson = (text: string, how: Set<string>): { readonly value: Json } | undefined => {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    const lenient = parseLenient(text);
    if (lenient !== undefined) how.add("not quite JSON");
    return lenient;
  }
};

const mendObject = (value: JsonObject, schema: JsonObject, how: Set<string>): JsonObject => {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const mended: Record<string, Json> = {};
  for (const [name, given] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isObject(property)) mended[name] = given;
    else if (given === null && !required.includes(name) && !accepts(property, null)) how.add("null for what may be left out");
    else if (isObject(given) && TEXT_NAMES.test(name) && isText(property)) {
      how.add("an object for a text");
      mended[name] = JSON.stringify(given, null, 2);
    } else mended[name] = mendValue(given, property, how);
  }
  return mended;
};

/** What holds a text of any kind. In a command or a path an object would mean something else. */
const TEXT_NAMES = /^(?:contents?|text|body|json|data|context|(?:old|new)_?(?:string|text))$/i;

const isText = (schema: JsonObject): boolean => kindsOf(schema)?.every((kind) => kind === "string" || kind === "null") === true;

const mendValue = (given: Json, schema: JsonObject, how: Set<string>): Json => {
  if (accepts(schema, given)) {
    if (isObject(given)) return mendObject(given, branchFor(schema, "object"), how);
    const { items } = branchFor(schema, "array");
    return Array.isArray(given) && isObject(items) ? given.map((item) => mendValue(item, items, how)) : given;
  }
  // Of two kinds that would do, none is chosen.
  const kinds = kindsOf(schema)?.filter((kind) => kind !== "null");
  if (kinds?.length !== 1) return given;
  const [kind] = kinds;
  const note = (words: string, value: Json): Json => {
    how.add(words);
    return value;
  };
  if (typeof given === "string") {
    const text = given.trim();
    if (/^(?:null|none)$/i.test(text) && accepts(schema, null)) return note("null as text", null);
    if ((kind === "integer" && /^-?\d{1,15}$/.test(text)) || (kind === "number" && /^-?\d{1,15}(?:\.\d+)?$/.test(text)))
      return note("a number as text", Number(text));
    if (kind === "boolean" && /^(?:true|false)$/i.test(text)) return note("a truth value as text", text.toLowerCase() === "true");
    if (kind === "array" || kind === "object") {
      const inner = parseLenient(text)?.value;
      if (inner !== undefined && accepts(schema, inner)) return note("a part encoded twice", mendValue(inner, schema, new Set()));
      const { items } = branchFor(schema, "array");
      if (kind === "array" && inner === undefined && isObject(items) && accepts(items, given))
        return note("one value for a list", [given]);
    }
    return given;
  }
  if (kind === "string" && typeof given === "number") return note("a number for a text", String(given));
  return given;
};

/** Whether a text would do as it is. */
export const takesText = (schema: JsonObject): boolean => kindsOf(schema)?.includes("string") !== false;

/** The kinds that a schema takes, undefined where it does not say. */
const kindsOf = (schema: JsonObject): readonly string[] | undefined => {
  const { type, anyOf, oneOf, enum: values } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === "string");
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (branches !== undefined) {
    const kinds = branches.map((branch) => (isObject(branch) ? kindsOf(branch) : undefined));
    return kinds.includes(undefined) ? undefined : [...new Set(kinds.flatMap((some) => some ?? []))];
  }
  return Array.isArray(values) && values.every((value) => typeof value === "string") ? ["string"] : undefined;
};

const accepts = (schema: JsonObject, value: Json): boolean => {
  const kinds = kindsOf(schema);
  if (kinds === undefined) return true;
  if (value === null) return kinds.includes("null");
  if (Array.isArray(value)) return kinds.includes("array");
  if (typeof value === "number") return kinds.includes("number") || (kinds.includes("integer") && Number.isInteger(value));
  return kinds.includes(typeof value);
};

/** The only branch of this kind, an empty schema where there is none or more than one. */
const branchFor = (schema: JsonObject, kind: string): JsonObject => {
  const branches = [schema["anyOf"], schema["oneOf"]].find((some) => Array.isArray(some));
  if (!Array.isArray(branches)) return schema;
  const fitting = branches.filter((branch) => isObject(branch) && kindsOf(branch)?.includes(kind) === true);
  return fitting.length === 1 && isObject(fitting[0]) ? fitting[0] : {};
};
