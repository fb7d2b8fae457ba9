/** The rules of an opencode agent, from any of the three forms that they come in, in the order in which they count. */
import { matchesGlob } from "@retinue/protocol/names";
import { isJsonFields } from "../jsonc.ts";
import type { NamedRule } from "../named-rules.ts";
import type { Note } from "../problem.ts";
import { DELEGATE_TOOL, resolveToolName, TOOL_TRAITS } from "../tool-names.ts";
import type { YamlFields } from "../yaml-fields.ts";

export type RuleAction = "allow" | "ask" | "deny";

export type OpencodeRule = {
  /** A permission's name or a glob of such names. */
  readonly permission: string;
  /** The name as it stands in the file, where that is another. */
  readonly written?: string;
  /** Of what the permission is asked for; `*` is all of it. */
  readonly pattern: string;
  readonly action: RuleAction;
  readonly line: number;
};

/** What cannot be read is noted as an error: a rule that was lost may have forbidden something. */
export const readOpencodeRules = (fields: YamlFields, note: Note): readonly OpencodeRule[] => {
  const merged = merge(fromToolSwitches(fields, note), fromPermission(fields, "permission", note));
  const value = fields.get("permissions") ?? [];
  // The newest form is a list; a map or a word under this name is the older form, whatever it is called.
  const newest = Array.isArray(value) ? fromPermissions(value, fields, note) : fromPermission(fields, "permissions", note);
  return [...merged, ...newest].flatMap((rule) => [rule, ...toServerTool(rule)]);
};

/** A denied name that is also how opencode calls a tool of a server: `web_fetch` is "fetch" of the server "web", too. */
const toServerTool = ({ written, ...rule }: OpencodeRule): readonly OpencodeRule[] =>
  written !== undefined && written.includes("_") && rule.action !== "allow" ? [{ ...rule, permission: written }] : [];

/** The fields that rules stand in. */
export const RULE_FIELDS: readonly string[] = ["permission", "permissions", "tools"];

/** Those that deny or have asked. */
export const toNamedRules = (rules: readonly OpencodeRule[]): readonly NamedRule[] =>
  rules
    .filter(({ action, permission }) => action !== "allow" && permission !== "task")
    .map(({ permission, written = permission, pattern, line }) => ({
      written: pattern === "*" ? written : `${written}: ${pattern}`,
      line,
      tools: toToolPatterns(permission),
    }));

/** Our tools that a permission governs, or the name itself. */
const toToolPatterns = (permission: string): readonly string[] => {
  const governed = [...TOOL_TRAITS].filter(([, traits]) => matchesGlob(permission, traits.permission)).map(([tool]) => tool);
  return governed.length > 0 ? governed : [permission];
};

/** `permission` takes the place of what `tools` says of the same permission, and stands where that stood, as in opencode. */
const merge = (switches: readonly OpencodeRule[], permission: readonly OpencodeRule[]): readonly OpencodeRule[] => {
  const merged = new Map<string, OpencodeRule[]>();
  // Several switches share a permission; one that is off holds.
  for (const rule of switches) if (merged.get(rule.permission)?.[0]?.action !== "deny") merged.set(rule.permission, [rule]);
  const later = Map.groupBy(permission, (rule) => rule.permission);
  for (const [name, rules] of later) merged.set(name, rules);
  return [...merged.values()].flat();
};

const isAction = (value: unknown): value is RuleAction => value === "allow" || value === "ask" || value === "deny";

/** `tools: { bash: false }`, the oldest form. */
const fromToolSwitches = (fields: YamlFields, note: Note): readonly OpencodeRule[] => {
  const value = fields.get("tools") ?? {};
  if (!isJsonFields(value)) note("error", fields.lineOf("tools"), `"tools" is a map of names to true or false`);
  return Object.entries(isJsonFields(value) ? value : {}).flatMap(([name, isOn]) => {
    const line = fields.lineOf("tools", name);
    if (typeof isOn === "boolean")
      return { ...toPermission(name), pattern: "*", action: isOn ? ("allow" as const) : ("deny" as const), line };
    note("error", line, `tools.${name} is true or false, and not ${JSON.stringify(isOn)}`);
    return [];
  });
};

/** `permission: { edit: deny, bash: { "*": ask, "git *": allow } }`, or one word for all. */
const fromPermission = (fields: YamlFields, field: "permission" | "permissions", note: Note): readonly OpencodeRule[] => {
  const value = fields.get(field) ?? {};
  const at = fields.lineOf(field);
  if (isAction(value)) return [{ permission: "*", pattern: "*", action: value, line: at }];
  if (!isJsonFields(value)) note("error", at, `"${field}" is a map, or one of allow, ask and deny`);
  return Object.entries(isJsonFields(value) ? value : {}).flatMap(([name, inner]) => {
    const isMap = isJsonFields(inner);
    return Object.entries(isMap ? inner : { "*": inner }).flatMap(([pattern, action]) => {
      const line = isMap ? fields.lineOf(field, name, pattern) : fields.lineOf(field, name);
      const named = toPermission(name);
      if (isAction(action) && named.permission !== name && action !== "deny") {
        note("notice", line, `"${name}" is governed by "${named.permission}", and allows nothing by itself`);
        return [];
      }
      if (isAction(action)) return { ...named, pattern: toPattern(pattern), action, line };
      note("error", line, `${field}.${name}: ${JSON.stringify(action)} is not allow, ask or deny`);
      return [];
    });
  });
};

/** `permissions: [{ action, resource, effect }]`, the newest form. */
const fromPermissions = (items: readonly unknown[], fields: YamlFields, note: Note): readonly OpencodeRule[] =>
  items.flatMap((item, index) => {
    const line = fields.lineOf("permissions", index);
    const { action, resource, effect } = isJsonFields(item) ? item : {};
    if (typeof action === "string" && typeof resource === "string" && isAction(effect))
      return { ...toPermission(action), pattern: toPattern(resource), action: effect, line };
    note("error", line, "a rule has an action, a resource and an effect, which is allow, ask or deny");
    return [];
  });

const toPattern = (pattern: string): string => (/^\**$/.test(pattern.trim()) ? "*" : pattern.trim());

/** Tools that change files share the permission `edit`, and those that run commands `bash`. */
const toPermission = (name: string): Pick<OpencodeRule, "permission" | "written"> => {
  const written = name.trim();
  const tool = resolveToolName(written);
  const permission = tool === DELEGATE_TOOL ? "task" : (TOOL_TRAITS.get(tool)?.permission ?? written);
  return permission === written ? { permission } : { permission, written };
};
