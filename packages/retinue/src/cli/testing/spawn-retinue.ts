/** Runs the real command as a process of its own, in a folder and a home of its own, and tells everything about how it ended. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const BIN = fileURLToPath(new URL("../../../bin/retinue.mjs", import.meta.url));

export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Running = {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** Settles once this stands in the output so far; fails where the process ends without it. */
  readonly said: (stream: "stdout" | "stderr", text: string) => Promise<void>;
};

export type SpawnOptions = {
  /** Nothing by default: the end of input at once. */
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input stays open. */
  readonly keepInput?: boolean;
  /** A command that runs it, as `nice` would. */
  readonly by?: readonly string[];
};

export type Project = {
  readonly workspace: string;
  readonly home: string;
  readonly start: (words: readonly string[], options?: SpawnOptions) => Running;
  readonly run: (words: readonly string[], options?: SpawnOptions) => Promise<Ended>;
  readonly remove: () => Promise<void>;
};

/** Shared by all, since every home is new and would begin without. */
const COMPILED = fileURLToPath(new URL("../../../../../node_modules/.cache/retinue-tests", import.meta.url));

/** The browser that npm brings is unpacked there, once. */
export const CACHE = fileURLToPath(new URL("../../../../../node_modules/.cache", import.meta.url));

/** Runs a command as on a machine that has no sandbox, with a file that is no program in its place; nothing where this is one. */
export const WITHOUT_SANDBOX: readonly string[] = existsSync("/usr/bin/bwrap")
  ? ["/usr/bin/bwrap", "--dev-bind", "/", "/", "--ro-bind", fileURLToPath(import.meta.url), "/usr/bin/bwrap", "--"]
  : [];

/** Nothing of the user's but the way to programs. */
export const toEnvironment = (home: string): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  RETINUE_HOME: home,
  RETINUE_TEST: "1",
  NODE_COMPILE_CACHE: COMPILED,
  XDG_CACHE_HOME: CACHE,
});

/** A folder with these settings, far from the user's own. */
export const createProject = async (settings?: string): Promise<Project> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "retinue-cli-")));
  const workspace = join(root, "project");
  const home = join(root, "home");
  await mkdir(workspace);
  await mkdir(home);
  if (settings !== undefined) await writeFile(join(workspace, "retinue.yaml"), settings);

  const start = (words: readonly string[], options: SpawnOptions = {}): Running => {
    const [file = process.execPath, ...args] = [...(options.by ?? []), process.execPath, BIN, ...words];
    const child = spawn(file, args, {
      cwd: workspace,
      env: { ...toEnvironment(home), ...options.env },
    });
    const output = { stdout: "", stderr: "" };
    const waiting = new Set<() => void>();
    let isOver = false;
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        output[name] += text;
        for (const check of waiting) check();
      });
    child.stdin.on("error", () => undefined);
    if (options.input !== undefined) child.stdin.write(options.input);
    if (options.keepInput !== true) child.stdin.end();
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => {
        isOver = true;
        resolve({ code, signal, ...output });
        for (const check of waiting) check();
      });
    });
    return {
      child,
      ended,
      said: (stream, text) =>
        new Promise((resolve, reject) => {
          const check = (): void => {
            const isThere = output[stream].includes(text);
            if (!isThere && !isOver) return;
            waiting.delete(check);
            if (isThere) resolve();
            else reject(new Error(`ended without ${JSON.stringify(text)} in ${stream}: ${JSON.stringify(output)}`));
          };
          waiting.add(check);
          check();
        }),
    };
  };

  return {
    workspace,
    home,
    start,
    run: (words, options) => start(words, options).ended,
    remove: () => rm(root, { recursive: true, force: true }),
  };
};
