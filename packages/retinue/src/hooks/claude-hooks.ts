/**
 * Hooks of Claude Code's settings at the moments that runs have here: before and after calls, when something is asked of the main agent, and when an agent would
 * end. They read JSON with the fields that they know from there and run in the sandbox like any hook. They deny, have asked, add or send back to work, and never
 * allow. Before a call and for what is asked, a hook that could not be run denies; an exit code that is neither 0 nor 2 does not, as its author meant.
 */
import path from "node:path";
import type { ClaudeHook, ClaudeHookEvent } from "@retinue/agents";
import { matchesClaude } from "@retinue/agents";
import type { GuardedInput, Guardrail, JsonObject, RunIdentity } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { BeforeVerdict, HookedCall, Hooks } from "@retinue/runtime";
import { toHookText } from "@retinue/runtime";
import type { ClaudeCall } from "./claude-calls.ts";
import { toClaudeCalls } from "./claude-calls.ts";
import type { ClaudeAnswer } from "./claude-answer.ts";
import { readClaudeAnswer } from "./claude-answer.ts";
import type { HookPlace } from "./hook-process.ts";
import { createHookRunner } from "./hook-process.ts";
import { spellOut } from "./spell-out.ts";

const HOOK_MS = 60_000;

export type ClaudeHooks = {
  readonly hooks: Hooks | undefined;
  /** Asked about what people say to the main agent. */
  readonly guardrail: Guardrail<GuardedInput> | undefined;
  /** What hooks add to a task before it begins a run; the same task is then not asked about twice. */
  readonly addTo: (text: string, sessionId: string) => Promise<string | undefined>;
};

export type ClaudeHookPlace = HookPlace & {
  /** The root of the project, which commands know as `CLAUDE_PROJECT_DIR`. */
  readonly root: string;
  /** Whether a tool is an agent. */
  readonly isAgent: (tool: string) => boolean;
};

type Command = ClaudeHook & {
  readonly timeoutMs: number;
  readonly spelledOut: string;
  readonly readable: readonly string[];
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
};

