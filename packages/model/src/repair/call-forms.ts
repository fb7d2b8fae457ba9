/**
 * Calls out of the text in which a model wrote them, in the six usual forms. A text is a call only where it is nothing else: it names a tool that the run has,
 * and holds no more than a name and arguments.
 */
import type { Json, JsonObject } from "@retinue/protocol";
import { parseLeading, parseLenient } from "./lenient-json.ts";
import { takesText } from "./mend-arguments.ts";

export type WrittenCall = { readonly tool: string; readonly arguments: string };

export type FindTool = (name: string) => { readonly name: string; readonly schema: JsonObject } | undefined;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const NAMES = ["name", "tool", "tool_name", "function"] as const;
const ARGUMENTS = ["arguments", "parameters", "args", "input"] as const;
const BESIDES = new Set(["id", "type", "call_id"]);

/** A name and arguments, and nothing that would be lost. */
const toCall = (value: Json, find: FindTool): WrittenCall | undefined => {
  if (!isObject(value)) return undefined;
  if (value["type"] === "function" && isObject(value["function"])) return toCall(value["function"], find);
  const nameKey = NAMES.find((key) => typeof value[key] === "string");
  const name = nameKey === undefined ? undefined : value[nameKey];
  const argumentKeys = ARGUMENTS.filter((key) => value[key] !== undefined);
  const [argumentKey] = argumentKeys;
  if (typeof name !== "string" || argumentKey === undefined || argumentKeys.length > 1) return undefined;
  if (Object.keys(value).some((key) => key !== nameKey && key !== argumentKey && !BESIDES.has(key))) return undefined;
  const tool = find(name);
  const given = value[argumentKey] ?? {};
  return tool && { tool: tool.name, arguments: typeof given === "string" ? given : JSON.stringify(given) };
};

/** One call or a list of them; undefined where one of them is none. */
const toCalls = (value: Json, find: FindTool): readonly WrittenCall[] | undefined => {
  const calls = (Array.isArray(value) ? value : [value]).map((one) => toCall(one, find));
  return calls.length === 0 || calls.includes(undefined) ? undefined : calls.filter((call) => call !== undefined);
};

/** JSON alone, several values one after the other, or with semicolons between them. */
const fromJson = (text: string, find: FindTool): readonly WrittenCall[] | undefined => {
  const calls: WrittenCall[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const read = parseLeading(rest);
    const made = read && toCalls(read.value, find);
    if (!made) return undefined;
    calls.push(...made);
    rest = rest.slice(read.end).replace(/^[\s;]+/, "");
  }
  return calls.length === 0 ? undefined : calls;
};

const PARAMETER = /<parameter=([^>\s]+)>\n?([\s\S]*?)\n?<\/parameter>/g;

/** `<function=name><parameter=path>…</parameter></function>`: values are texts, and JSON where the schema wants none. */
const fromXml = (text: string, find: FindTool): readonly WrittenCall[] | undefined => {
  const calls: WrittenCall[] = [];
  for (const [, name = "", body = ""] of text.matchAll(/<function=([^>\s]+)>([\s\S]*?)(?:<\/function>|$)/g)) {
    const tool = find(name);
    if (!tool || body.replaceAll(PARAMETER, "").trim() !== "") return undefined;
    const properties = isObject(tool.schema["properties"]) ? tool.schema["properties"] : {};
    const given: Record<string, Json> = {};
    for (const [, parameter = "", value = ""] of body.matchAll(PARAMETER)) {
      if (Object.hasOwn(given, parameter) || parameter === "__proto__") return undefined;
      const property = properties[parameter];
      const read = isObject(property) && takesText(property) ? undefined : parseLenient(value);
      given[parameter] = read === undefined ? value : read.value;
    }
    calls.push({ tool: tool.name, arguments: JSON.stringify(given) });
  }
  const rest = text.replaceAll(/<function=[^>\s]+>[\s\S]*?(?:<\/function>|$)/g, "").trim();
  return calls.length > 0 && rest === "" ? calls : undefined;
};

