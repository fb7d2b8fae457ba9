/** Reads `AgentRoles` of an `appsettings.json`: roles with models, limits, whom they may delegate to, and prompts in files of their own. */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { toAgentName } from "../agent-name.ts";
import { plainText } from "../front-matter.ts";
import { DELEGATE_TOOL, isToolPattern, resolveToolName } from "../tool-names.ts";
import type { FieldEntry, YamlFields } from "../yaml-fields.ts";
import { readYamlFields, toFields } from "../yaml-fields.ts";
import type { AgentDraft, ReadAgent, ReadContext } from "./dialect.ts";
import { BROKEN, readSafely, toReadAgent } from "./dialect.ts";
import { nameFields } from "./known-fields.ts";
import { readCount, readName, toTexts } from "./markdown-agent.ts";
import type { Rights } from "./rights.ts";
import { toRightsFields } from "./rights.ts";

const SECTION_FIELDS = ["MaxDepth", "DefaultMaxIterations", "DefaultMaxDurationMs", "Roles"];

const ROLE_FIELDS = [
  "RoleId",
  "DisplayName",
  "ModelId",
  "SystemPromptFile",
  "CanDelegate",
  "AllowedDelegations",
  "MaxIterations",
  "MaxDurationMs",
  "AllowedTools",
  "DeniedTools",
];

export type AgentRoles = {
  readonly drafts: readonly AgentDraft[];
  /** Runs deeper than this are not wanted; it can only make the session's own depth smaller. */
  readonly maxDepth?: number;
};

export type AgentRolesContext = Omit<ReadContext, "fallbackName"> & {
  /** The text of a prompt file, by the path that stands in the roles' file. Throws what is to be said of it. */
  readonly readPromptFile: (file: string) => Promise<string>;
  /** An agent that comes with Retinue, whose description and icon serve a role of its name. */
  readonly findBuiltin: (name: string) => AgentDefinition | undefined;
};

const SECTION = "AgentRoles";

/** Undefined where the file has no roles. */
export const readAgentRoles = async (text: string, context: AgentRolesContext): Promise<AgentRoles | undefined> => {
  const { note } = context;
  // Most such files have none, and what is wrong with them is no concern of ours.
  if (!text.toLowerCase().includes(SECTION.toLowerCase())) return undefined;
  const file = readYamlFields({ text: withoutComments(plainText(text)), firstLine: 1, note });
  const section = file?.names.find((name) => name.toLowerCase() === SECTION.toLowerCase());
  if (!file || section === undefined) return undefined;
  const within = readSection(file, section, context);
  if (!within) return undefined;
  const roles = within.get("Roles");
  if (!Array.isArray(roles)) {
    note("error", within.lineOf("Roles"), `${SECTION}.Roles is a list of roles`);
    return undefined;
  }
  let isSound = true;
  const reader: ReadContext = {
    ...context,
    fallbackName: "",
    note: (severity, line, message) => {
      isSound &&= severity !== "error";
      note(severity, line, message);
    },
  };
  const maxDepth = readCount(within, "MaxDepth", reader);
  const defaults = {
    iterations: readCount(within, "DefaultMaxIterations", reader),
    durationMs: readCount(within, "DefaultMaxDurationMs", reader),
  };
  // Without the limits of all of them, none is held to its limits.
  if (!isSound) return { drafts: [] };
  const sources = (roles as readonly unknown[]).flatMap(
    (role, index) => toRole(role, (...path) => within.lineOf("Roles", index, ...path), reader) ?? [],
  );
  const ids = sources.flatMap((source) => {
    const id = source.get("RoleId");
    return (typeof id === "string" ? toAgentName(id) : undefined) ?? [];
  });
  const drafts: AgentDraft[] = [];
  // One after the other: what is said of them stands in the order of the file.
  for (const source of sources) {
    const draft = await readRole(source, { ids, defaults }, context);
    if (draft) drafts.push(draft);
  }
  return { drafts, ...(maxDepth === undefined ? {} : { maxDepth }) };
};

