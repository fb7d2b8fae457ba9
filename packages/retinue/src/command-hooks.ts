/**
 * Hooks that are commands: each reads what happened as JSON on its standard input. Before a call, exit code 2 denies it with what was written to
 * standard error; JSON on standard output may hold `decision` (deny, ask), `reason` and `context`. Any other failure of a hook denies too: a check
 * that did not work has not passed. A hook runs in the sandbox with the rights of the workspace, unless its entry waives that: agents can write
 * the scripts that it runs.
 */
import type { Command, NetworkOptions } from "@retinue/confine";
import { findNamedPlaces, runCommand, runConfined, toNamedWords } from "@retinue/confine";
import { digestCommandFiles } from "@retinue/confine/trust";
import type { RetinueEvent } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { BeforeVerdict, Hooks, ToolScope } from "@retinue/runtime";
import { matchesAny } from "@retinue/protocol/names";
import type { HookSettings } from "./settings/settings.ts";

const HOOK_MS = 10_000;
const MOST_OUTPUT = 64 * 1024;
const DENIED = 2;
/** What a hook is given of the environment. */
const PASSED = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR"];

const WORKSPACE_RIGHTS: ToolScope = { writes: [], hosts: [], approve: "all" };

export type HookPlace = {
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;
  /** What the user has opened to sandboxes beside public hosts. */
  readonly network?: NetworkOptions;
  /** Globs of protected paths that the user has set free. */
  readonly unprotected?: readonly string[];
  /** Files that something trusted runs; no hook writes them either. */
  readonly bound?: () => readonly string[];
};

export type CommandHooks = {
  readonly hooks: Hooks | undefined;
  readonly observer: ((event: RetinueEvent) => void) | undefined;
  /** Waits for the commands that only hear of what happened. */
  readonly settled: () => Promise<void>;
};

export const createCommandHooks = (settings: readonly HookSettings[], place: HookPlace): CommandHooks => {
  const of = (on: HookSettings["on"], tool?: string): readonly HookSettings[] =>
    settings.filter(
      (hook) => hook.on === on && (tool === undefined || hook.match === undefined || matchesAny([hook.match], tool)),
    );
  const digest = (hook: HookSettings): Promise<string> =>
    digestCommandFiles({ root: place.workspace, texts: [hook.command] }).then(JSON.stringify);
  /** What the commands would run when the session began: agents write in the same folder. */
  const begun = new Map(settings.map((hook) => [hook, digest(hook).catch(() => undefined)]));
  const run = async (hook: HookSettings, input: unknown, signal?: AbortSignal): Promise<BeforeVerdict> => {
    if ((await begun.get(hook)) !== (await digest(hook)))
      throw new RetinueError("tool_failed", `files that it runs were changed since the session began: ${hook.command}`);
    return runHook(hook, input, place, signal);
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

const runHook = async (
  hook: HookSettings,
  input: unknown,
  { workspace, env, network, unprotected, bound }: HookPlace,
  signal: AbortSignal = new AbortController().signal,
): Promise<BeforeVerdict> => {
  const timeoutMs = hook.timeoutMs ?? HOOK_MS;
  let out = "";
  let err = "";
  const command: Command = {
    file: "/bin/sh",
    args: ["-c", hook.command],
    cwd: workspace,
    env: Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    input: JSON.stringify(input),
    timeoutMs,
    signal,
    onOutput: (chunk) => (out = (out + chunk.toString("utf8")).slice(0, MOST_OUTPUT)),
    onError: (chunk) => (err = (err + chunk.toString("utf8")).slice(0, MOST_OUTPUT)),
  };
  const end =
    hook.sandbox === false
      ? await runCommand(command)
      : (
          await runConfined({
            command,
            workspace,
            scope: WORKSPACE_RIGHTS,
            readable: await findNamedPlaces(toNamedWords(hook.command, env), env),
            ...(network === undefined ? {} : { network }),
            ...(unprotected === undefined ? {} : { unprotected }),
            ...(bound === undefined ? {} : { bound }),
          })
        ).end;
  if (end.type === "aborted") throw new RetinueError("tool_failed", "the run was stopped");
  if (end.type === "timeout") throw new RetinueError("tool_failed", `it took longer than ${timeoutMs} ms: ${hook.command}`);
  if (end.exitCode === DENIED) return { decision: "deny", reason: err.trim() || hook.command };
  if (end.exitCode === 0) return readVerdict(out);
  const why = end.exceeded ?? err.trim().slice(0, 500);
  throw new RetinueError("tool_failed", `${hook.command} ended with ${end.exitCode ?? end.signal}: ${why}`);
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
