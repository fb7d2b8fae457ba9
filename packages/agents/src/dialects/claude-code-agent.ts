/** Reads an agent file of Claude Code as it is (`.claude/agents/*.md`). */
import type { YamlFields } from "../yaml-fields.ts";
import { readClaudeCodeRights } from "./claude-code-rights.ts";
import type { ReadAgent, ReadContext } from "./dialect.ts";
import { BROKEN, toReadAgent } from "./dialect.ts";
import {
  noteUnhonoured,
  readCount,
  readDescription,
  readMarkdownAgent,
  readName,
  readThinking,
  toTexts,
} from "./markdown-agent.ts";
import { toRightsFields } from "./rights.ts";
import { toToolEntries } from "./tool-entries.ts";

const UNHONOURED = {
  memory: "agents keep no notes of their own between sessions; the session's record is there for that",
  background: "whether an agent works in the background is said when it is started",
  color: "agents have icons",
  initialPrompt: "an agent begins with the task that it is given",
  experimental: "there are no such options",
};

const FIELDS = [
  "name",
  "description",
  "tools",
  "disallowedTools",
  "model",
  "permissionMode",
  "maxTurns",
  "skills",
  "mcpServers",
  "hooks",
  "isolation",
  "effort",
  ...Object.keys(UNHONOURED),
];

export const readClaudeCodeAgent = (text: string, context: ReadContext): ReadAgent => {
  const { note } = context;
  const read = readMarkdownAgent(text, context, {
    names: FIELDS,
    synonyms: { allowedtools: "tools", deniedtools: "disallowedTools", maxsteps: "maxTurns" },
    withoutFrontMatter: "warning",
    lenient: true,
  });
  if (!read) return BROKEN;
  const { fields, body, bodyLine } = read;
  const name = readName(fields, "name", context);
  const rights = readClaudeCodeRights(fields, note);
  if (name === undefined || !rights) return BROKEN;
  if (!fields.has("name")) note("warning", fields.lineOf("name"), `it has no "name"; its file gives it "${name}"`);
  const description = readDescription(fields, "description", { in: `The ${name} agent.`, context });
  if (body === "") note("warning", bodyLine, "it has no prompt after the front matter; its description stands in");
  noteUnhonoured(fields, UNHONOURED, context);
  const iterations = readCount(fields, "maxTurns", context);
  const model = readModel(fields, context);
  const thinking = readThinking(fields.get("effort"), fields.lineOf("effort"), context);
  const skills = toTexts(fields.get("skills"));
  if (!skills) note("warning", fields.lineOf("skills"), `"skills" is a list of names; it is ignored`);
  return toReadAgent({
    frontMatter: {
      name,
      description,
      ...toRightsFields(rights),
      limits: iterations === undefined ? {} : { iterations },
      skills: [...(skills ?? [])],
      mcpServers: readServers(fields, context),
      isolation: readIsolation(fields, context),
      ...(model === undefined ? {} : { model }),
      ...(thinking === undefined ? {} : { thinking }),
    },
    prompt: body === "" ? `You are ${name}. ${description}` : body,
    lines: toLines(fields),
    note,
  });
};

/** Claude Code's own short names. */
const SHORT_NAMES = new Set(["sonnet", "opus", "haiku", "fable", "opusplan"]);

const readModel = (fields: YamlFields, { note, modelNames, shortModels }: ReadContext): string | undefined => {
  const model = fields.get("model");
  const line = fields.lineOf("model");
  if (model === undefined || model === null || model === "" || model === "inherit") return undefined;
  if (typeof model !== "string") {
    note("warning", line, `"model" is the name of a model; ${JSON.stringify(model)} is ignored`);
    return undefined;
  }
  const name = model.trim().replace(/\[\w+\]$/, "");
  if (modelNames.has(name) || name.includes("/")) return name;
  if (SHORT_NAMES.has(name)) {
    const known = shortModels?.get(name);
    note(
      "notice",
      line,
      known === undefined
        ? `no model is named "${name}" in "models" of the settings, and Anthropic cannot be reached, so that the session's model serves`
        : `"${name}" is "${known}" here`,
    );
    return known;
  }
  if (name.startsWith("claude-")) {
    note("notice", line, `"${model}" is "anthropic/${name}" here`);
    return `anthropic/${name}`;
  }
  return name;
};

const readServers = (fields: YamlFields, { note }: ReadContext): string[] => {
  const value = fields.get("mcpServers");
  if (value === undefined || value === null) return [];
  const items: readonly unknown[] = Array.isArray(value)
    ? value
    : typeof value === "object"
      ? Object.entries(value).map(([key, inner]) => ({ [key]: inner }))
      : (toTexts(value) ?? []);
  return items.flatMap((item, index) => {
    if (typeof item === "string") return item;
    const names = typeof item === "object" && item !== null ? Object.keys(item) : [];
    const line = Array.isArray(value) ? fields.lineOf("mcpServers", index) : fields.lineOf("mcpServers", names[0] ?? 0);
    for (const name of names)
      note(
        "notice",
        line,
        `the MCP server "${name}" is not started from an agent file; define it in the settings under that name`,
      );
    return names;
  });
};

const readIsolation = (fields: YamlFields, { note }: ReadContext): "none" | "worktree" => {
  const value = fields.get("isolation");
  if (value === undefined || value === null || value === "none") return "none";
  if (value !== "worktree")
    note("warning", fields.lineOf("isolation"), `"isolation: ${JSON.stringify(value)}" is not known; it gets a worktree`);
  return "worktree";
};

/** The lines of our fields, by where theirs stand. */
const toLines = (fields: YamlFields): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>();
  const ours = {
    name: "name",
    description: "description",
    tools: "tools",
    deniedTools: "disallowedTools",
    rules: fields.has("disallowedTools") ? "disallowedTools" : "tools",
    delegates: "tools",
    model: "model",
    limits: "maxTurns",
    skills: "skills",
    mcpServers: "mcpServers",
    isolation: "isolation",
    thinking: "effort",
  };
  for (const [field, theirs] of Object.entries(ours)) if (fields.has(theirs)) lines.set(field, fields.lineOf(theirs));
  for (const [field, theirs] of [
    ["tools", "tools"],
    ["deniedTools", "disallowedTools"],
  ] as const)
    for (const { tool, line } of toToolEntries(fields.get(theirs), (index) => fields.lineOf(theirs, index)) ?? [])
      lines.set(`${field}:${tool}`, line);
  return lines;
};
