/**
 * The repository of a workspace, opened for one call: found, checked to be the workspace's own, and with every program that its
 * configuration names switched off for all that is run in it.
 */
import { realpath } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { GitEnd, GitProcess } from "./git-process.ts";
import { runGitProcess } from "./git-process.ts";
import type { GitSetting } from "./harmless-config.ts";
import { CARRIED_OVER, toConfigEnvironment, toHarmlessSettings } from "./harmless-config.ts";
import { isLargerRepository } from "./repository-place.ts";
import type { IsSecret } from "./secret-paths.ts";
import { createSecretCheck } from "./secret-paths.ts";
import { findTrustedProgram, toTrustedFolders } from "./trusted-program.ts";

export type GitOptions = {
  /** Where PATH, HOME and the user's configuration are looked up; by default the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Globs of protected paths, relative to the workspace, that the user has set free. */
  readonly unprotected?: readonly string[];
};

export type GitRun = Pick<GitProcess, "timeoutMs" | "maxBytes" | "input"> & {
  readonly args: readonly string[];
  /** Takes locks and writes the index; otherwise git does without. */
  readonly writes?: boolean;
  /** Paths mean just the files of these names; otherwise `*` and `?` are patterns. */
  readonly literalPaths?: boolean;
  /** Added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
};

export type Repository = {
  readonly workspace: string;
  /** The workspace is only a part of the repository. */
  readonly isLarger: boolean;
  /** The way from the top of the repository to the workspace, with a slash at its end; empty where they are the same. */
  readonly prefix: string;
  /** Name and address for commits are set. */
  readonly hasIdentity: boolean;
  /** Whether the content of a file, given from the top of the repository, is kept from agents. */
  readonly isSecret: IsSecret;
  readonly run: (run: GitRun) => Promise<GitEnd>;
  /** The output of what has to succeed. */
  readonly read: (run: GitRun) => Promise<string>;
};

export type OpenRepository = GitOptions & { readonly workspace: string; readonly signal: AbortSignal };

/** Settings by environment are as old as this; an older git would not see ours. */
const OLDEST = [2, 31] as const;

export const openRepository = async (open: OpenRepository): Promise<Repository> => {
  const { workspace, signal, environment = process.env } = open;
  const program = await findTrustedProgram({ name: "git", workspace, environment });
  if (program === undefined)
    throw new RetinueError("tool_failed", "git is not installed, or only inside the workspace, where it is not trusted.", {
      hint: "Install git in a folder of PATH.",
    });
  const folders = await toTrustedFolders({ workspace, environment });
  const bare = toEnvironment(environment, folders.join(path.delimiter));
  const start = (args: readonly string[], added: Readonly<Record<string, string>>, run: Partial<GitRun> = {}): Promise<GitEnd> =>
    runGitProcess({
      program,
      args: ["--no-pager", ...(run.literalPaths === true ? ["--literal-pathspecs"] : []), ...args],
      cwd: workspace,
      environment: { ...bare, ...added, ...(run.writes === true ? {} : { GIT_OPTIONAL_LOCKS: "0" }), ...run.environment },
      signal,
      ...(run.timeoutMs === undefined ? {} : { timeoutMs: run.timeoutMs }),
      ...(run.maxBytes === undefined ? {} : { maxBytes: run.maxBytes }),
      ...(run.input === undefined ? {} : { input: run.input }),
    });

  if (!newEnough.has(program)) requireVersion(await start(["--version"], WITHOUT_USER));
  newEnough.add(program);
  const ofUser = toSettings(await start(["config", "--global", "--includes", "--null", "--get-regexp", CARRIED], {}));
  const first = { ...WITHOUT_USER, ...toConfigEnvironment(toHarmlessSettings({ ofRepository: [], ofUser })) };
  const prefix = await requirePlace(workspace, (args) => start(args, first));
  const ofRepository = toKeys(await start(["config", "--null", "--list", "--name-only"], WITHOUT_USER));
  const settings = toHarmlessSettings({ ofRepository, ofUser });
  const harmless = { ...WITHOUT_USER, ...toConfigEnvironment(settings) };
  const run = (given: GitRun): Promise<GitEnd> => start(given.args, harmless, given);
  const known = new Set([...ofRepository, ...settings.map(([key]) => key)].map((key) => key.toLowerCase()));
  return {
    workspace,
    isLarger: prefix !== "",
    prefix,
    isSecret: toTopCheck(createSecretCheck(open.unprotected), prefix),
    hasIdentity: ["name", "email"].every((key) => known.has(`user.${key}`)),
    run,
    read: async (given) => {
      const end = await run(given);
      if (end.exitCode !== 0 && !end.cut) throw toFailure(end);
      return end.output;
    },
  };
};

