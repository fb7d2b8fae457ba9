/**
 * Rules of Claude Code, as `Bash(git push:*)`, `Edit(src/**)` or `WebFetch(domain:example.com)` have them, as rules of ours. What cannot be said so is
 * taken as the whole tool where it forbids, and as nothing where it allows.
 */
import { homedir } from "node:os";
import type { Rule, RuleEffect } from "@retinue/protocol";
import { toSkillName } from "@retinue/protocol/names";
import { protectionOf } from "@retinue/runtime";
import { fromGitignoreRule } from "../path-glob.ts";
import { COMMAND_TOOLS } from "../tool-names.ts";
import type { ToolEntry } from "./tool-entries.ts";

type Condition = Pick<Rule, "path" | "like" | "host">;

/** Tools that read files one by one, or leave out what they may not read. */
const READERS = ["read", "ls", "glob", "grep"] as const;
/** Tools that look through many files at once. */
const LOOKERS = ["code_search", "overview", "plan_files", "docs_coverage"] as const;
const WRITERS = ["edit", "write"] as const;

/** The rules of an entry that forbids, or has asked: for the tools that it governs, and all of them where no part of them can be told. */
export const toHoldingRules = (
  { tool, rule, isPart = false }: ToolEntry,
  effect: Exclude<RuleEffect, "allow">,
): readonly Rule[] => {
  const conditions = rule === undefined ? undefined : toConditions(tool, rule, "hold");
  if (conditions === undefined) return [{ tools: [...governedBy(tool, isPart)], effect }];
  return conditions.map((condition) => ({ tools: [...governedBy(tool, true, condition)], ...condition, effect }));
};

/** The rules of an entry that allows. Undefined where no part of the tool can be told. */
export const toAllowingRules = ({ tool, rule }: ToolEntry, tools: readonly string[] = [tool]): readonly Rule[] | undefined => {
  if (rule === undefined) return [{ tools: [...tools], effect: "allow" }];
  const conditions = toConditions(tool, rule, "allow");
  // What leads out of the workspace allows nothing.
  return conditions?.map((condition) => ({ tools: [...tools], ...condition, effect: "allow" }));
};

/** Who may not run commands may not run tests or git either; a rule for edits governs all that writes, and one for reading all that reads. */
const governedBy = (tool: string, isPart: boolean, condition: Condition = {}): readonly string[] => {
  if (tool === "shell") return COMMAND_TOOLS;
  if (tool === "edit" || (isPart && tool === "write")) return WRITERS;
  if (!isPart) return [tool];
  if (tool === "web_fetch") return ["web_fetch", "browser_navigate"];
  if (!(READERS as readonly string[]).includes(tool)) return [tool];
  return isSecretAnyway(condition) ? READERS : [...READERS, ...LOOKERS];
};

/** Secrets are left out by all tools already. */
const isSecretAnyway = ({ path }: Condition): boolean =>
  path !== undefined && protectionOf(path.replaceAll("**/", "").replaceAll("*", "x"))?.read === "deny";

/** Undefined where the rule says nothing that we could hold to; none where it is about what is never touched. */
const toConditions = (tool: string, rule: string, use: "hold" | "allow"): readonly Condition[] | undefined => {
  if (tool === "shell") return [{ like: rule.replace(/:\*$/, " *") }];
  if (tool === "web_fetch") {
    const [, host] = /^domain:([\w.*-]+)$/.exec(rule) ?? [];
    if (host !== undefined) return [{ host }];
    // Where an address leads on to is not known before.
    return use === "hold" ? [{ like: rule }] : undefined;
  }
  if (tool === "load_skill") {
    const name = toSkillName(rule.replace(/(?::\*|\s.*)$/, "").replace(/^[^:]+:/, ""));
    return name === undefined ? undefined : [{ like: name }];
  }
  return [...READERS, ...WRITERS].some((name) => name === tool) ? toPathConditions(rule, use) : undefined;
};

/** As gitignore has it, a name is about all that lies below it, too. Nothing outside the workspace is ever allowed. */
const toPathConditions = (rule: string, use: "hold" | "allow"): readonly Condition[] | undefined => {
  const trimmed = rule.trim();
  const outside = /^~(?:\/|$)/.test(trimmed) ? trimmed.replace("~", () => homedir()) : trimmed.replace(/^\/(?=\/)/, "");
  if (outside !== trimmed) return use === "hold" ? [{ like: outside }] : [];
  if (/^\.\.(?:\/|$)/.test(trimmed)) return [];
  const glob = fromGitignoreRule(trimmed);
  if (glob === undefined) return undefined;
  const isFile = use === "allow" && /[*.][^/]*$/.test(glob);
  return [glob, ...(glob.endsWith("**") || isFile ? [] : [`${glob}/**`])].map((path) => ({ path }));
};
