/**
 * Runs a command of git that may show contents, without those that are kept from agents. Revisions become hashes before the command runs, the names of the
 * files that it would show are listed first, and git itself is told to leave out the secret ones.
 */
import { readDiffPaths } from "./diff-paths.ts";
import type { GitEnd } from "./git-process.ts";
import type { Repository } from "./repository.ts";
import { isNamedLikeSecret, SECRET_PATHSPECS } from "./secret-paths.ts";

/** A revision: the names of commits in it, and the text before, between and after them (`""`, `".."`, `""`). */
export type RevisionTarget = {
  readonly names: readonly string[];
  readonly around: readonly string[];
  /** It names one file or folder of a commit, which takes no paths. */
  readonly isFile?: boolean;
};

export type OpenRequest = {
  readonly command: string;
  /** Options. */
  readonly args: readonly string[];
  /** Revisions; texts are given to git as they are: hashes, patterns of names, files of the index. */
  readonly targets: readonly (string | RevisionTarget)[];
  /** Undefined where the command takes none. */
  readonly paths: readonly string[] | undefined;
  /** Leave out everything that may be a secret, also where its content is not shown. */
  readonly searchesSecrets?: boolean;
};

/** A name in a revision is not a commit, so that nothing was run. No command of git ends so. */
export const NO_COMMITS = 97;

export type OpenEnd = {
  readonly end: GitEnd;
  /** Files that were left out. */
  readonly withheld: readonly string[];
};

/** Each round leaves out what the one before has shown; what is left after these is not handed on at all. */
const MAX_ROUNDS = 5;

export const runOpenly = async (repository: Repository, request: OpenRequest): Promise<OpenEnd> => {
  const { command, args, targets, paths, searchesSecrets = false } = request;
  if (!showsContents(request)) {
    const exclusions = searchesSecrets ? SECRET_PATHSPECS : [];
    const { end } = await runResolving(repository, {
      before: [command, ...args],
      targets,
      after: toPathWords(paths, exclusions),
    });
    return { end, withheld: [] };
  }
  const listed = await runResolving(repository, { ...toListing(request), targets });
  if (listed.end.exitCode === NO_COMMITS) return { end: listed.end, withheld: [] };
  const { resolved } = listed;
  const names = readNames(listed.end, command === "grep" ? resolved : []);
  let withheld = names?.filter(repository.isSecret) ?? [];
  const only = toOnly(request, names, repository.isSecret);
  if (only?.length === 0) return { end: { ...listed.end, output: "", bytes: Buffer.alloc(0) }, withheld };
  // A file that is only named like a secret stays. Of a log, paths change which commits are shown.
  const isGeneral =
    searchesSecrets ||
    names === undefined ||
    ((command !== "log" || withheld.length > 0) && !names.some((name) => isNamedLikeSecret(name) && !repository.isSecret(name)));
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const exclusions = [...(isGeneral ? SECRET_PATHSPECS : []), ...withheld.map((file) => `:(top,exclude,literal)${file}`)];
    const words = round === 0 && only ? ["--", ...only] : toPathWords(paths, exclusions);
    const end = await repository.run({ args: [command, ...args, ...resolved, ...words] });
    const shown = readDiffPaths(end.output).filter(repository.isSecret);
    if (command === "grep" || shown.length === 0) return { end: withAskedNames(end, targets, resolved), withheld };
    withheld = [...new Set([...withheld, ...shown])];
  }
  const bytes = Buffer.alloc(0);
  const end = { exitCode: 1, output: "", bytes, errors: "Too many files are kept from agents; name a path.", cut: false };
  return { end, withheld };
};

/** Git matches each name of the index with each pattern that leaves secrets out. */
const MOST_NAMED = 300;

/** The files that a diff may show, by name, where they are few: nothing else is shown then. Undefined where git is told what to leave out instead. */
const toOnly = ({ command, args }: OpenRequest, names: readonly string[] | undefined, isSecret: (file: string) => boolean) =>
  command !== "diff" || names === undefined || names.length > MOST_NAMED || args.some((arg) => arg.startsWith("--relative"))
    ? undefined
    : names.filter((name) => !isSecret(name)).map((name) => `:(top,literal)${name}`);

const toPathWords = (paths: readonly string[] | undefined, exclusions: readonly string[]): readonly string[] => {
  if (paths === undefined) return [];
  return ["--", ...(paths.length === 0 && exclusions.length > 0 ? ["."] : paths), ...exclusions];
};

const PATCH_OPTION =
  /^(?:-p|-u|--patch.*|-U.*|--unified.*|-c|--cc|-m|-W|--function-context|--word-diff.*|--inter-hunk-context.*)$/;
const SUMMARY_OPTION =
  /^(?:--(?:stat|numstat|shortstat|dirstat|summary|compact-summary|raw|name-only|name-status|no-patch|quiet)(?:=.*)?|-s)$/;

/** Whether it may print lines of files, of which the names can be listed before. A file that is named by itself was judged by its name. */
const showsContents = ({ command, args, targets, paths }: OpenRequest): boolean => {
  if (command === "grep") return true;
  if (paths === undefined || targets.some((target) => typeof target !== "string" && target.isFile === true)) return false;
  if (args.some((arg) => arg.startsWith("-L"))) return false;
  if (args.some((arg) => PATCH_OPTION.test(arg))) return command === "log" || command === "show" || command === "diff";
  return (command === "show" || command === "diff") && !args.some((arg) => SUMMARY_OPTION.test(arg));
};

