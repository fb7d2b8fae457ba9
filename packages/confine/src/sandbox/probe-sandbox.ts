/**
 * Finds out which sandbox this machine has by using it: a command must run in it, must write where it may, and must fail where it may
 * not. That a program of the name is installed says nothing.
 */
import { access, constants, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { runCommand } from "../process/run-command.ts";
import type { ProcessCap } from "../process/process-cap.ts";
import { findProcessCap } from "../process/process-cap.ts";
import { createResourceLimits } from "../process/resource-limits.ts";
import { createTemporaryFolder } from "../process/temporary-folder.ts";
import type { Sandbox } from "./sandbox.ts";
import { toSandboxedCommand } from "./sandboxed-command.ts";

/** A sandbox that was found stays found. One that was not is looked for again: a full disk or too few open files pass. */
export const createSandboxProbe = (places: readonly string[]): (() => Promise<Sandbox>) => {
  let probed: Promise<Sandbox> | undefined;
  return async () => {
    const probing = (probed ??= tryBwrap(places));
    const sandbox = await probing;
    if (sandbox.backend === "none" && probed === probing) probed = undefined;
    return sandbox;
  };
};

/** Never by PATH, where a project could put something in its place. */
const PLACES = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
/** Whether a sandbox is installed; that it works is not said. */
export const hasSandboxProgram = async (): Promise<boolean> =>
  process.platform === "linux" && (await findFirst(PLACES)) !== undefined;

/** The sandbox of this machine, tried as often as it has to be and no oftener. */
export const probeSandbox = createSandboxProbe(PLACES);

const LEAST_VERSION = [0, 8] as const;
const TIMEOUT_MS = 20_000;

/** Tries bubblewrap where it may lie. */
export const tryBwrap = async (places: readonly string[]): Promise<Sandbox> => {
  if (process.platform !== "linux") return notThere(`there is no sandbox for ${process.platform} yet`);
  const program = await findFirst(places);
  if (program === undefined) return notThere("bubblewrap is not installed");
  let folder: string | undefined;
  try {
    folder = createTemporaryFolder("probe");
    const version = await run(program, ["--version"], folder);
    const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version.output) ?? []).map(Number);
    if (version.exitCode !== 0) return none(`bubblewrap does not run: ${version.output.trim()}`);
    if (major < LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor < LEAST_VERSION[1]))
      return none(`bubblewrap ${major}.${minor} is older than ${LEAST_VERSION.join(".")}`);
    const sandbox = { backend: "bwrap", program, version: `${major}.${minor}`, processCap: findProcessCap() } as const;
    return (await confines(sandbox, folder)) ?? { ...sandbox, processCap: await tryProcessCap(sandbox, folder) };
  } catch (thrown) {
    return none(`bubblewrap could not be tried: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
};

const notThere = (reason: string): Sandbox => ({ backend: "none", reason, isInstalled: false });

/** Its program is there and did not do what it should. */
const none = (reason: string): Sandbox => ({ backend: "none", reason, isInstalled: true });

type Bwrap = Extract<Sandbox, { backend: "bwrap" }>;

/** Undefined where it does; otherwise what it does not. */
const confines = async (sandbox: Bwrap, folder: string): Promise<Sandbox | undefined> => {
  await mkdir(path.join(folder, "open"));
  const script =
    "echo in > open/a && ! { echo out > b; } 2>/dev/null && ! { echo out > /usr/b; } 2>/dev/null && ! chmod 666 /dev/zero 2>/dev/null && echo confined";
  const tried = await runInside({ sandbox, folder, args: ["/bin/sh", "-c", script] });
  if (tried.exitCode === 0 && tried.output.trim() === "confined") return undefined;
  return none(`bubblewrap does not confine here: ${tried.output.trim() || `it ended with ${tried.exitCode}`}`);
};

/** As many as are refused with the lower limit, each of which waits for the next. Shells try again and again where this program does not. */
const CHAIN = [...Array.from({ length: 16 }, () => ["timeout", "10"]).flat(), "echo", "forked"];
const TOO_FEW = 8;

/** A chain of processes must be broken by a limit that is lower than its length, and only by that. */
const tryProcessCap = async (sandbox: Bwrap, folder: string): Promise<ProcessCap> => {
  // What needs no trying, or has been tried with more processes than are started here.
  if (sandbox.processCap.type === "watched" || sandbox.processCap.type === "pid-namespace") return sandbox.processCap;
  const args = ["/usr/bin/env", ...CHAIN];
  const [capped, free] = await Promise.all([
    runInside({ sandbox, folder, args, processes: TOO_FEW }),
    runInside({ sandbox, folder, args }),
  ]);
  if (!isForked(capped) && isForked(free)) return sandbox.processCap;
  const why = isForked(capped) ? "does not bind" : "cannot be tried";
  return { type: "watched", reason: `the limit of processes by ${sandbox.processCap.type} ${why} here` };
};

const isForked = ({ output }: Tried): boolean => output.split("\n").includes("forked");

type Inside = {
  readonly sandbox: Bwrap;
  readonly folder: string;
  readonly args: readonly string[];
  readonly processes?: number;
};

const runInside = async ({ sandbox, folder, args: [file = "", ...args], processes }: Inside): Promise<Tried> => {
  const open = path.join(folder, "open");
  const command = await toSandboxedCommand({
    sandbox,
    limits: createResourceLimits(processes === undefined ? {} : { processes }),
    file,
    args,
    profile: {
      folder,
      emptied: [],
      readable: [folder],
      writable: [open],
      readOnly: [],
      hidden: [],
      network: false,
      temporaryBytes: 1_000_000,
    },
    expected: [],
  });
  return run(command.file, command.args, folder, command).finally(command.end);
};

const findFirst = async (places: readonly string[]): Promise<string | undefined> => {
  for (const place of places)
    try {
      await access(place, constants.X_OK);
      return place;
    } catch {
      // Not there.
    }
  return undefined;
};

type Tried = { readonly exitCode: number | null; readonly output: string };

const run = async (
  file: string,
  args: readonly string[],
  cwd: string,
  more: Partial<Parameters<typeof runCommand>[0]> = {},
): Promise<Tried> => {
  let output = "";
  const end = await runCommand({
    ...more,
    file,
    args,
    cwd,
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: TIMEOUT_MS,
    signal: new AbortController().signal,
    onOutput: (chunk) => (output += chunk.toString("utf8")),
  });
  return { exitCode: end.type === "exited" ? end.exitCode : null, output: output.slice(0, 500) };
};
