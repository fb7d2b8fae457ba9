/**
 * Runs the command of a hook: JSON on its standard input, a small environment, and the sandbox with the rights of the workspace unless its entry waives that.
 * A hook whose files changed since the session began is not run: agents write in the same folder.
 */
import { realpath } from "node:fs/promises";
import type { Command, NetworkOptions, SandboxOpenings } from "@retinue/confine";
import { findNamedPlaces, runCommand, runConfined, toNamedWords } from "@retinue/confine";
import { digestCommandFiles } from "@retinue/confine/trust";
import { RetinueError } from "@retinue/protocol";
import type { ToolScope } from "@retinue/runtime";
import { isInside } from "@retinue/runtime";

const MOST_OUTPUT = 64 * 1024;
/** What a hook is given of the environment. */
const PASSED = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR"];

const WORKSPACE_RIGHTS: ToolScope = { writes: [], hosts: [], approve: "all" };

export type HookPlace = {
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;
  /** What the user has opened to sandboxes beside public hosts. */
  readonly network?: NetworkOptions;
  /** What else of the machine the user has opened to sandboxes. */
  readonly openings?: SandboxOpenings;
  /** Globs of protected paths that the user has set free. */
  readonly unprotected?: readonly string[];
  /** Files that something trusted runs; no hook writes them either. */
  readonly bound?: () => readonly string[];
};

export type HookCommand = {
  readonly command: string;
  readonly timeoutMs: number;
  /** False: it runs with all rights of the user. */
  readonly sandbox?: boolean | undefined;
  /** The command with paths from `root` on, where it takes that from a variable. */
  readonly spelledOut?: string;
  /** Folders that it needs besides those that it names by whole paths. */
  readonly readable?: readonly string[];
  /** Where the paths of its files begin; the workspace by default. */
  readonly root?: string;
  /** Variables that it is given besides. */
  readonly env?: Readonly<Record<string, string>>;
};

export type HookEnd = {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
  /** How it ended, in words. */
  readonly ended: string;
};

/** Throws where a hook could not be run to its end. */
export type RunHook<Hook> = (hook: Hook, input: unknown, signal?: AbortSignal) => Promise<HookEnd>;

export const createHookRunner = <Hook extends HookCommand>(hooks: readonly Hook[], place: HookPlace): RunHook<Hook> => {
  const digest = ({ command, spelledOut = command, root = place.workspace }: HookCommand): Promise<string> =>
    digestCommandFiles({ root, texts: [spelledOut] }).then(JSON.stringify);
  const begun = new Map(hooks.map((hook) => [hook, digest(hook).catch(() => undefined)]));
  return async (hook, input, signal = new AbortController().signal) => {
    if ((await begun.get(hook)) !== (await digest(hook)))
      throw new RetinueError("tool_failed", `files that it runs were changed since the session began: ${hook.command}`);
    return runHook(hook, input, place, signal);
  };
};

/** The workspace itself is seen anyway. */
const readableBy = async ({ command, readable = [] }: HookCommand, { workspace, env }: HookPlace): Promise<readonly string[]> => {
  const there = await Promise.all(readable.map((folder) => realpath(folder).catch(() => undefined)));
  return [
    ...(await findNamedPlaces(toNamedWords(command, env), env)),
    ...there.filter((folder) => folder !== undefined && !isInside(workspace, folder)),
  ].filter((folder) => folder !== undefined);
};

const runHook = async (hook: HookCommand, input: unknown, place: HookPlace, signal: AbortSignal): Promise<HookEnd> => {
  const { workspace, env, network, openings, unprotected, bound } = place;
  const { timeoutMs } = hook;
  let out = "";
  let err = "";
  const command: Command = {
    file: "/bin/sh",
    args: ["-c", hook.command],
    cwd: workspace,
    env: { ...Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))), ...hook.env },
    input: JSON.stringify(input),
    timeoutMs,
    signal,
    onOutput: (chunk) => (out = (out + chunk.toString("utf8")).slice(0, MOST_OUTPUT)),
    onError: (chunk) => (err = (err + chunk.toString("utf8")).slice(0, MOST_OUTPUT)),
  };
  const { end, refusals } =
    hook.sandbox === false
      ? { end: await runCommand(command), refusals: [] }
      : await runConfined({
          command,
          workspace,
          scope: WORKSPACE_RIGHTS,
          readable: await readableBy(hook, place),
          ...(network === undefined ? {} : { network }),
          ...(openings === undefined ? {} : { openings }),
          ...(unprotected === undefined ? {} : { unprotected }),
          ...(bound === undefined ? {} : { bound }),
        }).then(({ end: ended, confinement }) => ({ end: ended, refusals: confinement.refusals }));
  if (end.type === "aborted") throw new RetinueError("tool_failed", "the run was stopped");
  if (end.type === "timeout") throw new RetinueError("tool_failed", `it took longer than ${timeoutMs} ms: ${hook.command}`);
  const why = end.exceeded ?? err.trim().slice(0, 500);
  return {
    exitCode: end.exitCode,
    out,
    err: err.trim(),
    ended: `${hook.command} ended with ${end.exitCode ?? end.signal}: ${[why, ...refusals].join("; ")}`,
  };
};
