/**
 * The permissions of Claude Code's settings, of every place that it reads them from (`rule-places.ts`), as rules. What they deny or have asked
 * holds for every agent; what they allow only spares questions, and of a project only once that is trusted.
 */
import type { Rule, RuleSet } from "@retinue/protocol";
import { nearestName } from "@retinue/protocol/names";
import { toAgentPattern } from "./agent-name.ts";
import type { ClaudeHook } from "./claude-hooks.ts";
import { readClaudeHooks } from "./claude-hooks.ts";
import { toHoldingRules } from "./dialects/claude-code-rules.ts";
import { toPreapproving } from "./dialects/preapproving-rules.ts";
import type { ToolEntry } from "./dialects/tool-entries.ts";
import { toToolEntries } from "./dialects/tool-entries.ts";
import { isJsonFields } from "./jsonc.ts";
import type { Note, Problem } from "./problem.ts";
import { readSettingsFiles, UNREAD_RULES } from "./read-settings-files.ts";
import type { NamedRule } from "./named-rules.ts";
import { readServerRules } from "./claude-server-rules.ts";
import type { RuleSurroundings } from "./rule-places.ts";
import { RULE_PLACES, toSettingsPlaces } from "./rule-places.ts";
import { DELEGATE_TOOL, isToolPattern } from "./tool-names.ts";

export type ForeignSettingsFile = {
  readonly file: string;
  readonly origin: "user" | "project";
  /** The folder that paths of its rules begin at; absent: the root of the project. */
  readonly folder?: string | undefined;
  /** The rules that deny or have asked, by the tools that they name. */
  readonly named: readonly NamedRule[];
  /** What they deny or have asked. */
  readonly held: readonly Rule[];
  /** What need not be asked about. */
  readonly allowed: readonly Rule[];
  /** The same as it is written. */
  readonly allowedAsWritten: readonly string[];
  /** Agents that nobody may start. */
  readonly deniedAgents: readonly string[];
  readonly hooks: readonly ClaudeHook[];
  /** It wants no hooks at all; of a project this is about its own. */
  readonly disablesHooks: boolean;
};

export type ClaudeSettings = { readonly files: readonly ForeignSettingsFile[]; readonly problems: readonly Problem[] };

/** The rules of all places hold. */
export const loadClaudeSettings = async (surroundings: RuleSurroundings): Promise<ClaudeSettings> => {
  const places = await Promise.all(RULE_PLACES["claude-code"].map((place) => toSettingsPlaces(place, surroundings)));
  const { files, unread, problems } = await readSettingsFiles(places.flat(), readClaudeSettings);
  return { files: [...files, ...unread.map(toUnread)], problems };
};

/** What holds in the place of rules that were lost. */
export const toUnread = (place: Pick<ForeignSettingsFile, "file" | "origin" | "folder">): ForeignSettingsFile => ({
  ...place,
  held: UNREAD_RULES,
  named: [],
  allowed: [],
  allowedAsWritten: [],
  deniedAgents: [],
  hooks: [],
  disablesHooks: false,
});

/** The rules that hold for a session, and those that spare it questions. */
export const toSessionRules = (
  { files }: ClaudeSettings,
  isTrusted: (file: ForeignSettingsFile) => boolean,
  baseOf: (file: ForeignSettingsFile) => string = () => "",
): { readonly rules: readonly RuleSet[]; readonly preapproved: readonly RuleSet[] } => {
  const toSets = (
    from: readonly ForeignSettingsFile[],
    pick: (file: ForeignSettingsFile) => readonly Rule[],
  ): readonly RuleSet[] =>
    from
      .map((file) => {
        const base = baseOf(file);
        return { from: file.file, rules: pick(file), ...(base === "" ? {} : { base }) };
      })
      .filter(({ rules }) => rules.length > 0);
  return {
    rules: toSets(files, ({ held }) => held),
    preapproved: toSets(
      files.filter((file) => file.origin === "user" || isTrusted(file)),
      ({ allowed }) => allowed,
    ),
  };
};

const LISTS = ["allow", "ask", "deny"] as const;
const OTHERS = ["defaultMode", "additionalDirectories", "disableBypassPermissionsMode", "disableAutoMode"] as const;
/** Of the settings besides permissions, those that people would miss. */
const UNHONOURED = ["env", "apiKeyHelper", "sandbox", "enabledPlugins"] as const;