const readSection = (file: YamlFields, section: string, { note }: AgentRolesContext): YamlFields | undefined => {
  const value = file.get(section);
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return nameFields(
      toNested(value, (...path) => file.lineOf(section, ...path)),
      { names: SECTION_FIELDS, anyCase: true, note },
    );
  note("error", file.lineOf(section), `${SECTION} is an object`);
  return undefined;
};

type LineOf = (...path: readonly (string | number)[]) => number;

const toRole = (value: unknown, lineOf: LineOf, { note }: ReadContext): YamlFields | undefined => {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    let isSound = true;
    const fields = nameFields(toNested(value, lineOf), {
      names: ROLE_FIELDS,
      anyCase: true,
      note: (severity, line, message) => {
        isSound &&= severity !== "error";
        note(severity, line, message);
      },
    });
    return isSound ? fields : undefined;
  }
  note("error", lineOf(), "a role is an object");
  return undefined;
};

/** An object inside the file as fields. */
const toNested = (value: object, lineOf: LineOf): YamlFields => {
  const entries = Object.entries(value).map(([name, inner]): [string, FieldEntry] => [
    name,
    { value: inner, line: lineOf(name), lineBelow: () => lineOf(name) },
  ]);
  const fields = toFields(new Map(entries), lineOf());
  return { ...fields, lineOf: (name, ...path) => lineOf(name, ...path) };
};

type Surroundings = {
  readonly ids: readonly string[];
  readonly defaults: { readonly iterations: number | undefined; readonly durationMs: number | undefined };
};

const readRole = async (
  fields: YamlFields,
  { ids, defaults }: Surroundings,
  context: AgentRolesContext,
): Promise<AgentDraft | undefined> => {
  const prompt = await readPrompt(fields, context);
  const read = readSafely({ ...context, fallbackName: "" }, (reader): ReadAgent => {
    const name = readName(fields, "RoleId", reader);
    if (name === undefined || prompt === undefined) return BROKEN;
    const builtin = context.findBuiltin(name);
    const display = fields.get("DisplayName");
    const iterations = readCount(fields, "MaxIterations", reader) ?? defaults.iterations;
    const durationMs = readCount(fields, "MaxDurationMs", reader) ?? defaults.durationMs;
    const model = fields.get("ModelId");
    return toReadAgent({
      frontMatter: {
        name,
        description: describeRole(name, display, builtin?.description),
        ...(builtin?.icon === undefined ? {} : { icon: builtin.icon }),
        ...(builtin?.delegateWhen === undefined ? {} : { delegateWhen: builtin.delegateWhen }),
        ...(typeof model === "string" && model !== "" ? { model } : {}),
        ...toRightsFields(readRights(fields, { name, ids }, reader)),
        ...(name === "main" ? { expose: "none" as const } : {}),
        limits: { ...(iterations === undefined ? {} : { iterations }), ...(durationMs === undefined ? {} : { durationMs }) },
      },
      prompt,
      lines: toLines(fields),
      note: reader.note,
    });
  });
  return read.type === "agent" ? read.draft : undefined;
};

/** The name that the file gives to the role, and what a built-in agent of that name is for. */
const describeRole = (name: string, display: unknown, builtin: string | undefined): string => {
  const shown = typeof display === "string" ? display.trim() : "";
  if (builtin !== undefined) return shown === "" ? builtin : `${shown}: ${builtin}`;
  return shown === "" ? `The ${name} agent.` : shown;
};

const readPrompt = async (fields: YamlFields, { note, readPromptFile }: AgentRolesContext): Promise<string | undefined> => {
  const file = fields.get("SystemPromptFile");
  const line = fields.lineOf("SystemPromptFile");
  if (typeof file !== "string" || file === "") {
    note("error", line, `the role has no "SystemPromptFile"`);
    return undefined;
  }
  try {
    const prompt = plainText(await readPromptFile(file)).trim();
    if (prompt !== "") return prompt;
    note("error", line, `the prompt file "${file}" is empty`);
  } catch (thrown) {
    note("error", line, `the prompt file "${file}": ${thrown instanceof Error ? thrown.message : "it cannot be read"}`);
  }
  return undefined;
};

