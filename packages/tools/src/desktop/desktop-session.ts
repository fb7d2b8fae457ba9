/**
 * The screen of one session: an X display of the machine, or one of its own that Xvfb makes and that ends with the session, with the programs that were started
 * on it. Acts come one after the other.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { RetinueError } from "@retinue/protocol";
import { createMask } from "../browser/mask-secrets.ts";
import type { SecretValues } from "../fill-secrets.ts";
import type { DesktopPrograms } from "./desktop-programs.ts";
import { findDesktopPrograms, findXvfb } from "./desktop-programs.ts";
import { runProgram } from "./run-program.ts";
import { pixelsOf } from "./png-pixels.ts";

export type DesktopSessionOptions = {
  /** An X display that there is, like `:0`. */
  readonly display?: string | undefined;
  /** A screen of its own, of this size. */
  readonly ownScreen?: { readonly width: number; readonly height: number } | undefined;
  /** Programs that are started on it, with their arguments. */
  readonly programs?: readonly (readonly string[])[] | undefined;
  /** The folder that they are started in. */
  readonly cwd?: string | undefined;
  /** What `{{secret:NAME}}` may stand for, beside the workspace's own. */
  readonly secrets?: SecretValues | undefined;
};

const START_MS = 10_000;
const STILL_MS = 1_500;
const LOOK_MS = 120;

type Parts = {
  readonly display: string;
  readonly env: NodeJS.ProcessEnv;
  readonly programs: DesktopPrograms;
  readonly children: ChildProcess[];
  readonly secrets: SecretValues;
};

export class DesktopSession {
  readonly display: string;
  /** What `{{secret:NAME}}` may stand for on this screen alone. */
  readonly secrets: SecretValues;
  /** Takes them out of what is told of the screen; pictures show what is shown. */
  readonly mask: (text: string) => string;
  readonly #programs: DesktopPrograms;
  readonly #env: NodeJS.ProcessEnv;
  readonly #children: ChildProcess[];
  #turn: Promise<unknown> = Promise.resolve();

  private constructor({ display, env, programs, children, secrets }: Parts) {
    this.display = display;
    this.secrets = secrets;
    const references = new Map([...secrets].map(([name, value]) => [value, `{{secret:${name}}}`]));
    this.mask = createMask(() => references);
    this.#env = { ...toEnvironment(env), DISPLAY: display };
    this.#programs = programs;
    this.#children = children;
  }

  static async open(
    { display, ownScreen, programs = [], cwd, secrets = new Map() }: DesktopSessionOptions,
    env: NodeJS.ProcessEnv,
  ): Promise<DesktopSession> {
    const found = findDesktopPrograms(env);
    const own = ownScreen ? await startScreen(findXvfb(env), ownScreen, env) : undefined;
    const shown = own?.display ?? display ?? env["DISPLAY"];
    if (shown === undefined)
      throw new RetinueError("tool_failed", "There is no screen to work on: no X display is set.", {
        hint: "Set DISPLAY or the setting desktop.display, or give the test case a screen of its own.",
      });
    const children = own ? [own.process] : [];
    const session = new DesktopSession({ display: shown, env, programs: found, children, secrets });
    try {
      for (const line of programs) session.start(line, cwd);
      await session.size();
      if (programs.length > 0) await session.#waitForWindow();
      return session;
    } catch (thrown) {
      await session.close();
      throw thrown;
    }
  }

