/** Finds a git that is new enough, and starts it: in the sandbox, or plainly where the machine has none and a human has allowed that. */
import { realpath } from "node:fs/promises";
import { RetinueError } from "@retinue/protocol";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { GitBounds } from "./confined-git.ts";
import { toConfinedGit } from "./confined-git.ts";
import type { GitEnvironment } from "./git-environment.ts";
import { toPlainEnvironment, toSandboxEnvironment } from "./git-environment.ts";
import type { GitEnd, GitProcess } from "./git-process.ts";
import { runGitProcess } from "./git-process.ts";
import { findTrustedPrograms, toTrustedFolders } from "./trusted-program.ts";

export type GitStart = Pick<GitProcess, "args" | "input" | "timeoutMs" | "maxBytes"> & {
  readonly bounds: GitBounds;
  /** As `ConfineGit`; only where there is a sandbox. */
  readonly script?: string | undefined;
  /** Added to the environment. */
  readonly environment: GitEnvironment;
};

export type StartGit = (start: GitStart) => Promise<GitEnd>;

export type FindGit = {
  readonly sandbox: Sandbox;
  /** Absolute and real. */
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
};

/** Settings by environment are as old as this; an older git would not see ours. */
const OLDEST = [2, 31] as const;

/** By where it is looked for: the program that was found, and was asked for its version. */
const found = new Map<string, string>();

export const findGit = async (find: FindGit): Promise<StartGit> => {
  const { workspace, environment, sandbox } = find;
  const key = JSON.stringify([sandbox.backend, environment["PATH"], workspace]);
  let program = found.get(key);
  if (program === undefined) {
    program = await findProgram(find);
    found.set(key, program);
  }
  return toStart(find, program);
};

const findProgram = async (find: FindGit): Promise<string> => {
  let failure: RetinueError | undefined;
  for (const program of await findTrustedPrograms({ name: "git", ...find })) {
    const real = await realpath(program);
    try {
      const start = await toStart(find, real);
      const bounds = { cwd: "/", readable: [], writable: [], shown: [] };
      requireVersion(await start({ args: ["--version"], bounds, environment: {} }));
      return real;
    } catch (thrown) {
      if (!(thrown instanceof RetinueError)) throw thrown;
      failure ??= thrown;
    }
  }
  throw (
    failure ??
    new RetinueError("tool_failed", "git is not installed, or only inside the workspace, where it is not trusted.", {
      hint: "Install git in a folder of PATH.",
    })
  );
};

const requireVersion = ({ output, errors }: GitEnd): void => {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(output) ?? [];
  const [oldestMajor, oldestMinor] = OLDEST;
  const isNew = Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor);
  if (!isNew)
    throw new RetinueError(
      "tool_failed",
      `git ${OLDEST.join(".")} or newer is needed; this one says "${output.trim() || errors}".`,
      { hint: "Install a newer git." },
    );
};

const toStart = async (find: FindGit, program: string): Promise<StartGit> => {
  const { sandbox, workspace, environment, signal } = find;
  if (sandbox.backend === "none") {
    const plain = toPlainEnvironment(environment, await toTrustedFolders({ workspace, environment }));
    return ({ bounds, environment: added, args, script: _script, ...run }) =>
      runGitProcess({ ...run, program, args, cwd: bounds.cwd, environment: { ...plain, ...added }, signal });
  }
  const inner = toSandboxEnvironment(environment, program);
  return async ({ bounds, environment: added, args, script, ...run }) => {
    const confined = toConfinedGit({ sandbox, program, args, script, bounds });
    // The one call that asks for the user's settings has to find them.
    const { HOME = inner["HOME"] ?? "", XDG_CONFIG_HOME } = bounds.isOfUser === true ? environment : {};
    const ofUser = { HOME, ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }) };
    const end = await runGitProcess({ ...run, ...confined, cwd: "/", environment: { ...inner, ...ofUser, ...added }, signal });
    if (end.exitCode !== 0 && end.output === "" && end.errors.startsWith("bwrap: "))
      throw new RetinueError("tool_failed", `The sandbox for git could not be made, so that git was not run: ${end.errors}`);
    return end;
  };
};