/** Without lists a role has every tool. */
const readRights = (
  fields: YamlFields,
  { name, ids }: { readonly name: string; readonly ids: readonly string[] },
  reader: ReadContext,
): Pick<Rights, "tools" | "deniedTools" | "delegates"> => {
  const denied = readTools(fields, "DeniedTools", reader) ?? [];
  const mayDelegate = !denied.includes(DELEGATE_TOOL);
  return {
    tools: (readTools(fields, "AllowedTools", reader) ?? ["*"]).filter((tool) => tool !== DELEGATE_TOOL),
    deniedTools: denied.filter((tool) => tool !== DELEGATE_TOOL),
    delegates: mayDelegate ? readDelegations(fields, name, ids, reader) : [],
  };
};

/** Undefined where the role does not have the list. A name that no tool can have refuses the role: it may be a denial. */
const readTools = (fields: YamlFields, list: string, { note }: ReadContext): readonly string[] | undefined => {
  if (!fields.has(list)) return undefined;
  const value = fields.get(list);
  const written = Array.isArray(value) ? toTexts(value) : undefined;
  if (!written) note("error", fields.lineOf(list), `"${list}" is a list of tools`);
  return (written ?? []).map((tool, index) => {
    const resolved = resolveToolName(tool);
    if (!isToolPattern(resolved))
      note("error", fields.lineOf(list, index), `${JSON.stringify(tool)} in "${list}" is no name of a tool`);
    return resolved;
  });
};

/** A role that may delegate and names nobody may delegate to all the others of its file. */
const readDelegations = (fields: YamlFields, self: string, ids: readonly string[], { note }: ReadContext): readonly string[] => {
  const can = fields.get("CanDelegate");
  const written = fields.get("AllowedDelegations");
  const listed = toTexts(written);
  const line = fields.lineOf("AllowedDelegations");
  if (!listed) note("error", line, `"AllowedDelegations" is a list of roles`);
  if (can !== true) {
    if (can !== undefined && can !== false) note("error", fields.lineOf("CanDelegate"), `"CanDelegate" is true or false`);
    if (listed && listed.length > 0) note("warning", line, `"AllowedDelegations" has no effect, since "CanDelegate" is not true`);
    return [];
  }
  if (written === undefined || written === null) return ids.filter((id) => id !== self);
  return (listed ?? []).flatMap((role) => {
    const name = toAgentName(role);
    if (name === undefined) note("warning", line, `${JSON.stringify(role)} is no name of a role; it is left out`);
    return name ?? [];
  });
};

const toLines = (fields: YamlFields): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>();
  const ours = {
    name: "RoleId",
    description: "DisplayName",
    model: "ModelId",
    delegates: "AllowedDelegations",
    prompt: "SystemPromptFile",
  };
  for (const [field, theirs] of Object.entries(ours)) lines.set(field, fields.lineOf(theirs));
  lines.set("limits", fields.lineOf("MaxIterations"));
  lines.set("limits:iterations", fields.lineOf("MaxIterations"));
  lines.set("limits:durationMs", fields.lineOf("MaxDurationMs"));
  lines.set("tools", fields.lineOf(fields.has("AllowedTools") ? "AllowedTools" : "RoleId"));
  if (fields.has("DeniedTools")) lines.set("deniedTools", fields.lineOf("DeniedTools"));
  return lines;
};

/** `appsettings.json` may hold comments and trailing commas; they become blanks, so that lines stay where they are. */
const withoutComments = (text: string): string =>
  text.replaceAll(/"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (found) =>
    found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, " "),
  );