/** The same command, with nothing but the names of the files that it would show. */
const toListing = ({ command, args, paths, searchesSecrets }: OpenRequest): Pick<ResolvingRun, "before" | "after"> => {
  const after = toPathWords(paths, searchesSecrets === true ? SECRET_PATHSPECS : []);
  if (command === "grep") return { before: [command, ...args, "--name-only", "-z", "--full-name"], after };
  const plain = args.filter((arg) => arg !== "--graph");
  const names = ["--name-only", "-z", "--no-renames", ...(command === "diff" ? [] : ["--format="])];
  return { before: [command, ...plain, ...names], after };
};

/** `name\0…`, with `revision:` before the name where one was given. Undefined where the listing failed. */
const readNames = ({ output, exitCode, errors }: GitEnd, revisions: readonly string[]): readonly string[] | undefined => {
  if (exitCode !== 0 && errors !== "") return undefined;
  const names = new Set<string>();
  for (const entry of output.split("\0")) {
    const revision = revisions.find((each) => entry.startsWith(`${each}:`));
    const name = revision === undefined ? entry : entry.slice(revision.length + 1);
    // Around the names of a commit stand line breaks, and what a tag says.
    for (const form of [name, name.replace(/^\n+/, ""), name.slice(name.lastIndexOf("\n") + 1)]) if (form !== "") names.add(form);
  }
  return [...names];
};

/** Searches name the revision before each line: as it was asked for, not by its hash. */
const withAskedNames = (end: GitEnd, targets: OpenRequest["targets"], resolved: readonly string[]): GitEnd => {
  let { output } = end;
  for (const [at, hash] of resolved.entries()) {
    const target = targets[at];
    if (target === undefined || typeof target === "string" || target.names.length !== 1) continue;
    const word = toWord(target, target.names);
    output = output.replaceAll(new RegExp(String.raw`^${RegExp.escape(hash)}(?=[:=-])`, "gm"), () => word);
  }
  return { ...end, output };
};

type ResolvingRun = {
  /** The command and its options. */
  readonly before: readonly string[];
  readonly targets: OpenRequest["targets"];
  /** Paths. */
  readonly after: readonly string[];
};

const toWord = ({ around }: RevisionTarget, names: readonly string[]): string =>
  around.reduce((word, text, at) => word + text + (names[at] ?? ""), "");

/**
 * Each target is its texts, names, and what the names have to be; it becomes one word, which is printed on a line of its own. Then the arguments are
 * put in order, and git is run.
 */
const RESOLVE = `p=$1 m=$2 c=$3; shift 3
hash() { "$p" rev-parse --quiet --verify "$1" >/dev/null 2>&1 </dev/null && "$p" rev-parse --quiet --verify "$2" 2>/dev/null </dev/null; }
while [ "$m" -gt 0 ]; do
if [ -n "$3" ]; then a=$(hash "$2" "$3") || exit ${NO_COMMITS}; else a=; fi
if [ -n "$6" ]; then b=$(hash "$5" "$6") || exit ${NO_COMMITS}; else b=; fi
t=$1$a$4$b$7; printf '%s\\n' "$t"; shift 7; set -- "$@" "$t"; m=$((m - 1)); done
while [ "$c" -gt 0 ]; do set -- "$@" "$1"; shift; c=$((c - 1)); done
exec "$p" --no-pager "$@"`;

const runResolving = async (
  repository: Repository,
  run: ResolvingRun,
): Promise<{ readonly end: GitEnd; readonly resolved: readonly string[] }> => {
  const { before, targets, after } = run;
  if (targets.every((target) => typeof target === "string"))
    return { end: await repository.run({ args: [...before, ...targets, ...after] }), resolved: targets };
  if (repository.takesScripts) {
    const parts = targets.flatMap((target) => {
      if (typeof target === "string") return [target, "", "", "", "", "", ""];
      const { names, around } = target;
      const [one = "", other = ""] = names;
      return [around[0] ?? "", toCommit(one), one, around[1] ?? "", toCommit(other), other, around[2] ?? ""];
    });
    const args = [String(targets.length), String(after.length), ...parts, ...after, ...before];
    const end = await repository.run({ script: RESOLVE, args });
    if (end.exitCode === NO_COMMITS) return { end, resolved: [] };
    const { resolved, output } = takeLines(end.output, targets.length);
    return { end: { ...end, output }, resolved };
  }
  const resolved: string[] = [];
  for (const target of targets) {
    const word = typeof target === "string" ? target : await resolveTarget(repository, target);
    if (word === undefined)
      return { end: { exitCode: NO_COMMITS, output: "", bytes: Buffer.alloc(0), errors: "", cut: false }, resolved: [] };
    resolved.push(word);
  }
  return { end: await repository.run({ args: [...before, ...resolved, ...after] }), resolved };
};

const takeLines = (text: string, count: number): { readonly resolved: readonly string[]; readonly output: string } => {
  const resolved: string[] = [];
  let at = 0;
  while (resolved.length < count) {
    const end = text.indexOf("\n", at);
    resolved.push(text.slice(at, end));
    at = end + 1;
  }
  return { resolved, output: text.slice(at) };
};

const resolveTarget = async (repository: Repository, target: RevisionTarget): Promise<string | undefined> => {
  const hashes: string[] = [];
  for (const name of target.names) {
    if (!(await isCommit(repository, name))) return undefined;
    const { output } = await repository.run({ args: ["rev-parse", "--quiet", "--verify", name] });
    hashes.push(output.trim());
  }
  return toWord(target, hashes);
};

export const isCommit = async (repository: Repository, name: string): Promise<boolean> =>
  (await repository.run({ args: ["rev-parse", "--quiet", "--verify", toCommit(name)] })).exitCode === 0;

/** Asks for a commit of that name; nothing can follow a text that one is found by. */
const toCommit = (name: string): string => (name === "" || name.startsWith(":/") ? name : `${name}^{commit}`);
