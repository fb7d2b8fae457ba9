/**
 * What an opencode agent may use, in our terms. Of its rules the last that matches holds, as opencode does it. Parts of what may be edited, read, run
 * or fetched become rules of the agent; a part that no rule of ours can be about is denied, never allowed.
 */
import { homedir } from "node:os";
import type { Rule } from "@retinue/protocol";
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
  const unnamed = settle(rules, NOBODY);
  const isOpen = unnamed.action !== "deny" && unnamed.parts.every(({ action }) => action !== "deny");
  const asked: readonly Rule[] = [
    ...(isOpen && (unnamed.action === "ask" || unnamed.parts.some(({ action }) => action === "ask"))
      ? [{ tools: ["*"], effect: "ask" as const }]
      : []),
    ...others.asked,
  ];
  const own = [...verdicts].flatMap(([permission, { isUsable: usable, kept }]): readonly Rule[] => {
    const tools = toolsOf(permission);
    if (!usable || (kept.length === 0 && asked.length === 0)) return [];
    return kept.length === 0 ? [{ tools, effect: "allow" }] : kept.map((rule) => ({ tools, ...rule }));
  });
  return {
    tools: isOpen ? ["*"] : [...ours, ...others.allowed],
    deniedTools: [...(isOpen || others.allowed.some(isGlob) ? oursDenied : []), ...others.denied],
    delegates: toDelegates(rules, note, isPrimary),
    ...(writes === undefined ? {} : { writes }),
    ...(asked.length + own.length === 0 ? {} : { rules: [...asked, ...own] }),
  };
};

const OUR_PERMISSIONS = new Set([...TOOL_TRAITS.values()].map(({ permission }) => permission));

const toolsOf = (permission: string): string[] =>
  [...TOOL_TRAITS].filter(([, traits]) => traits.permission === permission).map(([tool]) => tool);

/** A name that no rule is about. */
const NOBODY = "\0";

/** Permissions whose parts rules can be about: paths, commands, addresses and names. */
const IN_PARTS: ReadonlySet<string> = new Set(["edit", "read", "list", "bash", "webfetch", "skill"]);
const OF_PATHS: ReadonlySet<string> = new Set(["edit", "read", "list"]);

/** Permissions that govern no tool, and why they do not matter. */
const GUARDS: ReadonlyMap<string, string> = new Map([
  ["external_directory", "files outside the workspace are never touched"],
  ["doom_loop", "the same call three times over always ends a run"],
  ["lsp", "there are no language servers"],
]);

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

/** `kept`: what rules of ours are to say of its tools; none where all of it is allowed. */
type Verdict = {
  readonly isUsable: boolean;
  readonly kept: readonly Pick<Rule, "like" | "effect">[];
  readonly writes?: readonly string[];
};

const DENIED: Verdict = { isUsable: false, kept: [] };
const FREE: Verdict = { isUsable: true, kept: [] };

const judge = (rules: readonly OpencodeRule[], permission: string, note: Note): Verdict => {
  const { action, parts, line } = settle(rules, permission);
  if (action === "deny" && parts.every((rule) => rule.action === "deny")) return DENIED;
  if (action === "allow" && parts.every((rule) => rule.action === "allow")) return FREE;
  const asking = action === "ask" ? line : parts.find((rule) => rule.action === "ask")?.line;
  if (asking !== undefined) note("notice", asking, "what it wants asked about is put to a human in every approve mode");
  if (parts.length === 0) return { isUsable: true, kept: [{ effect: action }] };
  if (!IN_PARTS.has(permission)) return judgeWhole(permission, { action, parts, line }, note);
  const writes = permission === "edit" && action === "deny" ? toScope(parts, line, note) : undefined;
  return {
    isUsable: true,
    kept: [{ effect: action }, ...parts.map((rule) => ({ like: toLike(rule.pattern, permission), effect: rule.action }))],
    ...(writes === undefined ? {} : { writes }),
  };
};

/** What is asked about in part is asked about, and what is denied in part is denied. */
const judgeWhole = (permission: string, { action, parts, line }: Settled, note: Note): Verdict => {
  if (action !== "deny" && parts.every((rule) => rule.action !== "deny")) return { isUsable: true, kept: [{ effect: "ask" }] };
  note("warning", line, `"${permission}" is allowed in part only, which cannot be held to, so that it is denied`);
  return DENIED;
};

/** Paths of the user's home stand with it; all others from the root of the project on. */
const toLike = (pattern: string, permission: string): string => {
  if (!OF_PATHS.has(permission)) return pattern;
  const path = pattern.replace(/^\.\//, "");
  return /^(?:~|\$HOME)(?=\/|$)/.test(path) ? path.replace(/^(?:~|\$HOME)/, () => homedir()) : path;
};

/** Where nothing is taken away again from what may be written, commands are held to it, too. */
const toScope = (parts: readonly OpencodeRule[], line: number, note: Note): readonly string[] | undefined => {
  const first = parts.findIndex((rule) => rule.action !== "deny");
  const open = parts.slice(first);
  if (open.some((rule) => rule.action === "deny")) return undefined;
  const globs = open.map(({ pattern }) => fromOpencodePattern(pattern));
  if (!globs.every((glob) => glob !== undefined)) return undefined;
  note("notice", line, `all that it writes, by whatever tool, is held to ${globs.join(", ")}`);
  return globs;
};

/** Tools of MCP servers are `server_tool` there and `server.tool` here; where the server's name ends is not said. */
const toOurNames = (name: string): readonly string[] => [
  name,
  ...Array.from(name.matchAll(/_/g), ({ index }) => `${name.slice(0, index)}.${name.slice(index + 1)}`),
];

type Others = { readonly allowed: readonly string[]; readonly denied: readonly string[]; readonly asked: readonly Rule[] };

/** Tools that are not ours, such as those of MCP servers, by their names. */
const judgeOthers = (rules: readonly OpencodeRule[], note: Note): Others => {
  const allowed: string[] = [];
  const denied: string[] = [];
  const asked: Rule[] = [];
  const names = new Map(rules.map(({ permission, line }) => [permission, line]));
  for (const [name, line] of names) {
    const guard = GUARDS.get(name);
    if (guard !== undefined) note("notice", line, `"${name}" has no effect here: ${guard}`);
    if (guard !== undefined || name === "*" || name === "task" || OUR_PERMISSIONS.has(name)) continue;
    // A glob is judged by its own rules and those for everything; what others take away from it they deny by themselves.
    const about = isGlob(name) ? rules.filter(({ permission }) => permission === name || permission === "*") : rules;
    const { isUsable, kept } = judge(about, name, note);
    const tools = toOurNames(name).filter(isToolPattern);
    if (tools.includes(name)) {
      (isUsable ? allowed : denied).push(...tools);
      if (isUsable && kept.some(({ effect }) => effect === "ask")) asked.push({ tools: [...tools], effect: "ask" });
    } else if (isGlob(name)) note("error", line, `"${name}" is no glob that we take, so that what it says cannot be kept`);
    else note("warning", line, `${JSON.stringify(name)} is no name of a tool; there is none to allow or deny`);
  }
  return { allowed, denied, asked };
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
