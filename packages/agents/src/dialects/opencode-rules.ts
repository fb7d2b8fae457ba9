/** The rules of an opencode agent, from any of the three forms that they come in, in the order in which they count. */
import { isJsonFields } from "../jsonc.ts";
import type { Note } from "../problem.ts";
import { DELEGATE_TOOL, resolveToolName, TOOL_TRAITS } from "../tool-names.ts";
import type { YamlFields } from "../yaml-fields.ts";

export type RuleAction = "allow" | "ask" | "deny";

export type OpencodeRule = {
  /** A permission's name or a glob of such names. */
  readonly permission: string;
  /** Of what the permission is asked for; `*` is all of it. */
  readonly pattern: string;
  readonly action: RuleAction;
  readonly line: number;
};

/** What cannot be read is noted as an error: a rule that was lost may have forbidden something. */
export const readOpencodeRules = (fields: YamlFields, note: Note): readonly OpencodeRule[] => [
  ...merge(fromToolSwitches(fields, note), fromPermission(fields, note)),
  ...fromPermissions(fields, note),
];

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
      return { permission: toPermission(name), pattern: "*", action: isOn ? ("allow" as const) : ("deny" as const), line };
    note("error", line, `tools.${name} is true or false, and not ${JSON.stringify(isOn)}`);
    return [];
  });
};

/** `permission: { edit: deny, bash: { "*": ask, "git *": allow } }`, or one word for all. */
const fromPermission = (fields: YamlFields, note: Note): readonly OpencodeRule[] => {
  const value = fields.get("permission") ?? {};
  const at = fields.lineOf("permission");
  if (isAction(value)) return [{ permission: "*", pattern: "*", action: value, line: at }];
  if (!isJsonFields(value)) note("error", at, `"permission" is a map, or one of allow, ask and deny`);
  return Object.entries(isJsonFields(value) ? value : {}).flatMap(([name, inner]) => {
    const isMap = isJsonFields(inner);
    return Object.entries(isMap ? inner : { "*": inner }).flatMap(([pattern, action]) => {
      const line = isMap ? fields.lineOf("permission", name, pattern) : fields.lineOf("permission", name);
      const permission = toPermission(name);
      if (isAction(action) && permission !== name && action !== "deny") {
        note("notice", line, `"${name}" is governed by "${permission}", and allows nothing by itself`);
        return [];
      }
      if (isAction(action)) return { permission, pattern: toPattern(pattern), action, line };
      note("error", line, `permission.${name}: ${JSON.stringify(action)} is not allow, ask or deny`);
      return [];
    });
  });
};

/** `permissions: [{ action, resource, effect }]`, the newest form. */
const fromPermissions = (fields: YamlFields, note: Note): readonly OpencodeRule[] => {
  const value = fields.get("permissions") ?? [];
  if (!Array.isArray(value))
    note("error", fields.lineOf("permissions"), `"permissions" is a list of rules of action, resource and effect`);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.flatMap((item, index) => {
    const line = fields.lineOf("permissions", index);
    const { action, resource, effect } = isJsonFields(item) ? item : {};
    if (typeof action === "string" && typeof resource === "string" && isAction(effect))
      return { permission: toPermission(action), pattern: toPattern(resource), action: effect, line };
    note("error", line, "a rule has an action, a resource and an effect, which is allow, ask or deny");
    return [];
  });
};

const toPattern = (pattern: string): string => (/^\**$/.test(pattern.trim()) ? "*" : pattern.trim());

/** Tools that change files share the permission `edit`, and those that run commands `bash`. */
const toPermission = (name: string): string => {
  const tool = resolveToolName(name);
  if (tool === DELEGATE_TOOL) return "task";
  return TOOL_TRAITS.get(tool)?.permission ?? name.trim();
};
