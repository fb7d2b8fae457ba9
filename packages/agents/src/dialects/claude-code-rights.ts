/**
 * What a Claude Code agent may use, in our terms. What its rules say and ours cannot is taken as less, never as more: a tool that is
 * allowed in part and cannot be held to that part is not there, and one that is denied in a part that cannot be told is denied.
 */
import type { Rule } from "@retinue/protocol";
import { toAgentPattern } from "../agent-name.ts";
import { isGlob } from "@retinue/protocol/names";
import type { Note } from "../problem.ts";
import { COMMAND_TOOLS, DELEGATE_TOOL, isToolPattern, READING_TOOLS, resolveToolName, toolsMatching } from "../tool-names.ts";
import type { YamlFields } from "../yaml-fields.ts";
import { toAllowingRules, toHoldingRules } from "./claude-code-rules.ts";
import type { Rights } from "./rights.ts";
import type { ToolEntry } from "./tool-entries.ts";
import { toToolEntries } from "./tool-entries.ts";

/** Undefined where a restriction cannot be read; why is noted. */
export const readClaudeCodeRights = (fields: YamlFields, note: Note): Rights | undefined => {
  const allowed = toToolEntries(fields.get("tools"), (index) => fields.lineOf("tools", index));
  const denied = toToolEntries(fields.get("disallowedTools"), (index) => fields.lineOf("disallowedTools", index));
  if (!allowed) note("error", fields.lineOf("tools"), `"tools" is a list of names, or one text with commas`);
  if (!denied) note("error", fields.lineOf("disallowedTools"), `"disallowedTools" is a list of names, or one text with commas`);
  if (!allowed || !denied) return undefined;
  const rights = fields.has("tools") ? fromAllowed(allowed, note) : { tools: ["*"], deniedTools: [], delegates: [] };
  if (!fields.has("tools"))
    note(
      "notice",
      1,
      `it has no "tools", so it may use all that whoever starts it may hand on; it may start no agents, unless "tools" lists Agent`,
    );
  else if (allowed.length === 0) note("warning", fields.lineOf("tools"), `"tools" is empty, so it may use none`);
  return withMode(withHooks(withDenied(rights, denied, note), fields, note), fields, note);
};

const fromAllowed = (entries: readonly ToolEntry[], note: Note): Rights => {
  const tools = new Set<string>();
  const delegates: string[] = [];
  const hosts = new Set<string>();
  const unscoped = new Set(entries.flatMap(({ tool, rule }) => (rule === undefined ? tool : [])));
  const parts = new Map<string, Rule[]>();
  for (const entry of entries) {
    const { tool, rule, line, written } = entry;
    if (tool === DELEGATE_TOOL) delegates.push(...toDelegates(entry, note));
    else if (!isToolPattern(tool)) note("warning", line, `${JSON.stringify(written)} is no name of a tool; it is left out`);
    else if (rule === undefined) tools.add(tool);
    else if (unscoped.has(tool)) continue;
    else if (tool === "web_fetch" && /^domain:[\w.*-]+$/.test(rule)) {
      const host = rule.slice("domain:".length);
      tools.add(tool);
      hosts.add(host);
      // A host of a grant is all that lies below it, too; of such a rule it is that one alone.
      const forms = ["https", "http"].flatMap((scheme) => [`${scheme}://${host}`, `${scheme}://${host}/*`]);
      parts.set(tool, [...(parts.get(tool) ?? []), ...forms.map((like): Rule => ({ tools: [tool], like, effect: "allow" }))]);
    } else {
      const held = tool === "shell" ? [tool, ...toGitTools(rule)] : [tool];
      const allowing = toAllowingRules(entry, held);
      if (allowing === undefined || allowing.length === 0)
        note(
          "warning",
          line,
          allowing === undefined
            ? `"${written}" cannot be held to, so that "${tool}" is left out`
            : `"${written}" leads out of the workspace; it is left out`,
        );
      else parts.set(tool, [...(parts.get(tool) ?? []), ...allowing]);
      if (allowing !== undefined && allowing.length > 0) for (const name of held) tools.add(name);
    }
  }
  const writes = toWrites(parts, unscoped, note, entries[0]?.line ?? 1);
  const rules = [...parts.values()].flatMap((allowing): readonly Rule[] => [
    { tools: [...new Set(allowing.flatMap((rule) => rule.tools))].filter((tool) => !unscoped.has(tool)), effect: "deny" },
    ...allowing,
  ]);
  return {
    tools: [...tools],
    deniedTools: [],
    delegates,
    ...(rules.length === 0 ? {} : { rules }),
    ...(writes === undefined ? {} : { writes }),
    ...(hosts.size > 0 ? { hosts: [...hosts] } : {}),
  };
};

