/** Reads an agent file of opencode as it is (`.opencode/agent/*.md`, `.opencode/agents/*.md`). */
import type { Thinking } from "@retinue/protocol";
import type { YamlFields } from "../yaml-fields.ts";
import type { ReadAgent, ReadContext } from "./dialect.ts";
import { BROKEN, toReadAgent } from "./dialect.ts";
import {
  noteUnhonoured,
  readCount,
  readDescription,
  readMarkdownAgent,
  readName,
  readTemperature,
  readThinking,
} from "./markdown-agent.ts";
import { toOpencodeRights } from "./opencode-rights.ts";
import type { OpencodeRule } from "./opencode-rules.ts";
import { readOpencodeRules } from "./opencode-rules.ts";
import { toRightsFields } from "./rights.ts";

const UNHONOURED = {
  top_p: "the randomness of a model is set by temperature alone",
  variant: "models have no variants here",
  color: "agents have icons",
  hidden: "every agent is listed",
  hidden_from_cycle: "every agent is listed",
  request: "options of a provider are not set by agents",
};

const FIELDS = [
  "name",
  "description",
  "mode",
  "model",
  "temperature",
  "steps",
  "maxSteps",
  "permission",
  "permissions",
  "tools",
  "prompt",
  "disable",
  "options",
  "reasoningEffort",
  "thinking",
  ...Object.keys(UNHONOURED),
];

export const readOpencodeAgent = (text: string, context: ReadContext): ReadAgent => {
  const { note } = context;
  const read = readMarkdownAgent(text, context, {
    names: FIELDS,
    synonyms: { disabled: "disable" },
    unknown: "opencode would hand it to the provider, here it is ignored",
    withoutFrontMatter: "warning",
    lenient: true,
  });
  if (!read) return BROKEN;
  const { fields, body, bodyLine } = read;
  const name = readName(fields, "name", context);
  if (name === undefined) return BROKEN;
  if (fields.get("disable") === true) return { type: "disabled", name, line: fields.lineOf("disable") };
  const mode = readMode(fields, context);
  const rules = readOpencodeRules(fields, note);
  const description = readDescription(fields, "description", { in: `The ${name} agent.`, context });
  noteUnhonoured(fields, UNHONOURED, context);
  const iterations = readCount(fields, "steps", context) ?? readCount(fields, "maxSteps", context);
  const temperature = readTemperature(fields, "temperature", context);
  const thinking = readOptions(fields, context);
  const model = fields.get("model");
  if (model !== undefined && typeof model !== "string")
    note("warning", fields.lineOf("model"), `"model" is the name of a model; it is ignored`);
  return toReadAgent({
    frontMatter: {
      name,
      description,
      ...toRightsFields(toOpencodeRights(rules, note, mode === "primary")),
      ...(mode === "primary" ? { expose: "none" as const } : {}),
      limits: iterations === undefined ? {} : { iterations },
      ...(typeof model === "string" && model !== "" ? { model } : {}),
      ...(temperature === undefined ? {} : { temperature }),
      ...(thinking === undefined ? {} : { thinking }),
    },
    prompt: readPrompt({ name, description, body, bodyLine, fields, context }),
    lines: toLines(fields, rules),
    note,
  });
};

const readMode = (fields: YamlFields, { note }: ReadContext): "primary" | "subagent" | "all" => {
  const mode = fields.get("mode");
  if (mode === "primary" || mode === "subagent" || mode === "all") return mode;
  if (mode !== undefined && mode !== null)
    note("warning", fields.lineOf("mode"), `"mode" is primary, subagent or all; ${JSON.stringify(mode)} is taken as subagent`);
  return mode === undefined ? "all" : "subagent";
};

/** Of what opencode hands to the provider, how hard the model thinks is understood: a word, or a budget of tokens. */
const readOptions = (fields: YamlFields, context: ReadContext): Thinking | undefined => {
  const options = toRecord(fields.get("options"));
  const others = Object.keys(options).filter((name) => name !== "reasoningEffort" && name !== "thinking");
  if (fields.has("options") && (others.length > 0 || Object.keys(options).length === 0))
    context.note("notice", fields.lineOf("options"), `"options" has no effect here: options of a provider are not set by agents`);
  for (const [field, from] of [
    ["reasoningEffort", fields.get("reasoningEffort")],
    ["thinking", fields.get("thinking")],
    ["options", options["reasoningEffort"]],
    ["options", options["thinking"]],
  ] as const) {
    const { budgetTokens, type } = toRecord(from);
    const said = budgetTokens ?? (type === "disabled" ? "off" : typeof from === "object" ? undefined : from);
    if (said !== undefined) return readThinking(said, fields.lineOf(field), context);
  }
  return undefined;
};

const toRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

type PromptSource = {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly bodyLine: number;
  readonly fields: YamlFields;
  readonly context: ReadContext;
};

const readPrompt = ({ name, description, body, bodyLine, fields, context: { note } }: PromptSource): string => {
  const field = fields.get("prompt");
  const isText = typeof field === "string" && field.trim() !== "" && !field.includes("{file:");
  if (field !== undefined && (body !== "" || !isText))
    note("notice", fields.lineOf("prompt"), `"prompt" has no effect here: the prompt is what follows the front matter`);
  if (body !== "") return body;
  if (isText) return field.trim();
  note("warning", bodyLine, "it has no prompt after the front matter; its description stands in");
  return `You are ${name}. ${description}`;
};

/** The lines of our fields, by where theirs stand. */
const toLines = (fields: YamlFields, rules: readonly OpencodeRule[]): ReadonlyMap<string, number> => {
  const rights = ["permission", "permissions", "tools"].find((field) => fields.has(field));
  const ours = {
    name: "name",
    description: "description",
    tools: rights,
    deniedTools: rights,
    rules: rights,
    delegates: rights,
    expose: "mode",
    model: "model",
    temperature: "temperature",
    limits: fields.has("steps") ? "steps" : "maxSteps",
  };
  const lines = new Map<string, number>();
  for (const [field, theirs] of Object.entries(ours))
    if (theirs !== undefined && fields.has(theirs)) lines.set(field, fields.lineOf(theirs));
  for (const { permission, pattern, line } of rules) {
    for (const field of ["tools", "deniedTools"]) lines.set(`${field}:${permission}`, line);
    if (permission === "task") lines.set(`delegates:${pattern}`, line);
  }
  return lines;
};