/** `name[ARGS]{…}`, or the older list of JSON. */
const fromMistral = (text: string, find: FindTool): readonly WrittenCall[] | undefined => {
  const named = /^\s*([\w.-]+)(?:\[CALL_ID\]\w+)?\[ARGS\]([\s\S]*)$/.exec(text);
  if (!named) return fromJson(text, find);
  const tool = find(named[1] ?? "");
  const read = parseLenient(named[2] ?? "");
  return tool && read && isObject(read.value) ? [{ tool: tool.name, arguments: (named[2] ?? "").trim() }] : undefined;
};

export type CallForm = {
  readonly name: string;
  /** How it begins. */
  readonly opening: string;
  /** How it ends; the end of the answer does too. Absent: only that. */
  readonly closing?: string;
  /** Only as the last thing that the model says: such a text stands in explanations too. */
  readonly isLast: boolean;
  /** Only at the beginning of a line. */
  readonly startsLine: boolean;
  /** Whether what came so far, behind the opening, can still become a call. */
  readonly mayBe: (soFar: string) => boolean;
  readonly read: (inside: string, find: FindTool) => readonly WrittenCall[] | undefined;
};

/** The first key of an object says whether it is a call. */
const KEYS: readonly string[] = [...NAMES, ...ARGUMENTS, ...BESIDES];
const mayBeJson = (soFar: string): boolean => {
  const begun = /^\s*(?:\[\s*)?(?:\{\s*(?:(["']?)([\w-]*)(?:\1\s*(:)?)?)?)?/.exec(soFar);
  const [whole = "", , key = "", colon] = begun ?? [];
  if (colon !== undefined) return KEYS.includes(key);
  return whole.length === soFar.length && KEYS.some((known) => known.startsWith(key));
};

/** A fence, its language, then JSON. */
const mayBeFenced = (soFar: string): boolean => {
  const [language = "", ...lines] = soFar.split("\n");
  if (
    !["json", "tool_call", "tool_calls", "tool_code", ""].some((known) =>
      lines.length > 0 ? known === language.trim() : known.startsWith(language.trim()),
    )
  )
    return false;
  return lines.length === 0 || lines.join("\n").trim() === "" || mayBeJson(lines.join("\n"));
};

const always = (): boolean => true;

export const CALL_FORMS: readonly CallForm[] = [
  {
    name: "<tool_call>",
    opening: "<tool_call>",
    closing: "</tool_call>",
    isLast: false,
    startsLine: false,
    mayBe: always,
    read: (inside, find) => (inside.includes("<function=") ? fromXml(inside, find) : fromJson(inside, find)),
  },
  {
    name: "<function=>",
    opening: "<function=",
    closing: "</function>",
    isLast: false,
    startsLine: false,
    mayBe: always,
    read: (inside, find) => fromXml(`<function=${inside}</function>`, find),
  },
  { name: "[TOOL_CALLS]", opening: "[TOOL_CALLS]", isLast: false, startsLine: false, mayBe: always, read: fromMistral },
  { name: "<|python_tag|>", opening: "<|python_tag|>", isLast: false, startsLine: false, mayBe: always, read: fromJson },
  {
    name: "fenced JSON",
    opening: "```",
    closing: "\n```",
    isLast: true,
    startsLine: true,
    mayBe: mayBeFenced,
    read: (inside, find) => fromJson(inside.replace(/^\w*\n/, ""), find),
  },
  {
    name: "bare JSON",
    opening: "{",
    isLast: true,
    startsLine: true,
    mayBe: (soFar) => mayBeJson(`{${soFar}`),
    read: (inside, find) => fromJson(`{${inside}`, find),
  },
  {
    name: "bare JSON",
    opening: "[",
    isLast: true,
    startsLine: true,
    mayBe: (soFar) => mayBeJson(`[${soFar}`),
    read: (inside, find) => fromJson(`[${inside}`, find),
  },
];
