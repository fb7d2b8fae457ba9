/**
 * Hooks that are commands: each reads what happened as JSON on its standard input. Before a call, exit code 2 denies it with what was written to
 * standard error; JSON on standard output may hold `decision` (deny, ask), `reason` and `context`. Any other failure of a hook denies too: a check
 * that did not work has not passed. A hook runs in the sandbox with the rights of the workspace, unless its entry waives that: agents can write
 * the scripts that it runs.
 */
import type { RetinueEvent } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { BeforeVerdict, Hooks } from "@retinue/runtime";
import { namesTool } from "@retinue/runtime";
import type { HookSettings } from "../settings/settings.ts";
import type { HookEnd, HookPlace } from "./hook-process.ts";
import { createHookRunner } from "./hook-process.ts";

const HOOK_MS = 10_000;
const DENIED = 2;

export type CommandHooks = {
  readonly hooks: Hooks | undefined;
  readonly observer: ((event: RetinueEvent) => void) | undefined;
  /** Waits for the commands that only hear of what happened. */
  readonly settled: () => Promise<void>;
};

export const createCommandHooks = (settings: readonly HookSettings[], place: HookPlace): CommandHooks => {
  const of = (on: HookSettings["on"], tool?: string): readonly HookSettings[] =>
    settings.filter(
      (hook) => hook.on === on && (tool === undefined || hook.match === undefined || namesTool([hook.match], tool)),
    );
  const commands = new Map(settings.map((hook) => [hook, { ...hook, timeoutMs: hook.timeoutMs ?? HOOK_MS }]));
  const runHook = createHookRunner([...commands.values()], place);
  const run = async (hook: HookSettings, input: unknown, signal?: AbortSignal): Promise<BeforeVerdict> => {
    const command = commands.get(hook);
    return command ? toVerdict(await runHook(command, input, signal), hook) : {};
  };
  const hearing = new Set<Promise<unknown>>();
  if (settings.length === 0) return { hooks: undefined, observer: undefined, settled: async () => undefined };
  return {
    hooks: {
      before: async (call, signal) => {
        let verdict: BeforeVerdict = {};
        for (const hook of of("tool.before", call.tool)) {
          const next = await run(hook, { event: "tool.before", ...call }, signal);
          if (next.decision === "deny") return next;
          const context = [verdict.context, next.context].filter((text) => text !== undefined).join("\n");
          verdict = { ...verdict, ...next, ...(context === "" ? {} : { context }) };
        }
        return verdict;
      },
      after: async (call, answer, signal) => {
        const said: string[] = [];
        for (const hook of of("tool.after", call.tool)) {
          const { context } = await run(hook, { event: "tool.after", ...call, ...answer }, signal);
          if (context !== undefined) said.push(context);
        }
        return said.length === 0 ? undefined : { context: said.join("\n") };
      },
    },
    observer: (event) => {
      const on = event.type === "approval.requested" ? "approval.asked" : event.type;
      if (on !== "run.started" && on !== "run.settled" && on !== "approval.asked") return;
      // These only hear of it; what becomes of them changes nothing.
      for (const hook of of(on)) {
        const heard = run(hook, event)
          .catch(() => undefined)
          .finally(() => hearing.delete(heard));
        hearing.add(heard);
      }
    },
    settled: async () => void (await Promise.allSettled(hearing)),
  };
};

const toVerdict = ({ exitCode, out, err, ended }: HookEnd, { command }: HookSettings): BeforeVerdict => {
  if (exitCode === DENIED) return { decision: "deny", reason: err || command };
  if (exitCode === 0) return readVerdict(out);
  throw new RetinueError("tool_failed", ended);
};

/** Text that is no JSON is context. */
const readVerdict = (out: string): BeforeVerdict => {
  const text = out.trim();
  if (text === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { context: text };
  }
  if (typeof value !== "object" || value === null) return { context: text };
  const { decision, reason, context } = value as Record<string, unknown>;
  return {
    ...(decision === "deny" || decision === "ask" ? { decision } : {}),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof context === "string" ? { context } : {}),
  };
};
