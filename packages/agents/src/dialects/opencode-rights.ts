/**
 * What an opencode agent may use, in our terms. Of its rules the last that matches holds, as opencode does it; what our terms cannot hold
 * to is denied, never allowed.
 */
import { toAgentPattern } from "../agent-name.ts";
import { isGlob, matchesGlob } from "@retinue/protocol/names";
import { fromOpencodePattern } from "../path-glob.ts";
import type { Note } from "../problem.ts";
import { isToolPattern, TOOL_TRAITS } from "../tool-names.ts";
import type { OpencodeRule, RuleAction } from "./opencode-rules.ts";
import type { Rights } from "./rights.ts";

export const toOpencodeRights = (rules: readonly OpencodeRule[], note: Note, isPrimary: boolean): Rights => {
  const noteOnce = once(note);
  const verdicts = new Map([...OUR_PERMISSIONS].map((permission) => [permission, judge(rules, permission, noteOnce)]));
  const isUsable = ({ permission }: { readonly permission: string }): boolean => verdicts.get(permission)?.isUsable ?? false;
  const ours = [...TOOL_TRAITS].filter(([, traits]) => isUsable(traits)).map(([tool]) => tool);
  const oursDenied = [...TOOL_TRAITS].filter(([, traits]) => !isUsable(traits)).map(([tool]) => tool);
  const others = judgeOthers(rules, noteOnce);
  const writes = verdicts.get("edit")?.writes;
  // What no rule names is as the rules for everything have it.
  const isOpen = judge(rules, NOBODY, silent).isUsable;
  return {
    tools: isOpen ? ["*"] : [...ours, ...others.allowed],
    deniedTools: [...(isOpen || others.allowed.some(isGlob) ? oursDenied : []), ...others.denied],
    delegates: toDelegates(rules, note, isPrimary),
    ...(writes === undefined ? {} : { writes }),
  };
};

const OUR_PERMISSIONS = new Set([...TOOL_TRAITS.values()].map(({ permission }) => permission));

/** A name that no rule is about. */
const NOBODY = "\0";

/** Permissions that govern no tool, and why they do not matter. */
const GUARDS: ReadonlyMap<string, string> = new Map([
  ["external_directory", "files outside the workspace are never touched"],
  ["doom_loop", "the same call three times over always ends a run"],
  ["lsp", "there are no language servers"],
]);

const silent: Note = () => {};

const once = (note: Note): Note => {
  const said = new Set<string>();
  return (severity, line, message) => {
    if (!said.has(message)) note(severity, line, message);
    said.add(message);
  };
};

type Settled = {
  readonly action: RuleAction;
  /** Rules for parts of what the permission is about that come after the last one for all of it. */
  readonly parts: readonly OpencodeRule[];
  readonly line: number;
};

const settle = (rules: readonly OpencodeRule[], permission: string): Settled => {
  const about = rules.filter((rule) => matchesGlob(rule.permission, permission));
  const last = about.findLastIndex(({ pattern }) => pattern === "*");
  const parts = about.slice(last + 1);
  return { action: about[last]?.action ?? "allow", parts, line: about[last]?.line ?? parts[0]?.line ?? 1 };
};

type Verdict = { readonly isUsable: boolean; readonly writes?: readonly string[] };

const DENIED: Verdict = { isUsable: false };

const judge = (rules: readonly OpencodeRule[], permission: string, note: Note): Verdict => {
  const { action, parts, line } = settle(rules, permission);
  const firstAllowed = parts.findIndex((rule) => rule.action !== "deny");
  if (action === "deny") {
    if (firstAllowed === -1) return DENIED;
    const isCut = parts.slice(firstAllowed).some((rule) => rule.action === "deny");
    const writes = permission === "edit" && !isCut ? toWrites(parts.slice(firstAllowed), note) : [];
    if (writes.length === 0) return notHeldTo(permission, line, note);
    note("notice", line, `all that it writes, by whatever tool, is held to ${writes.join(", ")}`);
    return { isUsable: true, writes };
  }
  if (parts.some((rule) => rule.action === "deny")) return notHeldTo(permission, line, note);
  const asked = action === "ask" ? line : parts.find((rule) => rule.action === "ask")?.line;
  if (asked !== undefined)
    note("notice", asked, "what is asked about is decided by the session's approvals; no agent file lifts or adds to them");
  return { isUsable: true };
};

const notHeldTo = (permission: string, line: number, note: Note): Verdict => {
  note("warning", line, `"${permission}" is allowed in part only, which cannot be held to, so that it is denied`);
  return DENIED;
};

const toWrites = (rules: readonly OpencodeRule[], note: Note): readonly string[] =>
  rules.flatMap(({ pattern, line }) => {
    const glob = fromOpencodePattern(pattern);
    if (glob === undefined)
      note("warning", line, `"${pattern}" leads out of the workspace or is no glob that we take; it is left out`);
    return glob ?? [];
  });

/** Tools that are not ours, such as those of MCP servers, by their names. */
const judgeOthers = (
  rules: readonly OpencodeRule[],
  note: Note,
): { readonly allowed: readonly string[]; readonly denied: readonly string[] } => {
  const allowed: string[] = [];
  const denied: string[] = [];
  const names = new Map(rules.map(({ permission, line }) => [permission, line]));
  for (const [name, line] of names) {
    const guard = GUARDS.get(name);
    if (guard !== undefined) note("notice", line, `"${name}" has no effect here: ${guard}`);
    if (guard !== undefined || name === "*" || name === "task" || OUR_PERMISSIONS.has(name)) continue;
    // A glob is judged by its own rules and those for everything; what others take away from it they deny by themselves.
    const about = isGlob(name) ? rules.filter(({ permission }) => permission === name || permission === "*") : rules;
    const { isUsable } = judge(about, name, note);
    if (isToolPattern(name)) (isUsable ? allowed : denied).push(name);
    else if (isGlob(name)) note("error", line, `"${name}" is no glob that we take, so that what it says cannot be kept`);
    else note("warning", line, `${JSON.stringify(name)} is no name of a tool; there is none to allow or deny`);
  }
  return { allowed, denied };
};

/**
 * Whom it may start, in the order of the rules. Where no rule says so, only a primary agent may start others; a rule for everything that
 * allows does not change that.
 */
const toDelegates = (rules: readonly OpencodeRule[], note: Note, isPrimary: boolean): readonly string[] =>
  rules
    .filter(
      ({ permission, action }) => matchesGlob(permission, "task") && (permission !== "*" || action !== "allow" || isPrimary),
    )
    .reduce<readonly string[]>(
      (patterns, { pattern, action, line }) => {
        const name = toAgentPattern(pattern);
        if (name === undefined) {
          note(action === "allow" ? "warning" : "error", line, `${JSON.stringify(pattern)} is no name of an agent`);
          return patterns;
        }
        if (action === "ask")
          note(
            "warning",
            line,
            `nobody is asked before an agent is started, so that it may not start ${name === "*" ? "any" : `"${name}"`}`,
          );
        if (name === "*") return action === "allow" ? ["*"] : [];
        return [...patterns, action === "allow" ? name : `!${name}`];
      },
      isPrimary ? ["*"] : [],
    );
