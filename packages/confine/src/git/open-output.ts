/** Runs a command of git that may show contents, without those that are kept from agents: git itself is told to leave them out. */
import { readDiffPaths } from "./diff-paths.ts";
import type { GitEnd } from "./git-process.ts";
import type { Repository } from "./repository.ts";

export type OpenRequest = {
  readonly command: string;
  /** Options. */
  readonly args: readonly string[];
  /** Revisions or names. */
  readonly targets: readonly string[];
  /** Undefined where the command takes none. */
  readonly paths: readonly string[] | undefined;
  /** Names that have to be commits: otherwise nothing is run, and the exit code is `NO_COMMITS`. */
  readonly commits?: readonly string[];
  /** Pathspecs of what is not even to be searched. */
  readonly leaveOut?: readonly string[];
};

/** No command of git ends so. */
export const NO_COMMITS = 97;

/** The names first, as many as is said, and then the command. */
const IF_COMMITS = `p=$1 n=$2; shift 2
while [ "$n" -gt 0 ]; do "$p" rev-parse --quiet --verify "$1" >/dev/null 2>&1 </dev/null || exit ${NO_COMMITS}; shift; n=$((n - 1)); done
exec "$p" --no-pager "$@"`;

export type OpenEnd = {
  readonly end: GitEnd;
  /** Files that were left out. */
  readonly withheld: readonly string[];
};

/** Each round leaves out what the one before has shown; what is left after these is not handed on at all. */
const MAX_ROUNDS = 5;

export const runOpenly = async (repository: Repository, request: OpenRequest): Promise<OpenEnd> => {
  const { command, args, targets, paths, commits = [], leaveOut = [] } = request;
  let withheld: readonly string[] = [];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const exclusions = [...leaveOut, ...withheld.map((file) => `:(top,exclude,literal)${file}`)];
    // A file that is named by its revision is no path, and takes none.
    const all =
      paths === undefined || (exclusions.length === 0 && paths.length === 0)
        ? paths
        : [...(paths.length === 0 ? ["."] : paths), ...exclusions];
    const run = (more: readonly string[]): Promise<GitEnd> => {
      const called = [command, ...args, ...more, ...targets, ...(all === undefined ? [] : ["--", ...all])];
      return repository.run(
        commits.length === 0
          ? { args: called }
          : { script: IF_COMMITS, args: [String(commits.length), ...commits.map(asCommit), ...called] },
      );
    };
    const shown =
      command === "grep" ? readMatchedPaths(await run(["--name-only", "-z", "--full-name"]), targets.length > 0) : undefined;
    const end = shown?.some(repository.isSecret) ? undefined : await run([]);
    const secrets = (shown ?? readDiffPaths(end?.output ?? "")).filter(repository.isSecret);
    if (end && secrets.length === 0) return { end, withheld };
    withheld = [...withheld, ...secrets];
  }
  const bytes = Buffer.alloc(0);
  const end = { exitCode: 1, output: "", bytes, errors: "Too many files are kept from agents; name a path.", cut: false };
  return { end, withheld };
};

/** Asks for a commit of that name; nothing can follow a text that one is found by. */
export const asCommit = (name: string): string => (name.startsWith(":/") ? name : `${name}^{commit}`);

/** `name\0…`, with `revision:` before the name where one was given. */
const readMatchedPaths = ({ output }: GitEnd, hasRevision: boolean): readonly string[] =>
  output
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => (hasRevision ? entry.slice(entry.indexOf(":") + 1) : entry));
