/**
 * Arguments that do not fit, as the one reading of them that does: other names of the same argument, a value in another form. Texts stay as they are: a
 * path, a command line or a piece of a file is never changed, only found under another name. Where two readings are possible there is none.
 */
import type { JsonObject } from "@retinue/protocol";
import { canMean, findValue } from "./argument-names.ts";

type Given = Readonly<Record<string, unknown>>;

/** What calls are put into by models that know another protocol. */
const WRAPPERS = new Set(["arguments", "args", "input", "parameters", "params", "properties"]);

/** Undefined where there is no other reading. `schema` is what the model was shown. */
export const mendArguments = (schema: JsonObject, given: unknown): unknown => {
  if (!isObject(given)) return undefined;
  const inner = unwrapped(schema, given);
  const mended = mendObject(schema, inner ?? given);
  if (mended === undefined || JSON.stringify(mended) === JSON.stringify(given)) return undefined;
  return mended;
};

const isObject = (value: unknown): value is Given => typeof value === "object" && value !== null && !Array.isArray(value);

const unwrapped = (schema: JsonObject, given: Given): Given | undefined => {
  const [[key, value] = [], second] = Object.entries(given);
  if (key === undefined || second !== undefined || !WRAPPERS.has(key) || key in propertiesOf(schema)) return undefined;
  const inner = typeof value === "string" ? readJson(value) : value;
  return isObject(inner) ? inner : undefined;
};

const propertiesOf = ({ properties }: JsonObject): JsonObject => (isObject(properties) ? properties : {});

const requiredOf = ({ required }: JsonObject): readonly string[] =>
  Array.isArray(required) ? (required as readonly string[]) : [];

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** The object with its arguments under our names; undefined where two of them claim the same. */
const mendObject = (schema: JsonObject, given: Given): Given | undefined => {
  const properties = propertiesOf(schema);
  const named = withOurNames(properties, given);
  if (!named) return undefined;
  const gathered = gather(properties, named);
  const mended: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(gathered)) {
    const property = properties[key];
    // What is null was left out.
    if (value === null && !requiredOf(schema).includes(key)) continue;
    mended[key] = isObject(property) ? mendValue(key, property, value) : value;
  }
  return mended;
};

const withOurNames = (properties: JsonObject, given: Given): Given | undefined => {
  const named: Record<string, unknown> = {};
  const others: [string, unknown][] = [];
  for (const [key, value] of Object.entries(given)) {
    if (key in properties) named[key] = value;
    else others.push([key, value]);
  }
  for (const [key, value] of others) {
    const free = Object.keys(properties).filter((property) => !(property in given) && canMean(key, property));
    const [only, second] = free;
    if (only === undefined || second !== undefined) named[key] = value;
    else if (!(only in named)) named[only] = value;
    else if (JSON.stringify(named[only]) !== JSON.stringify(value)) return undefined;
  }
  return named;
};

/** Arguments that belong into the one item of a list that is missing: `old` and `new` beside `path` are an edit. */
const gather = (properties: JsonObject, given: Given): Given => {
  for (const [list, property] of Object.entries(properties)) {
    if (list in given || !isObject(property) || property["type"] !== "array" || !isObject(property["items"])) continue;
    const item = property["items"];
    const required = requiredOf(item);
    const others = Object.fromEntries(Object.entries(given).filter(([key]) => !(key in properties)));
    const one = required.length > 1 ? withOurNames(propertiesOf(item), others) : undefined;
    if (!one || !required.every((key) => one[key] !== undefined)) continue;
    return { ...Object.fromEntries(Object.entries(given).filter(([key]) => key in properties)), [list]: [one] };
  }
  return given;
};

const mendValue = (key: string, schema: JsonObject, value: unknown): unknown => {
  const { type } = schema;
  switch (typeof type === "string" ? type : "") {
    case "number":
    case "integer":
      return typeof value === "string" && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
    case "boolean":
      return typeof value === "string" ? ({ true: true, false: false }[value.trim().toLowerCase()] ?? value) : value;
    case "array":
      return mendList(isObject(schema["items"]) ? schema["items"] : {}, value);
    case "object": {
      const object = typeof value === "string" ? (readJson(value) ?? value) : value;
      return isObject(object) ? (mendObject(schema, object) ?? object) : object;
    }
    case "string":
      return mendText(key, schema, value);
    default:
      return value;
  }
};

const mendList = (item: JsonObject, value: unknown): unknown => {
  const list = typeof value === "string" ? listIn(item, value) : isObject(value) && item["type"] === "object" ? [value] : value;
  return Array.isArray(list) ? list.map((one: unknown) => mendItem(item, one)) : list;
};

const listIn = (item: JsonObject, text: string): unknown => {
  const read = readJson(text);
  if (Array.isArray(read)) return read;
  if (isObject(read)) return [read];
  const texts = text
    .split(/[,\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== "");
  return item["type"] === "string" && texts.length > 0 ? texts : text;
};

/** A text in place of an object that needs nothing but a text is that. */
const mendItem = (item: JsonObject, value: unknown): unknown => {
  const [only, second] = requiredOf(item);
  if (typeof value !== "string" || item["type"] !== "object") return mendValue("", item, value);
  return only === undefined || second !== undefined ? value : { [only]: value };
};

/** Texts whose lines may be given as a list. */
const OF_LINES = new Set(["content", "old", "new", "task", "context", "question"]);

const mendText = (key: string, schema: JsonObject, value: unknown): unknown => {
  const values = schema["enum"];
  if (Array.isArray(values) && typeof value === "string") return findValue(value, values as readonly string[]) ?? value;
  if (!Array.isArray(value) || !value.every((one): one is string => typeof one === "string")) return value;
  if (key === "command") return value.map(quoteWord).join(" ");
  return OF_LINES.has(key) ? value.join("\n") : value;
};

/** The word as a shell reads it back, to the letter. */
const quoteWord = (word: string): string => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
