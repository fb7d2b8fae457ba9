/**
 * The repository of a workspace, opened for one call: found, looked through and checked to be the workspace's own. All that is run in it runs in the
 * sandbox, with every program that its configuration names switched off, and may write `.git` only where it says so.
 */
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { isInside } from "@retinue/runtime";
import { isPrivate } from "../files/private-folders.ts";
import { probeSandbox } from "../sandbox/probe-sandbox.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { FoundRepository } from "./find-repository.ts";
import { findRepository } from "./find-repository.ts";
import { toFailure } from "./git-failure.ts";
import type { GitEnd, GitProcess } from "./git-process.ts";
import type { GitSetting } from "./harmless-config.ts";
import { toConfigEnvironment, toHarmlessSettings } from "./harmless-config.ts";
import { requirePlainFolder, requireSingleName } from "./require-plain-folder.ts";
import { readRepositoryKeys } from "./repository-keys.ts";
import type { OpenedFolders } from "./repository-bounds.ts";
import { toBounds, toShownPlace } from "./repository-bounds.ts";
import type { IsSecret } from "./secret-paths.ts";
import { createSecretCheck } from "./secret-paths.ts";
import { findGit } from "./start-git.ts";
import type { UserSettings } from "./user-settings.ts";
import { readUserSettings } from "./user-settings.ts";
import { findWrittenInPlace } from "./written-in-place.ts";

export type GitOptions = {
  /** Where PATH, HOME and the user's configuration are looked up; by default the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Globs of protected paths, relative to the workspace, that the user has set free. */
  readonly unprotected?: readonly string[];
  /** What `probeSandbox` finds, by default. */
  readonly sandbox?: Sandbox;
  /** A human has allowed that git runs outside of a sandbox where there is none, or where it does not work. */
  readonly allowUnsandboxed?: boolean;
  /** It may run outside where none is installed; one that is installed and does not work refuses. */
  readonly allowsAbsent?: boolean;
};

export type GitRun = Pick<GitProcess, "timeoutMs" | "maxBytes" | "input"> &
  OpenedFolders & {
    readonly args: readonly string[];
    /** Lines for sh in the place of git, where `takesScripts`; the arguments are theirs, after git's path. */
    readonly script?: string;
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
  /** Several calls of git can be made in one sandbox, which costs more than they do. */
  readonly takesScripts: boolean;
  readonly run: (run: GitRun) => Promise<GitEnd>;
  /** The output of what has to succeed. */
  readonly read: (run: GitRun) => Promise<string>;
};

export type OpenRepository = GitOptions & {
  /** Absolute and real. */
  readonly workspace: string;
  /** The part of the workspace that git sees, where that is not all of it. */
  readonly part?: string;
  readonly signal: AbortSignal;
};

export const openRepository = async (open: OpenRepository): Promise<Repository> => {
  const { workspace, part = workspace, signal, environment = process.env } = open;
  const sandbox = open.sandbox ?? (await probeSandbox());
  if (sandbox.backend === "none" && open.allowUnsandboxed !== true && (open.allowsAbsent !== true || sandbox.isInstalled))
    throw notConfined(sandbox.reason);
  const start = await findGit({ sandbox, workspace, environment, signal });
  const found = await findRepository(workspace);
  if (found === undefined)
    throw new RetinueError("tool_failed", "The workspace is no git repository.", { hint: "Do without git." });
  const boundsOf = (run: OpenedFolders) => toBounds({ found, workspace, part, run, shown });
  const isConfined = sandbox.backend === "bwrap";
  let shown: readonly GitSetting[] = [];
  const run = (given: GitRun, settings: Readonly<Record<string, string>>): Promise<GitEnd> =>
    start({
      args:
        given.script === undefined
          ? ["--no-pager", ...(given.literalPaths === true ? ["--literal-pathspecs"] : []), ...given.args]
          : given.args,
      script: given.script,
      bounds: boundsOf(given),
      environment: {
        ...WITHOUT_USER,
        ...settings,
        ...(given.writes === true ? {} : { GIT_OPTIONAL_LOCKS: "0" }),
        ...given.environment,
      },
      ...(given.timeoutMs === undefined ? {} : { timeoutMs: given.timeoutMs }),
      ...(given.maxBytes === undefined ? {} : { maxBytes: given.maxBytes }),
      ...(given.input === undefined ? {} : { input: given.input }),
    });

  await requirePlain(found);
  const user = await readUserSettings({
    environment,
    gitFolder: found.gitFolder,
    start: (args) => start({ args, bounds: { ...boundsOf({}), isOfUser: true }, environment: {} }),
  });
  if (isConfined) shown = user.files.map(({ key, from }): GitSetting => [key, from]);
  const files = toFiles(user, isConfined);
  const harmless = (ofRepository: readonly string[]): Readonly<Record<string, string>> =>
    toConfigEnvironment(toHarmlessSettings({ ofRepository, ofUser: user.settings, files, isConfined }));
  const ofRepository = await readRepositoryKeys({
    found,
    workspace,
    run: (args) => run({ args }, harmless([])),
    runWithoutOurs: (args) => run({ args }, {}),
  });
  const settings = harmless(ofRepository);
  const known = new Set([...ofRepository, ...user.settings.map(([key]) => key)].map((key) => key.toLowerCase()));
  const prefix = toPrefix(found.top, workspace);
  const isSecret = toTopCheck(createSecretCheck(open.unprotected), prefix);
  const runHarmless = async (given: GitRun): Promise<GitEnd> => {
    if (given.writes === true || !isConfined) await requirePlain(found);
    if (given.writes === true) for (const [folder, names] of await findWrittenInPlace(found)) requireSingleName(folder, names);
    return run(given, settings);
  };
  return {
    workspace,
    isLarger: prefix !== "",
    prefix,
    // What belongs to Retinue itself nobody can set free.
    isSecret: (file) => isSecret(file) || isPrivate(path.join(found.top, file), workspace),
    hasIdentity: ["name", "email"].every((key) => known.has(`user.${key}`)),
    takesScripts: isConfined,
    run: runHarmless,
    read: async (given) => {
      const end = await runHarmless(given);
      if (end.exitCode !== 0 && !end.cut) throw toFailure(end);
      return end.output;
    },
  };
};

const WITHOUT_USER = { GIT_CONFIG_GLOBAL: "/dev/null" } as const;

const notConfined = (reason: string): RetinueError =>
  new RetinueError("sandbox_unavailable", `Git runs in a sandbox, which this machine does not have: ${reason}.`);

const requirePlain = async ({ gitFolder, commonFolder }: FoundRepository): Promise<void> => {
  await requirePlainFolder(commonFolder);
  if (!isInside(commonFolder, gitFolder)) await requirePlainFolder(gitFolder);
};

const toFiles = ({ files }: UserSettings, isConfined: boolean): readonly GitSetting[] =>
  files.map(({ key, from }): GitSetting => [key, isConfined ? toShownPlace(key) : from]);

const toPrefix = (top: string, workspace: string): string =>
  top === workspace ? "" : `${path.relative(top, workspace).replaceAll(path.sep, "/")}/`;

const toTopCheck =
  (isSecret: IsSecret, prefix: string): IsSecret =>
  (file) =>
    isSecret(file.startsWith(prefix) ? file.slice(prefix.length) : file);