const toDelegates = ({ rule, line, written }: ToolEntry, note: Note): readonly string[] => {
  if (rule === undefined) return ["*"];
  return rule.split(",").flatMap((name) => {
    const pattern = toAgentPattern(name);
    if (pattern === undefined)
      note("warning", line, `${JSON.stringify(name.trim())} in "${written}" is no name of an agent; it is left out`);
    return pattern ?? [];
  });
};

/** Where every tool of its that writes files is held to paths, commands are held to all of these. */
const toWrites = (
  parts: ReadonlyMap<string, readonly Rule[]>,
  unscoped: ReadonlySet<string>,
  note: Note,
  line: number,
): readonly string[] | undefined => {
  if (unscoped.has("edit") || unscoped.has("write") || unscoped.has("*")) return undefined;
  const scoped = ["edit", "write"].flatMap((tool) => parts.get(tool) ?? []);
  const globs = [...new Set(scoped.flatMap(({ path }) => path ?? []))];
  if (globs.length === 0 || scoped.some(({ path }) => path === undefined)) return undefined;
  note("notice", line, `all that it writes, by whatever tool, is held to ${globs.join(", ")}`);
  return globs;
};

/** What of a rule for git our own git tools do. */
const toGitTools = (rule: string): readonly string[] => {
  const command = rule.replace(/(?::\*|\s+\*)$/, "").trim();
  const isOpen = command !== rule.trim();
  if (!isOpen) return [];
  if (command === "git") return ["git", "git_diff", "git_commit"];
  if (command === "git diff") return ["git_diff"];
  return command === "git commit" ? ["git_commit"] : [];
};

const withDenied = (rights: Rights, entries: readonly ToolEntry[], note: Note): Rights => {
  const deniedTools = new Set(rights.deniedTools);
  const rules: Rule[] = [];
  let delegates = rights.delegates;
  for (const entry of entries) {
    const { tool, rule, line, written } = entry;
    if (tool === DELEGATE_TOOL) {
      const names = rule === undefined ? [] : rule.split(",").map(toAgentPattern);
      if (names.includes(undefined)) note("error", line, `"${written}" names no agent, so that what it denies cannot be kept`);
      delegates = rule === undefined ? [] : [...delegates, ...names.map((name) => `!${name}`)];
    } else if (!isToolPattern(tool)) {
      if (/[*?]/.test(tool)) note("error", line, `"${written}" is no glob that we take, so that what it denies cannot be kept`);
      else note("warning", line, `${JSON.stringify(written)} is no name of a tool; there is none to deny`);
    } else if (rule !== undefined && !isGlob(tool)) {
      const holding = toHoldingRules(entry, "deny");
      rules.push(...holding);
      for (const one of holding.filter(isWhole)) {
        for (const name of one.tools) deniedTools.add(name);
        note(
          "warning",
          line,
          `"${written}" cannot be denied in part, so that ${one.tools.join(", ")} ${one.tools.length === 1 ? "is" : "are"} denied`,
        );
      }
    } else {
      const all = isGlob(tool) ? [tool, ...toolsMatching(tool).flatMap((name) => toDenied(name, false))] : toDenied(tool, false);
      for (const name of all) if (name !== DELEGATE_TOOL) deniedTools.add(name);
      if (all.includes(DELEGATE_TOOL)) delegates = [];
    }
  }
  const held = [...(rights.rules ?? []), ...rules.filter((rule) => !isWhole(rule))];
  return { ...rights, delegates, deniedTools: [...deniedTools], ...(held.length === 0 ? {} : { rules: held }) };
};

