/** `git`: the commands of git that only look, in the repository of the workspace, with every program that the repository names switched off. */
import { lstat } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { Tool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { formatBytes, toModelText } from "@retinue/confine";
import { escapeName } from "@retinue/confine";
import type { GitEnd } from "@retinue/confine";
import type { OpenEnd, OpenRequest, RevisionTarget } from "@retinue/confine";
import { isCommit, NO_COMMITS, runOpenly } from "@retinue/confine";
import type { SortedArguments } from "./read-arguments.ts";
import { sortArguments } from "./read-arguments.ts";
import { toRepositoryPath } from "@retinue/confine";
import type { Revision } from "./parse-revision.ts";
import { parseRevision } from "./parse-revision.ts";
import type { GitOptions, Repository } from "@retinue/confine";
import { toFailure } from "@retinue/confine";
import { openForCall, toTouches } from "./open-for-call.ts";

const INPUT = z.object({
  args: z.array(z.string().max(10_000)).min(1).max(200).describe('Like ["log", "-5", "--", "src"].'),
});

export type GitInput = z.infer<typeof INPUT>;

export const createGitTool = (options: GitOptions = {}): Tool<GitInput> =>
  defineTool({
    name: "git",
    description: "Git commands that change nothing: status, log, show, blame, …",
    input: INPUT,
    effect: "read",
    touches: ({ args }) => ({ ...toTouches(options, toTouched(args)), about: `git ${args.join(" ")}` }),
    execute: async ({ args }, context) => {
      const sorted = sortArguments(args);
      const repository = await openForCall(options, context);
      const { end, withheld } = await runAsked(repository, sorted);
      const note =
        withheld.length === 0 ? "" : `\n[left out, since agents do not read them: ${withheld.map(escapeName).join(", ")}]`;
      return toModelText(toAnswer(sorted.command, end) + note);
    },
  });

/** What may be commits is taken for such, and looked at in the sandbox of the command itself; only where one is none, it is asked what it is. */
const runAsked = async (repository: Repository, sorted: SortedArguments): Promise<OpenEnd> => {
  const quick = await runOpenly(repository, await toRequest(repository, sorted, { isAssumed: repository.takesScripts }));
  if (quick.end.exitCode !== NO_COMMITS) return quick;
  return runOpenly(repository, await toRequest(repository, sorted, { isAssumed: false }));
};

/** All that may be the path of a file, also of one in another revision; for a revision that is none it does no harm. */
const toTouched = (args: readonly string[]): readonly string[] => {
  try {
    const sorted = sortArguments(args);
    const { words, paths = [], entry, options } = sorted;
    const candidates = entry.takes === "names" ? [] : words.slice(hasPattern(sorted) ? 1 : 0);
    const named = candidates.filter((word) => !word.startsWith(":/")).map(toFileOf);
    for (const option of options) if (/^-L.*:/.test(option)) named.push(option.slice(option.lastIndexOf(":") + 1));
    const touched = [...named, ...paths].filter((word) => word !== "");
    return touched.length === 0 ? ["."] : touched;
  } catch {
    // It will be refused with a reason.
    return ["."];
  }
};

/** `HEAD:path` names a file, as a bare path does. */
const toFileOf = (word: string): string => {
  const revision = parseRevision(word);
  return revision?.path ?? word;
};

/** The first word is what is looked for. */
const hasPattern = ({ entry, options }: SortedArguments): boolean =>
  entry.takes === "pattern-revisions-and-paths" && !options.some((option) => option.startsWith("-e"));

/** `isAssumed`: names that may be commits are still to be looked at. */
type Asking = { readonly isAssumed: boolean };

const toRequest = async (repository: Repository, sorted: SortedArguments, asking: Asking): Promise<OpenRequest> => {
  const { command, subcommand, entry, options, words } = sorted;
  if (repository.isLarger && entry.anyObject)
    throw beyond(`git ${command} gives any object of it, whatever folder it belongs to`);
  const { pattern, revisions, paths } = await toTargets(repository, sorted, asking);
  if (command === "log") for (const option of options) if (option.startsWith("-L")) await requireLines(repository, option);
  if (command === "blame") for (const file of paths) requireReadable(repository, file);
  // `branch --show-current` lists nothing, and refuses to be asked for both.
  const always = options.includes("--show-current") ? [] : (entry.always ?? []);
  return {
    command,
    args: [...(subcommand === undefined ? [] : [subcommand]), ...always, ...options, ...pattern],
    targets: entry.takes === "names" ? words : revisions,
    paths: takesPaths(sorted) ? paths : undefined,
    searchesSecrets: options.some((option) => /^-[SG]/.test(option)),
  };
};

const takesPaths = ({ entry: { takes } }: SortedArguments): boolean => takes.endsWith("paths");

type Targets = {
  readonly pattern: readonly string[];
  readonly revisions: readonly (string | RevisionTarget)[];
  readonly paths: readonly string[];
};

/** Words are revisions where git knows them as such, and paths otherwise. */
const toTargets = async (repository: Repository, sorted: SortedArguments, asking: Asking): Promise<Targets> => {
  const { command, entry } = sorted;
  const words = [...sorted.words];
  if (entry.takes === "nothing" && words.length > 0)
    throw new RetinueError("tool_failed", `git ${command} takes no "${words[0]}" here.`, { hint: "Leave it out." });
  if (!takesPaths(sorted) && sorted.paths !== undefined && sorted.paths.length > 0)
    throw new RetinueError("tool_failed", `git ${command} takes no paths.`, { hint: "Leave them out." });
  const pattern: string[] = [];
  if (hasPattern(sorted)) pattern.push(`-e${words.shift() ?? ""}`);
  const revisions: (string | RevisionTarget)[] = [];
  const named = [...(sorted.paths ?? [])];
  if (entry.takes === "paths") named.unshift(...words);
  else if (entry.takes !== "names")
    for (const word of words) {
      const revision = await toTarget(repository, sorted, word, asking);
      if (revision !== undefined) revisions.push(revision);
      else if (takesPaths(sorted) && (await isThere(repository.workspace, word))) named.push(word);
      else throw notKnown(word, takesPaths(sorted));
    }
  if (revisions.length === 0 && entry.defaultRevision !== undefined) revisions.push(entry.defaultRevision);
  const paths: string[] = [];
  for (const each of named) paths.push(await toRepositoryPath(repository.workspace, each));
  if (paths.length === 0 && repository.isLarger) paths.push(".");
  return { pattern, revisions, paths };
};

/** Undefined for what is not a revision. Throws for one that may show contents of which it is not known whose they are. */
const toTarget = async (
  repository: Repository,
  sorted: SortedArguments,
  word: string,
  { isAssumed }: Asking,
): Promise<string | RevisionTarget | undefined> => {
  const revision = parseRevision(word);
  const target = toResolved(sorted, word, revision);
  // What is there as a file is more likely meant as one.
  if (revision?.type === "commits" && isAssumed && typeof target === "object" && !(await isThere(repository.workspace, word)))
    return target;
  // A commit is one already by being found as such.
  if (revision?.type === "commits" && (await areCommits(repository, revision.names))) return target;
  const { exitCode, output } = await repository.run({ args: ["rev-parse", "--quiet", "--revs-only", word] });
  if (exitCode !== 0 || output === "") return undefined;
  if (repository.isLarger && revision?.type !== "commits") throw beyond(`"${word}" may name a file outside`);
  if (revision === undefined) throw notTaken(word);
  if (revision.type === "commits") throw repository.isLarger ? beyond(`"${word}" may name a file outside`) : withoutName(word);
  if (!(await areCommits(repository, revision.names))) throw withoutName(word);
  if (revision.path !== undefined) {
    if (!BY_NAME.has(sorted.command))
      throw new RetinueError("tool_failed", `git ${sorted.command} takes no file or folder of a revision here ("${word}").`, {
        hint: 'Give the revision, and the path after "--".',
      });
    requireReadable(repository, revision.path);
  }
  return target;
};

/** Their answers are about the name itself, and show no contents. */
const BY_WORD: ReadonlySet<string> = new Set(["rev-parse", "describe", "name-rev", "reflog"]);

const toResolved = (
  { command, options }: SortedArguments,
  word: string,
  revision: Revision | undefined,
): string | RevisionTarget => {
  if (revision === undefined || revision.names.length === 0 || BY_WORD.has(command)) return word;
  if (options.some((option) => option === "-g" || option === "--walk-reflogs")) {
    // The reflog is that of a name, which has to be a plain one.
    if (!/^[\w./@{}-]+$/.test(word)) throw notTaken(word);
    return word;
  }
  return { names: revision.names, around: revision.around, isFile: revision.type === "file" };
};

/** Of a file that is shown by its name, not as a part of a diff. */
const requireReadable = (repository: Repository, file: string): void => {
  const named = path.posix.normalize(file);
  if (repository.isSecret(named) || repository.isSecret(path.posix.join(repository.prefix, named)))
    throw new RetinueError("path_protected", `"${file}" is kept from agents, also in the history.`);
};

/** Commands that show one object as it is, so that the name it was asked by is the one it is judged by. */
const BY_NAME: ReadonlySet<string> = new Set(["show", "cat-file", "ls-tree", "rev-parse"]);

const areCommits = async (repository: Repository, names: readonly string[]): Promise<boolean> => {
  for (const name of names) if (!(await isCommit(repository, name))) return false;
  return true;
};

const notTaken = (word: string): RetinueError =>
  new RetinueError("tool_failed", `"${word}" is not taken as a revision here.`, {
    hint: 'Name commits by branch, tag or hash, ranges as "a..b", and files from the top of the repository as "HEAD:path/of/file".',
  });

const withoutName = (word: string): RetinueError =>
  new RetinueError("tool_failed", `"${word}" is the content of a file or folder without its name.`, {
    hint: 'Name the file, as in "HEAD:path/of/file".',
  });

const isThere = (workspace: string, word: string): Promise<boolean> =>
  lstat(path.resolve(workspace, word)).then(
    () => true,
    () => /[*?[]/.test(word) || word.split("/").includes(".."),
  );

const notKnown = (word: string, orPath: boolean): RetinueError =>
  new RetinueError("tool_failed", `"${word}" is no revision${orPath ? " and no path" : ""} here.`, {
    hint: orPath ? 'For a file that is no longer there, put it after "--".' : "git branch, tag and log show the revisions.",
  });

const beyond = (why: string): RetinueError =>
  new RetinueError("path_outside_workspace", `The workspace is only a part of the repository, and ${why}.`, {
    hint: "Name commits, and paths of the workspace.",
  });

/** `-L 1,5:file` names a file as well, of which lines are shown. */
const requireLines = async (repository: Repository, option: string): Promise<void> => {
  const at = option.lastIndexOf(":");
  if (at >= 0) requireReadable(repository, await toRepositoryPath(repository.workspace, option.slice(at + 1)));
};

/** With these, an exit code of 1 is an answer. */
const ANSWERS_BY_CODE: ReadonlySet<string> = new Set([
  "diff",
  "grep",
  "merge-base",
  "check-ignore",
  "show-ref",
  "rev-parse",
  "cat-file",
]);

const toAnswer = (command: string, end: GitEnd): string => {
  const answered = end.exitCode === 0 || end.cut || (end.exitCode === 1 && end.errors === "" && ANSWERS_BY_CODE.has(command));
  if (!answered) throw toFailure(end);
  const text = command === "remote" ? withoutCredentials(end.output) : command === "worktree" ? seen(end.output) : end.output;
  const code = end.exitCode === 1 ? "[exit code 1]\n" : "";
  const cut = end.cut ? `\n[cut after ${formatBytes(Buffer.byteLength(end.output))}; ask for less]` : "";
  return code + (text.trimEnd() || "(no output)") + cut;
};

const withoutCredentials = (text: string): string => text.replaceAll(/:\/\/[^/@\s]+@/g, "://…@");

/** Other work trees lie outside of what git sees here, so that it takes all of them for gone. */
const seen = (text: string): string => text.replaceAll(/ prunable$|^prunable .*\n/gm, "");
