/**
 * Hooks that are commands: each reads what happened as JSON on its standard input. Before a call, exit code 2 denies it with what was written to
 * standard error; JSON on standard output may hold `decision` (deny, ask), `reason` and `context`. Any other failure of a hook denies too: a check
 * that did not work has not passed.
 */
import { spawn } from "node:child_process";
import { digestCommandFiles } from "@retinue/confine/trust";
import type { RetinueEvent } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { BeforeVerdict, Hooks } from "@retinue/runtime";
import { matchesAny } from "@retinue/runtime";
import type { HookSettings } from "./settings/settings.ts";

const HOOK_MS = 10_000;
const MOST_OUTPUT = 64 * 1024;
const DENIED = 2;
/** What a hook is given of the environment. */
const PASSED = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR"];

export type CommandHooks = { readonly hooks: Hooks | undefined; readonly observer: ((event: RetinueEvent) => void) | undefined };

export const createCommandHooks = (
  settings: readonly HookSettings[],
  workspace: string,
  env: NodeJS.ProcessEnv,
): CommandHooks => {
  const of = (on: HookSettings["on"], tool?: string): readonly HookSettings[] =>
    settings.filter(
      (hook) => hook.on === on && (tool === undefined || hook.match === undefined || matchesAny([hook.match], tool)),
    );
  const digest = (hook: HookSettings): Promise<string> =>
    digestCommandFiles({ root: workspace, texts: [hook.command] }).then(JSON.stringify);
  /** What the commands would run when the session began: agents write in the same folder. */
  const begun = new Map(settings.map((hook) => [hook, digest(hook).catch(() => undefined)]));
  const run = async (hook: HookSettings, input: unknown, signal?: AbortSignal): Promise<BeforeVerdict> => {
    if ((await begun.get(hook)) !== (await digest(hook)))
      throw new RetinueError("tool_failed", `files that it runs were changed since the session began: ${hook.command}`);
    return runHook(hook, input, workspace, env, signal);
  };
  if (settings.length === 0) return { hooks: undefined, observer: undefined };
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
      for (const hook of of(on)) run(hook, event).catch(() => undefined);
    },
  };
};

const runHook = (
  hook: HookSettings,
  input: unknown,
  workspace: string,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<BeforeVerdict> =>
  new Promise((resolve, reject) => {
    const child = spawn(hook.command, {
      shell: true,
      cwd: workspace,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      env: Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    });
    let out = "";
    let err = "";
    child.stdout.on("data", (data: Buffer) => (out = (out + data.toString()).slice(0, MOST_OUTPUT)));
    child.stderr.on("data", (data: Buffer) => (err = (err + data.toString()).slice(0, MOST_OUTPUT)));
    // A hook that does not read is not at fault.
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(input));
    const end = (why: string): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended already.
      }
      reject(new RetinueError("tool_failed", why));
    };
    const timer = setTimeout(
      () => end(`it took longer than ${hook.timeoutMs ?? HOOK_MS} ms: ${hook.command}`),
      hook.timeoutMs ?? HOOK_MS,
    );
    const onAbort = (): void => end("the run was stopped");
    signal?.addEventListener("abort", onAbort, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    child.once("error", (error) => {
      settle();
      reject(error);
    });
    child.once("close", (code) => {
      settle();
      if (code === DENIED) resolve({ decision: "deny", reason: err.trim() || hook.command });
      else if (code === 0) resolve(readVerdict(out));
      else reject(new RetinueError("tool_failed", `${hook.command} ended with ${code}: ${err.trim().slice(0, 500)}`));
    });
  });

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
