/** Reads an agent file of our own: YAML front matter as `agentFrontMatterSchema` has it, then the prompt. */
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { wordIssue } from "@retinue/protocol/describe-issues";
import { fromJsonSchema } from "@retinue/runtime";
import type { z } from "zod";
import { isAgentName, toAgentName, toAgentPattern } from "../agent-name.ts";
import { toPathGlob } from "../path-glob.ts";
import { DELEGATE_TOOL, isToolPattern, resolveToolName } from "../tool-names.ts";
import type { YamlFields } from "../yaml-fields.ts";
import type { ReadAgent, ReadContext } from "./dialect.ts";
import { BROKEN } from "./dialect.ts";
import { readMarkdownAgent, toTexts } from "./markdown-agent.ts";

const FIELDS = Object.keys(agentFrontMatterSchema.shape);

/** Fields that are lists of texts; each may stand as one text with commas. */
const LISTS = [
  "aliases",
  "fallbacks",
  "tools",
  "deniedTools",
  "hiddenTools",
  "writes",
  "hosts",
  "delegates",
  "skills",
  "mcpServers",
] as const;

export const readRetinueAgent = (text: string, context: ReadContext): ReadAgent => {
  const { note } = context;
  const read = readMarkdownAgent(text, context, { names: FIELDS, withoutFrontMatter: "error", lenient: false });
  if (!read) return BROKEN;
  const { fields, body, bodyLine } = read;
  const parsed = agentFrontMatterSchema.safeParse(toFrontMatter(fields));
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const { path } = issue;
      const [field = "name", ...rest] = path.map((step) => (typeof step === "number" ? step : String(step)));
      note("error", fields.lineOf(String(field), ...rest), `${path.join(".") || "front matter"}: ${wordIssue(issue)}`);
    }
    return BROKEN;
  }
  if (body === "") {
    note("error", bodyLine, "it has no prompt after the front matter");
    return BROKEN;
  }
  checkNames(parsed.data, fields, context);
  checkSchemas(parsed.data, fields, context);
  if (parsed.data.tools.includes(DELEGATE_TOOL))
    note(
      "notice",
      fields.lineOf("tools"),
      `"${DELEGATE_TOOL}" need not stand in "tools": whom it may start stands in "delegates"`,
    );
  const definition = {
    ...parsed.data,
    tools: parsed.data.tools.filter((tool) => tool !== DELEGATE_TOOL),
    ...(parsed.data.writes === undefined ? {} : { writes: parsed.data.writes.map((glob) => toPathGlob(glob) ?? glob) }),
    ...(parsed.data.rules === undefined
      ? {}
      : {
          rules: parsed.data.rules.map((rule) =>
            rule.path === undefined ? rule : { ...rule, path: toPathGlob(rule.path) ?? rule.path },
          ),
        }),
    prompt: body,
  };
  return { type: "agent", draft: { definition, lines: toLines(fields) } };
};

const toFrontMatter = (fields: YamlFields): Record<string, unknown> =>
  Object.fromEntries(
    fields.names.map((name) => {
      const value = fields.get(name);
      // A list with nothing in it is empty, which for tools is the opposite of a list that is not there.
      if (name === "name" && typeof value === "string") return [name, toAgentName(value) ?? value];
      if (name === "rules" && Array.isArray(value)) return [name, value.map(toRule)];
      if (!isList(name)) return [name, value === null ? undefined : value];
      const texts = toTexts(value) ?? value;
      if ((name === "delegates" || name === "aliases") && Array.isArray(texts))
        return [name, texts.map((text) => toName(String(text)))];
      return [name, isToolList(name) && Array.isArray(texts) ? texts.map((text) => resolveToolName(String(text))) : texts];
    }),
  );

/** With the tools by our names, which may stand as one text. */
const toRule = (rule: unknown): unknown => {
  if (typeof rule !== "object" || rule === null || !("tools" in rule)) return rule;
  const tools = toTexts(rule.tools);
  return { ...rule, tools: tools ? tools.map(resolveToolName) : rule.tools };
};

