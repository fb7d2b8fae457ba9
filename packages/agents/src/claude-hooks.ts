/** Reads `hooks` of Claude Code's settings: commands that are run at moments which runs have here, too. What has no such moment is told. */
import { isJsonFields } from "./jsonc.ts";
import type { Note } from "./problem.ts";

/** The moments that runs have here. */
export const CLAUDE_HOOK_EVENTS = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop"] as const;

export type ClaudeHookEvent = (typeof CLAUDE_HOOK_EVENTS)[number];

export type ClaudeHook = {
  readonly event: ClaudeHookEvent;
  /** Of the tool's name in Claude Code, or of the agent's for `SubagentStop`; absent: every one. */
  readonly matcher?: string;
  readonly command: string;
  readonly timeoutMs?: number;
};

const MOST_HOOKS = 200;
const LONGEST_MS = 600_000;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

/** Those that cannot be read are noted and left out: as in Claude Code, what is no hook holds nothing up. */
export const readClaudeHooks = (value: unknown, lineOf: (word: string) => number, note: Note): readonly ClaudeHook[] => {
  if (value === undefined) return [];
  if (!isJsonFields(value)) {
    note("error", lineOf("hooks"), `"hooks" is no object; no hook of it is run`);
    return [];
  }
  const hooks = Object.entries(value).flatMap(([name, groups]) => {
    const event = CLAUDE_HOOK_EVENTS.find((one) => one === name);
    if (event) return listOf(groups).flatMap((group) => readGroup(event, group, { line: lineOf(name), note }));
    note("notice", lineOf(name), `"hooks.${name}" has no effect here: hooks are run for ${CLAUDE_HOOK_EVENTS.join(", ")}`);
    return [];
  });
  if (hooks.length > MOST_HOOKS) note("error", lineOf("hooks"), `it has ${hooks.length} hooks; the first ${MOST_HOOKS} are run`);
  return hooks.slice(0, MOST_HOOKS);
};

type Told = { readonly line: number; readonly note: Note };

const readGroup = (event: ClaudeHookEvent, group: unknown, { line, note }: Told): readonly ClaudeHook[] => {
  if (!isJsonFields(group) || !Array.isArray(group["hooks"])) {
    note("error", line, `an entry of "hooks.${event}" has no list "hooks"; it is not run`);
    return [];
  }
  const matcher = group["matcher"];
  if (matcher !== undefined && (typeof matcher !== "string" || !isPattern(matcher)))
    note(
      "error",
      line,
      `the matcher ${JSON.stringify(matcher)} of "hooks.${event}" is no pattern; its hooks are run for every tool`,
    );
  const usable = typeof matcher === "string" && !/^\**$/.test(matcher.trim()) && isPattern(matcher) ? matcher.trim() : undefined;
  return listOf(group["hooks"]).flatMap((hook) => readHook(event, usable, hook, { line, note }));
};

const isPattern = (matcher: string): boolean => {
  try {
    return matcher.length <= 1_000 && new RegExp(matcher === "*" ? "" : matcher) instanceof RegExp;
  } catch {
    return false;
  }
};

const readHook = (
  event: ClaudeHookEvent,
  matcher: string | undefined,
  hook: unknown,
  { line, note }: Told,
): readonly ClaudeHook[] => {
  const { type = "command", command, timeout, async: isAsync } = isJsonFields(hook) ? hook : {};
  if (type !== "command" && typeof type === "string") {
    note(
      "warning",
      line,
      `a hook of the type "${type}" in "hooks.${event}" is not run here: only commands are; what it would check is not checked`,
    );
    return [];
  }
  if (typeof command !== "string" || command.trim() === "") {
    note("error", line, `a hook in "hooks.${event}" has no "command"; it is not run`);
    return [];
  }
  if (isAsync === true) note("notice", line, `"async" of a hook in "hooks.${event}" has no effect here: it is waited for`);
  const timeoutMs = typeof timeout === "number" && timeout > 0 ? Math.min(LONGEST_MS, Math.ceil(timeout * 1_000)) : undefined;
  return [
    {
      event,
      ...(matcher === undefined ? {} : { matcher }),
      command,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    },
  ];
};

/**
 * Whether a matcher means one of these names. Letters, digits, `_`, `-`, spaces, commas and `|` alone are names that must be the same; all else is a regular
 * expression.
 */
export const matchesClaude = (matcher: string | undefined, names: readonly string[]): boolean => {
  if (matcher === undefined) return true;
  if (/^[\w\s,|-]*$/.test(matcher)) {
    const wanted = matcher.split(/[|,]/).map((name) => name.trim());
    return names.some((name) => wanted.includes(name));
  }
  const pattern = new RegExp(matcher);
  return names.some((name) => pattern.test(name));
};