type Read = Omit<ForeignSettingsFile, "file" | "origin">;

/** Undefined where it says nothing of permissions and hooks. */
const readClaudeSettings = (text: string, note: Note): Read | undefined => {
  const settings: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
  if (!isJsonFields(settings)) throw new Error("it is no object");
  const lineOf = (word: string): number => text.slice(0, Math.max(0, text.indexOf(JSON.stringify(word)))).split("\n").length;
  for (const name of UNHONOURED)
    if (settings[name] !== undefined)
      note("notice", lineOf(name), `"${name}" has no effect here: of these settings "permissions" and "hooks" count`);
  const { permissions = {} } = settings;
  const hooks = readClaudeHooks(settings["hooks"], lineOf, note);
  const disablesHooks = settings["disableAllHooks"] === true;
  const servers = readServerRules(settings, lineOf, note);
  if (settings["permissions"] === undefined && hooks.length === 0 && servers.length === 0 && !disablesHooks) return undefined;
  if (!isJsonFields(permissions)) throw new Error(`"permissions" is no object`);
  const lists = { allow: [] as ToolEntry[], ask: [] as ToolEntry[], deny: [] as ToolEntry[] };
  for (const [name, value] of Object.entries(permissions)) {
    if (LISTS.some((list) => list === name)) {
      const entries = toEntries(value, lineOf);
      if (!entries) throw new Error(`"permissions.${name}" is no list of rules`);
      lists[name as (typeof LISTS)[number]].push(...entries);
    } else if (OTHERS.some((other) => other === name))
      note("notice", lineOf(name), `"permissions.${name}" has no effect here: what must be approved is decided by the session`);
    else {
      const near = nearestName(name, LISTS);
      note(
        "error",
        lineOf(name),
        `"permissions.${name}" is not known${near === undefined ? "" : ` (did you mean "${near}"?)`}; what it says is not kept`,
      );
    }
  }
  const allow = toPreapproving(lists.allow, note);
  const deniedAgents = lists.deny.flatMap((entry) => toDeniedAgents(entry, note));
  return {
    held: [...servers, ...toHeld(lists.ask, "ask", note), ...toHeld(lists.deny, "deny", note)],
    named: [...lists.ask, ...lists.deny].flatMap(({ tool, written, line }) =>
      tool === DELEGATE_TOOL ? [] : { written, line, tools: [tool] },
    ),
    allowed: allow.rules,
    allowedAsWritten: allow.written,
    deniedAgents,
    hooks,
    disablesHooks,
  };
};

/** Each text is one rule, whatever commas it holds. */
const toEntries = (value: unknown, lineOf: (word: string) => number): readonly ToolEntry[] | undefined => {
  if (!Array.isArray(value)) return undefined;
  const items: readonly unknown[] = value;
  const entries = items.map((item) =>
    typeof item === "string" ? toToolEntries([item.includes("(") ? item : item.trim()], () => lineOf(item)) : undefined,
  );
  return entries.every((entry) => entry !== undefined) ? entries.flat() : undefined;
};

const toHeld = (entries: readonly ToolEntry[], effect: "ask" | "deny", note: Note): readonly Rule[] =>
  entries.flatMap((entry) => {
    if (entry.tool === DELEGATE_TOOL) {
      if (effect === "ask")
        note("notice", entry.line, `"${entry.written}" has no effect here: nobody is asked before an agent is started`);
      return [];
    }
    if (isToolPattern(entry.tool)) return toHoldingRules(entry, effect);
    note("error", entry.line, `"${entry.written}" is no name of a tool; what it says is not kept`);
    return [];
  });

const toDeniedAgents = ({ tool, rule, written, line }: ToolEntry, note: Note): readonly string[] => {
  if (tool !== DELEGATE_TOOL) return [];
  if (rule === undefined) return ["*"];
  return rule.split(",").flatMap((name) => {
    const pattern = toAgentPattern(name);
    if (pattern === undefined) note("error", line, `"${written}" names no agent; what it says is not kept`);
    return pattern ?? [];
  });
};
