/** Reads a skill that runs, as a YAML file (`skills/*.yaml`): name, description, system prompt, tools, and the skills it hands work to. */
import { toAgentPattern } from "../agent-name.ts";
import { plainText } from "../front-matter.ts";
import { DELEGATE_TOOL, isToolPattern, resolveToolName } from "../tool-names.ts";
import type { YamlFields } from "../yaml-fields.ts";
import { readYamlFields } from "../yaml-fields.ts";
import type { ReadAgent, ReadContext } from "./dialect.ts";
import { BROKEN, toReadAgent } from "./dialect.ts";
import { nameFields } from "./known-fields.ts";
import { noteUnhonoured, readCount, readDescription, readName, readTemperature, toTexts } from "./markdown-agent.ts";
import { toRightsFields } from "./rights.ts";

const UNHONOURED = {
  tags: "skills are not filtered by tags",
  rag_context: `nothing is put into a context unasked; give it the tool "search_documents"`,
};

const FIELDS = [
  "name",
  "description",
  "system_prompt",
  "tools",
  "sub_agents",
  "model",
  "temperature",
  "max_iterations",
  "examples",
  ...Object.keys(UNHONOURED),
];

/** How often such a skill goes round where it does not say. */
const DEFAULT_ITERATIONS = 10;

export const readSkillYamlAgent = (text: string, context: ReadContext): ReadAgent => {
  const { note } = context;
  const read = readYamlFields({ text: plainText(text), firstLine: 1, note });
  const fields =
    read && nameFields(read, { names: FIELDS, synonyms: { prompt: "system_prompt", subagents: "sub_agents" }, note });
  if (!fields) return BROKEN;
  const name = readName(fields, "name", context);
  if (name === undefined) return BROKEN;
  const prompt = readPrompt(fields, name, context);
  if (prompt === undefined) return BROKEN;
  const description = readDescription(fields, "description", { in: `The ${name} agent.`, context });
  noteUnhonoured(fields, UNHONOURED, context);
  const temperature = readTemperature(fields, "temperature", context);
  const iterations = readCount(fields, "max_iterations", context);
  if (!fields.has("max_iterations"))
    note("notice", 1, `it has no "max_iterations", so that it goes round ${DEFAULT_ITERATIONS} times at most`);
  const model = fields.get("model");
  const { tools, delegates } = readRights(fields, context);
  return toReadAgent({
    frontMatter: {
      name,
      description,
      ...toRightsFields({ tools, deniedTools: [], delegates }),
      limits: { iterations: iterations ?? DEFAULT_ITERATIONS },
      reportAs: "skill",
      ...(typeof model === "string" && model !== "" ? { model } : {}),
      ...(temperature === undefined ? {} : { temperature }),
    },
    prompt: [prompt, ...readExamples(fields, context)].join("\n\n"),
    lines: toLines(fields),
    note,
  });
};

/** `…`, `...` and a reference to a file are no prompts. */
const ABBREVIATED = /^(?:…|\.{3}|\[?(?:\.\.\.|…)\]?|<[^>]*>|\S+\.(?:md|txt|prompt))$/;

/** A skill that does not say what it is to do gets a prompt that says what it may use, and a warning. */
const readPrompt = (fields: YamlFields, name: string, { note }: ReadContext): string | undefined => {
  const prompt = fields.get("system_prompt");
  if (prompt !== undefined && prompt !== null && typeof prompt !== "string") {
    note("error", fields.lineOf("system_prompt"), `"system_prompt" is a text`);
    return undefined;
  }
  const text = prompt?.trim() ?? "";
  if (text !== "" && !ABBREVIATED.test(text)) return text;
  const why =
    text === "" ? `it has no "system_prompt"` : `its "system_prompt" is abbreviated or stands in a file, which is not read`;
  note("warning", text === "" ? 1 : fields.lineOf("system_prompt"), `${why}; it gets one that names its tools and sub-agents`);
  const listed = (field: string): string => (toTexts(fields.get(field)) ?? []).join(", ") || "none";
  return (
    `You are ${name.replaceAll("-", " ")}. Do the task that you are given with what you have, and answer with its result.\n` +
    `Your tools: ${listed("tools")}. Skills that you may hand parts of it to: ${listed("sub_agents")}.`
  );
};