/** However it is written; what no name can be made of stays as it is, and is told. */
const toName = (text: string): string => {
  const [mark, name] = text.startsWith("!") ? ["!", text.slice(1)] : ["", text];
  return `${mark}${toAgentPattern(name) ?? name}`;
};

const isToolList = (name: string): boolean => name === "tools" || name === "deniedTools" || name === "hiddenTools";

const isList = (name: string): boolean => (LISTS as readonly string[]).includes(name);

type FrontMatter = z.infer<typeof agentFrontMatterSchema>;

const checkNames = (agent: FrontMatter, fields: YamlFields, { note }: ReadContext): void => {
  const each = (
    field: "tools" | "deniedTools" | "hiddenTools" | "writes" | "delegates" | "aliases",
    isRight: (text: string) => boolean,
    what: string,
  ): void => {
    for (const [index, text] of (agent[field] ?? []).entries())
      if (!isRight(text)) note("error", fields.lineOf(field, index), `${field}: ${JSON.stringify(text)} is no ${what}`);
  };
  each("tools", isToolPattern, "name of a tool, nor a glob of at most three stars");
  each("deniedTools", isToolPattern, "name of a tool, nor a glob of at most three stars");
  each("hiddenTools", isToolPattern, "name of a tool, nor a glob of at most three stars");
  each("writes", (glob) => toPathGlob(glob) !== undefined, "glob of paths inside the workspace");
  each(
    "delegates",
    (name) => toAgentPattern(name.replace(/^!/, "")) === name.replace(/^!/, ""),
    "name of an agent, nor a glob of names",
  );
  each("aliases", isAgentName, "name of an agent");
  for (const [index, { tools, path }] of (agent.rules ?? []).entries()) {
    const line = fields.lineOf("rules", index);
    for (const tool of tools)
      if (!isToolPattern(tool))
        note("error", line, `rules: ${JSON.stringify(tool)} is no name of a tool, nor a glob of at most three stars`);
    if (path !== undefined && toPathGlob(path) === undefined)
      note("error", line, `rules: ${JSON.stringify(path)} is no glob of paths inside the workspace`);
  }
  if (agent.icon !== undefined && !isIcon(agent.icon))
    note("error", fields.lineOf("icon"), "icon: it is one sign, such as an emoji");
};

const LONGEST_ICON = 16;

/** Without signs that control a terminal or turn the direction of writing. */
const isIcon = (icon: string): boolean =>
  icon.length <= LONGEST_ICON && !/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u.test(icon);

const checkSchemas = (agent: FrontMatter, fields: YamlFields, { note }: ReadContext): void => {
  for (const field of ["input", "output"] as const) {
    const schema = agent[field];
    if (schema === undefined) continue;
    if (schema["type"] !== "object") note("error", fields.lineOf(field), `${field}: it is a JSON Schema of type "object"`);
    try {
      fromJsonSchema(schema);
    } catch (thrown) {
      note(
        "error",
        fields.lineOf(field),
        `${field}: it is no JSON Schema that we can check${thrown instanceof Error ? `: ${thrown.message}` : ""}`,
      );
    }
  }
};

const toLines = (fields: YamlFields): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>();
  for (const name of fields.names) {
    lines.set(name, fields.lineOf(name));
    for (const [index, text] of (isList(name) ? (toTexts(fields.get(name)) ?? []) : []).entries()) {
      const value = isToolList(name) ? resolveToolName(text) : name === "delegates" ? toName(text) : text;
      lines.set(`${name}:${value}`, fields.lineOf(name, index));
    }
  }
  const limits = fields.get("limits");
  if (typeof limits === "object" && limits !== null)
    for (const name of Object.keys(limits)) lines.set(`limits:${name}`, fields.lineOf("limits", name));
  return lines;
};