const toTopCheck =
  (isSecret: IsSecret, prefix: string): IsSecret =>
  (file) =>
    isSecret(file.startsWith(prefix) ? file.slice(prefix.length) : file);

const CARRIED = `^(${[...CARRIED_OVER].map((key) => key.replaceAll(".", "\\.")).join("|")})$`;

const WITHOUT_USER = { GIT_CONFIG_GLOBAL: "/dev/null" } as const;

/** What git says when it fails, as a model reads it. */
export const toFailure = ({ exitCode, errors, output }: GitEnd): RetinueError =>
  new RetinueError(
    "tool_failed",
    `git failed (${exitCode ?? "ended by a signal"}): ${errors || output.trim() || "it said nothing."}`,
  );

/** Nothing that begins with GIT_ comes from outside. */
const toEnvironment = (given: Readonly<Record<string, string | undefined>>, trustedPath: string): Record<string, string> => {
  const kept = ["HOME", "USERPROFILE", "XDG_CONFIG_HOME", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "TZ"];
  const environment: Record<string, string> = {};
  for (const name of kept) {
    const value = given[name];
    if (value !== undefined) environment[name] = value;
  }
  return {
    ...environment,
    PATH: trustedPath,
    LC_ALL: "C.UTF-8",
    TERM: "dumb",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
    GIT_ASKPASS: "false",
    SSH_ASKPASS: "false",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    // Missing objects of a partial clone would be fetched by programs that the repository names.
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_PROTOCOL_FROM_USER: "0",
  };
};

/** Programs that were asked for their version. */
const newEnough = new Set<string>();

const requireVersion = ({ output }: GitEnd): void => {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(output) ?? [];
  const [oldestMajor, oldestMinor] = OLDEST;
  const isNew = Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor);
  if (!isNew)
    throw new RetinueError("tool_failed", `git ${OLDEST.join(".")} or newer is needed; this one says "${output.trim()}".`, {
      hint: "Install a newer git.",
    });
};

/** Gives the prefix. */
const requirePlace = async (workspace: string, start: (args: readonly string[]) => Promise<GitEnd>): Promise<string> => {
  const asked = ["--show-toplevel", "--absolute-git-dir", "--git-common-dir"];
  const end = await start(["rev-parse", ...asked]);
  const [top, gitFolder, common, ...rest] = end.output.replace(/\n$/, "").split("\n");
  if (end.exitCode !== 0) {
    if (/not a git repository/.test(end.errors))
      throw new RetinueError("tool_failed", "The workspace is no git repository.", { hint: "Do without git." });
    throw toFailure(end);
  }
  if (top === undefined || gitFolder === undefined || common === undefined || rest.length > 0)
    throw new RetinueError("tool_failed", "The place of the repository cannot be told from what git says.");
  const isLarger = await isLargerRepository({
    workspace,
    top,
    gitFolder,
    commonFolder: path.resolve(workspace, common),
    readNamedTop: async () => {
      const named = await start(["config", "--file", path.join(gitFolder, "config"), "--get", "core.worktree"]);
      return named.exitCode === 0 ? named.output.replace(/\n$/, "") : undefined;
    },
  });
  return isLarger ? `${path.relative(await realpath(top), workspace).replaceAll(path.sep, "/")}/` : "";
};

/** `key\nvalue\0…`; none where the user has no such settings. */
const toSettings = ({ output }: GitEnd): readonly GitSetting[] =>
  output
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry): GitSetting => {
      const at = entry.indexOf("\n");
      return at < 0 ? [entry, "true"] : [entry.slice(0, at), entry.slice(at + 1)];
    });

const toKeys = (end: GitEnd): readonly string[] => {
  // Without all of its keys the repository's programs could not be switched off.
  if (end.exitCode !== 0 || end.cut) throw toFailure(end);
  return end.output.split("\0").filter((key) => key !== "");
};