/** Whoever writes `skills/*.yaml` for something else has none of these. */
export const isSkillYaml = (text: string): boolean => /^(?:system_prompt|sub_agents)[ \t]*:/m.test(plainText(text));

const readRights = (
  fields: YamlFields,
  { note }: ReadContext,
): { readonly tools: readonly string[]; readonly delegates: readonly string[] } => {
  const tools = toTexts(fields.get("tools"));
  const skills = toTexts(fields.get("sub_agents"));
  if (!tools) note("error", fields.lineOf("tools"), `"tools" is a list of names`);
  if (!skills) note("error", fields.lineOf("sub_agents"), `"sub_agents" is a list of names`);
  const resolved = (tools ?? []).map(resolveToolName);
  const mayDelegate = resolved.includes(DELEGATE_TOOL);
  const delegates = (skills ?? []).flatMap((skill, index) => {
    const name = toAgentPattern(skill);
    if (name === undefined)
      note("warning", fields.lineOf("sub_agents", index), `${JSON.stringify(skill)} is no name of an agent; it is left out`);
    return name ?? [];
  });
  if (delegates.length > 0 && !mayDelegate)
    note("warning", fields.lineOf("sub_agents"), `"sub_agents" has no effect, since "tools" does not list "${DELEGATE_TOOL}"`);
  if (mayDelegate && delegates.length === 0)
    note("warning", fields.lineOf("tools"), `"${DELEGATE_TOOL}" has no effect, since "sub_agents" lists nobody`);
  return {
    tools: resolved.filter((tool, index) => tool !== DELEGATE_TOOL && isTool(tool, index, fields, note)),
    delegates: mayDelegate ? delegates : [],
  };
};

const isTool = (tool: string, index: number, fields: YamlFields, note: ReadContext["note"]): boolean => {
  const isRight = isToolPattern(tool);
  if (!isRight) note("warning", fields.lineOf("tools", index), `${JSON.stringify(tool)} is no name of a tool; it is left out`);
  return isRight;
};

/** Examples become part of the prompt. */
const readExamples = (fields: YamlFields, { note }: ReadContext): readonly string[] => {
  const value = fields.get("examples") ?? [];
  if (!Array.isArray(value)) {
    note("warning", fields.lineOf("examples"), `"examples" is a list of what a user says and what is answered; it is ignored`);
    return [];
  }
  const examples = (value as readonly unknown[]).flatMap((example, index) => {
    if (typeof example === "object" && example !== null && "user" in example && "assistant" in example)
      return `User: ${String(example.user).trim()}\nYou: ${String(example.assistant).trim()}`;
    note("warning", fields.lineOf("examples", index), `an example has "user" and "assistant"; this one is left out`);
    return [];
  });
  return examples.length > 0 ? [`## Examples\n\n${examples.join("\n\n")}`] : [];
};

const toLines = (fields: YamlFields): ReadonlyMap<string, number> => {
  const ours = {
    name: "name",
    description: "description",
    tools: "tools",
    delegates: "sub_agents",
    model: "model",
    temperature: "temperature",
    limits: "max_iterations",
  };
  const lines = new Map<string, number>();
  for (const [field, theirs] of Object.entries(ours)) if (fields.has(theirs)) lines.set(field, fields.lineOf(theirs));
  for (const [index, tool] of (toTexts(fields.get("tools")) ?? []).entries())
    lines.set(`tools:${resolveToolName(tool)}`, fields.lineOf("tools", index));
  for (const [index, skill] of (toTexts(fields.get("sub_agents")) ?? []).entries())
    lines.set(`delegates:${toAgentPattern(skill) ?? skill}`, fields.lineOf("sub_agents", index));
  return lines;
};