  /** Starts a program that ends with the session. */
  start([program, ...args]: readonly string[], cwd?: string): void {
    if (program === undefined) return;
    const options = { env: this.#env, stdio: "ignore", detached: true, ...(cwd === undefined ? {} : { cwd }) } as const;
    const child = spawn(program, args, options);
    child.on("error", () => undefined);
    this.#children.push(child);
  }

  /** So that the first picture shows what was started. */
  async #waitForWindow(): Promise<void> {
    const until = performance.now() + START_MS;
    while (performance.now() < until) {
      // It fails where there is none.
      const found = await this.xdotool(["search", "--onlyvisible", "--name", ""]).catch(() => Buffer.alloc(0));
      if (found.length > 0) return;
      await sleep(LOOK_MS);
    }
    throw new RetinueError("tool_failed", "The programs of the screen were started, and none of them shows a window.", {
      hint: "Run their command lines in a terminal to see why.",
    });
  }

  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    const mine = (async () => {
      await before.catch(() => undefined);
      return work();
    })();
    this.#turn = mine;
    return mine;
  }

  /** As PNG. */
  picture(signal?: AbortSignal): Promise<Buffer> {
    const { program, toArguments } = this.#programs.camera;
    return runProgram({ program, args: toArguments(this.display), env: this.#env, signal });
  }

  async size(): Promise<{ readonly width: number; readonly height: number }> {
    const [width, height] = (await this.xdotool(["getdisplaygeometry"])).toString("utf8").trim().split(" ").map(Number);
    return { width: width ?? 0, height: height ?? 0 };
  }

  xdotool(args: readonly string[], input?: string): Promise<Buffer> {
    return runProgram({ program: this.#programs.xdotool, args, env: this.#env, input });
  }

  /** Acts, waits until the screen stands still, and tells whether it looks otherwise than before. */
  async act(work: () => Promise<unknown>, signal: AbortSignal): Promise<{ readonly hasChanged: boolean }> {
    const before = pixelsOf(await this.picture(signal));
    await work();
    let last = before;
    const until = performance.now() + STILL_MS;
    do {
      await sleep(LOOK_MS, undefined, { signal });
      const now = pixelsOf(await this.picture(signal));
      const isStill = now.equals(last) && !now.equals(before);
      last = now;
      if (isStill) break;
    } while (performance.now() < until);
    return { hasChanged: !last.equals(before) };
  }

  /** Programs first, then the screen that they are on. */
  async close(): Promise<void> {
    for (const child of this.#children.toReversed()) await endChild(child);
  }
}

const toEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    ["PATH", "HOME", "XAUTHORITY", "LANG", "LC_ALL", "TMPDIR"].flatMap((name) =>
      env[name] === undefined ? [] : [[name, env[name]]],
    ),
  );

type OwnScreen = { readonly process: ChildProcess; readonly display: string };

/** Xvfb chooses a free number and tells it. */
const startScreen = (
  program: string,
  { width, height }: { readonly width: number; readonly height: number },
  env: NodeJS.ProcessEnv,
): Promise<OwnScreen> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, ["-displayfd", "3", "-screen", "0", `${width}x${height}x24`, "-nolisten", "tcp", "-noreset"], {
      env: toEnvironment(env),
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      detached: true,
    });
    let told = "";
    let errors = "";
    const fail = (why: string): void => {
      clearTimeout(timer);
      void endChild(child);
      reject(new RetinueError("tool_failed", `A screen of its own could not be made: ${why}`));
    };
    const timer = setTimeout(() => fail("Xvfb did not start in time."), START_MS);
    child.stderr?.on("data", (chunk: Buffer) => (errors = (errors + chunk.toString("utf8")).slice(0, 500)));
    child.once("error", ({ message }) => fail(message));
    child.once("exit", () => fail(errors.trim() || "Xvfb ended."));
    // The fourth stream is what -displayfd writes to.
    child.stdio[3]?.on("data", (chunk: Buffer) => {
      told += chunk.toString("utf8");
      if (!told.includes("\n")) return;
      clearTimeout(timer);
      child.removeAllListeners("exit");
      resolve({ process: child, display: `:${told.trim()}` });
    });
  });

const END_MS = 2_000;

const endChild = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => void child.once("exit", () => resolve()));
  signalGroup(child.pid, "SIGTERM");
  const late = setTimeout(() => child.pid !== undefined && signalGroup(child.pid, "SIGKILL"), END_MS);
  await ended;
  clearTimeout(late);
};

const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
};
