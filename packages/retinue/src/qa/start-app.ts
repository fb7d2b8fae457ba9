/**
 * The application under test, started for a suite and ended with it. It is the user's own program, and not an agent's: it runs outside of the sandbox, so that
 * somebody has to have agreed to its command line, as it is.
 */
import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import type { Suite } from "@retinue/protocol/test-case";

export type AppUnderTest = NonNullable<Suite["app"]>;

export type StartedApp = { readonly stop: () => Promise<void> };

export type StartAppOptions = {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
};

const DEFAULT_MS = 30_000;
const POLL_MS = 100;
const ANSWER_MS = 2_000;
const STOP_MS = 5_000;
const MOST_OUTPUT = 2_000;

/** Throws a plain error that says what stands against it. */
export const startApp = async (app: AppUnderTest, { cwd, env, signal }: StartAppOptions): Promise<StartedApp> => {
  if (await answers(app.url)) {
    if (app.reuse === true) return { stop: () => Promise.resolve() };
    throw new Error(`Something answers at ${app.url} already. End it, or set reuse: true in the suite's app.`);
  }
  const child = spawn(app.command, { cwd, env, shell: true, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const keep = (data: Buffer): void => void (output = (output + data.toString("utf8")).slice(-MOST_OUTPUT));
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const state: { ended?: string } = {};
  const exited = new Promise<void>((resolve) => {
    child.once("error", (cause) => ((state.ended = cause.message), resolve()));
    child.once("exit", (code, by) => ((state.ended = `it ended with ${code ?? by ?? "a signal"}`), resolve()));
  });
  const stop = async (): Promise<void> => {
    if (state.ended !== undefined) return;
    signalGroup(child.pid, "SIGTERM");
    await Promise.race([exited, wait(STOP_MS)]);
    signalGroup(child.pid, "SIGKILL");
  };
  const until = Date.now() + (app.timeoutMs ?? DEFAULT_MS);
  while (Date.now() < until && state.ended === undefined && !signal.aborted) {
    if (await answers(app.url)) return { stop };
    await wait(POLL_MS);
  }
  // Told before it is stopped: that it ended by our own signal is no reason.
  const why = state.ended ?? (signal.aborted ? "it was cancelled" : `it did not answer at ${app.url} in time`);
  await stop();
  throw new Error(
    `The application could not be started by ${JSON.stringify(app.command)}: ${why}.${output === "" ? "" : `\n${output.trim()}`}`,
  );
};

/** Any answer is one: an application may well ask for a login. */
const answers = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: "manual" });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
};

/** Everything that the command has started ends with it. */
const signalGroup = (pid: number | undefined, name: NodeJS.Signals): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // It has ended already.
  }
};