export const createClaudeHooks = (given: readonly ClaudeHook[], place: ClaudeHookPlace): ClaudeHooks => {
  const { root, workspace, isAgent } = place;
  const all = given.map((hook): Command => ({
    timeoutMs: HOOK_MS,
    ...hook,
    spelledOut: spellOut(hook.command),
    readable: [path.join(root, ".claude")],
    root,
    env: { CLAUDE_PROJECT_DIR: root },
  }));
  const run = createHookRunner(all, place);
  const of = (event: ClaudeHookEvent, names: readonly string[] = []): readonly Command[] =>
    all.filter((hook) => hook.event === event && (names.length === 0 || matchesClaude(hook.matcher, names)));

  /** Throws where the hook could not be run. */
  const ask = async (hook: Command, about: JsonObject, signal?: AbortSignal): Promise<ClaudeAnswer> =>
    readClaudeAnswer(hook.event, await run(hook, { hook_event_name: hook.event, ...about }, signal));

  const before = async (call: HookedCall, signal: AbortSignal): Promise<BeforeVerdict> => {
    const contexts: string[] = [];
    let asked: BeforeVerdict | undefined;
    for (const one of toClaudeCalls(call, isAgent))
      for (const hook of of("PreToolUse", namesOf(one))) {
        const answer = await ask(
          hook,
          { ...about(call.run, call.workspace), ...toFields(one), tool_use_id: call.callId },
          signal,
        );
        if (answer.decision === "deny") return { decision: "deny", reason: answer.reason ?? hook.command };
        if (answer.decision === "ask")
          asked ??= { decision: "ask", ...(answer.reason === undefined ? {} : { reason: answer.reason }) };
        if (answer.context !== undefined) contexts.push(answer.context);
      }
    return { ...asked, ...(contexts.length === 0 ? {} : { context: contexts.join("\n") }) };
  };

  const after: Hooks["after"] = async (call, { outcome, text }, signal) => {
    if (outcome !== "ok") return undefined;
    const contexts: string[] = [];
    for (const one of toClaudeCalls(call, isAgent))
      for (const hook of of("PostToolUse", namesOf(one))) {
        const tool_response = { success: true, output: text, ...(one.tool_name === "Bash" ? { stdout: text, stderr: "" } : {}) };
        const fields = { ...about(call.run, call.workspace), ...toFields(one), tool_response, tool_use_id: call.callId };
        const { decision, reason, context } = await ask(hook, fields, signal).catch((thrown: unknown): ClaudeAnswer => ({
          context: toWords(thrown),
        }));
        if (decision === "deny" && reason !== undefined) contexts.push(reason);
        if (context !== undefined) contexts.push(context);
      }
    return contexts.length === 0 ? undefined : { context: contexts.join("\n") };
  };

  /** A hook that fails does not keep a run at work. */
  const end: Hooks["end"] = async ({ run: identity, workspace: at, text, isAgain }, signal) => {
    const isMain = identity.depth === 0;
    for (const hook of isMain ? of("Stop") : of("SubagentStop", [identity.agent])) {
      const fields = {
        ...about(identity, at),
        stop_hook_active: isAgain,
        last_assistant_message: text,
        ...(isMain ? {} : { agent_id: identity.runId, agent_type: identity.agent }),
      };
      const { decision, reason } = await ask(hook, fields, signal).catch((): ClaudeAnswer => ({}));
      if (decision === "deny") return reason ?? hook.command;
    }
    return undefined;
  };

  const submit = async (prompt: string, sessionId: string, at: string, signal?: AbortSignal): Promise<ClaudeAnswer> => {
    const contexts: string[] = [];
    for (const hook of of("UserPromptSubmit")) {
      const fields = { session_id: sessionId, transcript_path: "", cwd: at, prompt };
      const answer = await ask(hook, fields, signal).catch((thrown: unknown): ClaudeAnswer => ({
        decision: "deny",
        reason: toWords(thrown),
      }));
      if (answer.decision === "deny") return { decision: "deny", reason: answer.reason ?? hook.command };
      if (answer.context !== undefined) contexts.push(answer.context);
    }
    return contexts.length === 0 ? {} : { context: contexts.join("\n") };
  };
  const submitted = new Map<string, ClaudeAnswer>();
  const has = (event: ClaudeHookEvent): boolean => all.some((hook) => hook.event === event);
  const hooks: Hooks = {
    ...(has("PreToolUse") ? { before } : {}),
    ...(has("PostToolUse") ? { after } : {}),
    ...(has("Stop") || has("SubagentStop") ? { end } : {}),
  };
  return {
    hooks: Object.keys(hooks).length === 0 ? undefined : hooks,
    guardrail: has("UserPromptSubmit")
      ? async function UserPromptSubmit({ text, run: { sessionId } }, signal) {
          const known = submitted.get(sessionId + text);
          submitted.delete(sessionId + text);
          const { decision, reason = "it gave no reason" } = known ?? (await submit(text, sessionId, workspace, signal));
          return decision === "deny" ? { refuse: reason } : undefined;
        }
      : undefined,
    addTo: async (text, sessionId) => {
      if (!has("UserPromptSubmit")) return undefined;
      const answer = await submit(text, sessionId, workspace);
      const added = answer.context === undefined ? undefined : toHookText(answer.context);
      submitted.set(sessionId + (added === undefined ? text : `${text}\n${added}`), answer);
      return added;
    },
  };
};

const about = ({ sessionId }: RunIdentity, cwd: string): JsonObject => ({ session_id: sessionId, transcript_path: "", cwd });

const namesOf = ({ tool_name, aliases = [] }: ClaudeCall): readonly string[] => [tool_name, ...aliases];

const toFields = ({ tool_name, tool_input }: ClaudeCall): JsonObject => ({ tool_name, tool_input });

const toWords = (thrown: unknown): string =>
  thrown instanceof RetinueError || thrown instanceof Error ? `a hook failed: ${thrown.message}` : "a hook failed";