const isWhole = ({ path, like, host }: Rule): boolean => path === undefined && like === undefined && host === undefined;

/** Who may not run commands may not run tests or git either; a rule for edits governs all that writes. */
const toDenied = (tool: string, isPartly: boolean): readonly string[] => {
  if (tool === "shell") return COMMAND_TOOLS;
  return isPartly && (tool === "edit" || tool === "write") ? ["edit", "write"] : [tool];
};

/** Hooks that decide about calls are not run, so that what they would decide about is denied. */
const DECIDING_HOOKS = ["PreToolUse", "PermissionRequest"] as const;

const withHooks = (rights: Rights, fields: YamlFields, note: Note): Rights => {
  const hooks = fields.get("hooks");
  if (hooks === undefined || hooks === null) return rights;
  if (typeof hooks !== "object" || Array.isArray(hooks)) {
    note("error", fields.lineOf("hooks"), `"hooks" cannot be read, so that what they forbid cannot be kept`);
    return rights;
  }
  let kept = rights;
  for (const [event, matchers] of Object.entries(hooks)) {
    const line = fields.lineOf("hooks", event);
    if (!(DECIDING_HOOKS as readonly string[]).includes(event)) {
      note("notice", line, `the hook "${event}" is not run`);
      continue;
    }
    const all: readonly unknown[] = Array.isArray(matchers) ? matchers : [undefined];
    for (const [index, matcher] of all.entries()) {
      const denied = toMatched(matcher);
      const at = fields.lineOf("hooks", event, index);
      note(
        "warning",
        at,
        `the hook "${event}" is not run, so that what it decides about is denied: ${denied === "all" ? "all tools" : denied.join(", ")}`,
      );
      kept = denied === "all" ? { ...kept, tools: [], delegates: [] } : without(kept, denied);
    }
  }
  return kept;
};

const without = (rights: Rights, denied: readonly string[]): Rights => ({
  ...rights,
  deniedTools: [...new Set([...rights.deniedTools, ...denied.filter((tool) => tool !== DELEGATE_TOOL)])],
  ...(denied.includes(DELEGATE_TOOL) ? { delegates: [] } : {}),
});

/** The tools that a hook's matcher names; all of them where that is not plain to see. */
const toMatched = (hook: unknown): readonly string[] | "all" => {
  const matcher = typeof hook === "object" && hook !== null && "matcher" in hook ? hook.matcher : undefined;
  if (typeof matcher !== "string") return "all";
  const names = matcher.split("|").map((name) => name.trim().replace(/^(mcp__\w{0,64})\.\*$/, "$1*"));
  if (!names.every((name) => /^\w+$|^mcp__\w*\*$/.test(name) && isToolPattern(name))) return "all";
  return names.flatMap((name) => toDenied(resolveToolName(name), true));
};

/** Modes that forbid are kept; modes that allow more than the session does are not. */
const withMode = (rights: Rights, fields: YamlFields, note: Note): Rights => {
  const mode = fields.get("permissionMode");
  const line = fields.lineOf("permissionMode");
  switch (mode) {
    case undefined:
    case null:
    case "default":
      return rights;
    case "acceptEdits":
    case "auto":
    case "bypassPermissions":
      note(
        "notice",
        line,
        `"permissionMode: ${mode}" has no effect here: what must be approved is decided by the session, and no agent file lifts it`,
      );
      return rights;
    case "plan":
    case "dontAsk":
      return readingOnly(rights, note, line, mode);
    default:
      note("warning", line, `"permissionMode: ${String(mode)}" is not known, so that it is taken as "plan"`);
      return readingOnly(rights, note, line, String(mode));
  }
};

const readingOnly = (rights: Rights, note: Note, line: number, mode: string): Rights => {
  const tools = rights.tools.includes("*") ? READING_TOOLS : rights.tools.filter((tool) => READING_TOOLS.includes(tool));
  const left = rights.tools.filter((tool) => tool !== "*" && !tools.includes(tool));
  note(
    "notice",
    line,
    `"permissionMode: ${mode}" is kept by tools that only read${left.length > 0 ? `; left out: ${left.join(", ")}` : ""}`,
  );
  return { ...rights, tools, writes: [], grant: "own" };
};
