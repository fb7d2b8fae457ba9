/**
 * The commands of git that only look, each with the options it may be given. What is not in the table is refused: an option that writes a
 * file, reads one from elsewhere, starts a program or goes to the network is not in it.
 */

export type ReadCommand = {
  /** Options without a value, or with one after `=` that may be left out. */
  readonly flags: readonly string[];
  /** Options with a value, after `=`, attached to a single letter, or as the next argument. */
  readonly values?: readonly string[];
  /** Options whose value is a revision, `HEAD` where it is left out. */
  readonly revisionValues?: readonly string[];
  /** Options of which the rest is a number or the like. */
  readonly patterns?: readonly RegExp[];
  /** What the other arguments are. */
  readonly takes: "revisions-and-paths" | "revisions" | "paths" | "names" | "pattern-revisions-and-paths" | "nothing";
  /** Always given, before the other options. */
  readonly always?: readonly string[];
  /** Allowed first argument of a command that has commands of its own; the first of them by default. */
  readonly subcommands?: readonly string[];
  /** When no revision is given. */
  readonly defaultRevision?: string;
  /** Gives contents by the name of an object, whatever folder it is from; refused where the workspace is only a part of the repository. */
  readonly anyObject?: true;
};

const words = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(" "));

/** Not `-z`, by which the headings of a diff would no longer stand on lines of their own, nor `--check`, which shows lines without a heading. */
const DIFF_FLAGS = words(
  "-p -u --patch -s --no-patch --raw --stat --numstat --shortstat --dirstat --summary --compact-summary",
  "--name-only --name-status --patch-with-stat --minimal --patience --histogram --no-renames",
  "--find-renames --find-copies --find-copies-harder -w -b --ignore-all-space --ignore-space-change",
  "--ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol -R -a --text --full-index",
  "--abbrev --word-diff -W --function-context --pickaxe-regex --pickaxe-all --exit-code --quiet",
  "--no-color",
);
const DIFF_VALUES = [
  "-U",
  "--unified",
  "--inter-hunk-context",
  "--diff-filter",
  "-S",
  "-G",
  "--diff-algorithm",
  "-I",
  "--word-diff-regex",
];
const DIFF_PATTERNS = [/^-[MC]\d*%?$/];
const DIFF_ALWAYS = ["--no-ext-diff", "--no-textconv"];

const RANGE_FLAGS = words(
  "--all --branches --tags --remotes --merges --no-merges --first-parent --reverse --date-order",
  "--topo-order --author-date-order --ancestry-path --cherry-pick --cherry --cherry-mark --left-right",
  "--left-only --right-only --boundary --full-history --simplify-merges --no-walk --parents --children",
  "-i --regexp-ignore-case -E --extended-regexp -F --fixed-strings -P --perl-regexp --all-match",
  "--invert-grep",
);
const RANGE_VALUES = [
  "-n",
  "--max-count",
  "--skip",
  "--since",
  "--after",
  "--until",
  "--before",
  "--author",
  "--committer",
  "--grep",
];
const RANGE_PATTERNS = [/^-\d+$/];

const LOG_FLAGS = words(
  "--oneline --graph --decorate --no-decorate --follow -g --walk-reflogs --abbrev-commit",
  "--no-abbrev-commit --pretty --source --relative-date -m -c --cc --no-notes",
);
const LOG_VALUES = ["--format", "--date", "-L"];

const REF_FLAGS = ["--ignore-case"];
const REF_VALUES = ["--sort", "--format"];
const REF_REVISIONS = ["--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];

export const READ_COMMANDS: ReadonlyMap<string, ReadCommand> = new Map<string, ReadCommand>([
  [
    "status",
    {
      flags: words(
        "-s --short -b --branch --porcelain --long -u --untracked-files --ignored -z --show-stash",
        "--ahead-behind --no-ahead-behind --renames --no-renames",
      ),
      patterns: [/^-u(no|normal|all)$/],
      takes: "paths",
      always: ["--ignore-submodules=dirty"],
    },
  ],
  [
    "log",
    {
      flags: [...DIFF_FLAGS, ...RANGE_FLAGS, ...LOG_FLAGS],
      values: [...DIFF_VALUES, ...RANGE_VALUES, ...LOG_VALUES],
      patterns: [...DIFF_PATTERNS, ...RANGE_PATTERNS],
      takes: "revisions-and-paths",
      always: DIFF_ALWAYS,
    },
  ],
  [
    "show",
    {
      flags: [...DIFF_FLAGS, ...LOG_FLAGS],
      values: [...DIFF_VALUES, "--format", "--date"],
      patterns: DIFF_PATTERNS,
      takes: "revisions-and-paths",
      always: DIFF_ALWAYS,
    },
  ],
  [
    "diff",
    {
      flags: [...DIFF_FLAGS, "--cached", "--staged", "--merge-base"],
      values: DIFF_VALUES,
      patterns: DIFF_PATTERNS,
      takes: "revisions-and-paths",
      always: [...DIFF_ALWAYS, "--ignore-submodules=dirty"],
    },
  ],
  [
    "blame",
    {
      flags: words(
        "-l -t -s -e -w -f -n -p --root --show-name --show-number --show-email --show-stats --porcelain",
        "--line-porcelain --first-parent",
      ),
      values: ["-L", "--since", "--date", "--abbrev", "--ignore-rev"],
      patterns: [/^-[MC]\d*$/],
      takes: "revisions-and-paths",
      always: ["--no-textconv"],
    },
  ],
  [
    "branch",
    {
      flags: [...REF_FLAGS, "-a", "--all", "-r", "--remotes", "-v", "-vv", "--verbose", "--list", "-l", "--show-current"],
      values: [...REF_VALUES, "--abbrev"],
      revisionValues: REF_REVISIONS,
      takes: "names",
      // With it, no name makes a branch.
      always: ["--list"],
    },
  ],
  [
    "tag",
    {
      flags: [...REF_FLAGS, "-l", "--list"],
      values: REF_VALUES,
      revisionValues: REF_REVISIONS,
      patterns: [/^-n\d*$/],
      takes: "names",
      always: ["--list"],
    },
  ],
  [
    "rev-parse",
    {
      flags: words(
        "--abbrev-ref --short --verify -q --quiet --symbolic-full-name --symbolic --all --branches --tags",
        "--show-toplevel --show-prefix --git-dir --is-inside-work-tree --is-shallow-repository",
      ),
      takes: "revisions",
    },
  ],
  [
    "ls-files",
    {
      flags: words(
        "-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -t -v -z",
        "--exclude-standard --directory --error-unmatch --eol --deduplicate --abbrev",
      ),
      values: ["-x", "--exclude"],
      takes: "paths",
    },
  ],
  [
    "ls-tree",
    {
      flags: ["-r", "-d", "-t", "-l", "--long", "-z", "--name-only", "--name-status", "--abbrev"],
      takes: "revisions-and-paths",
      defaultRevision: "HEAD",
    },
  ],
  [
    "shortlog",
    {
      flags: [...RANGE_FLAGS, "-s", "--summary", "-n", "--numbered", "-e", "--email", "-c"],
      values: [...RANGE_VALUES.filter((option) => option !== "-n"), "--group"],
      takes: "revisions-and-paths",
      defaultRevision: "HEAD",
    },
  ],
  [
    "rev-list",
    {
      flags: [...RANGE_FLAGS, "--count", "--oneline", "--abbrev-commit"],
      values: RANGE_VALUES,
      patterns: RANGE_PATTERNS,
      takes: "revisions-and-paths",
    },
  ],
  ["merge-base", { flags: ["-a", "--all", "--is-ancestor", "--octopus", "--independent"], takes: "revisions" }],
  [
    "describe",
    {
      flags: ["--tags", "--all", "--always", "--long", "--contains", "--exact-match", "--first-parent"],
      values: ["--abbrev", "--match", "--exclude", "--candidates"],
      takes: "revisions",
    },
  ],
  ["cat-file", { flags: ["-t", "-s", "-p", "-e"], takes: "revisions", anyObject: true }],
  [
    "grep",
    {
      flags: words(
        "-n --line-number -i --ignore-case -w --word-regexp -l --files-with-matches --name-only -L",
        "--files-without-match -c --count -E --extended-regexp -F --fixed-strings -P --perl-regexp -h -H -o",
        "--only-matching -v --invert-match --cached --untracked -p --show-function -W --heading --break",
      ),
      values: ["-e", "-A", "-B", "-C", "--max-depth"],
      takes: "pattern-revisions-and-paths",
      always: ["--no-textconv"],
    },
  ],
  [
    "reflog",
    {
      flags: [...LOG_FLAGS, "--all"],
      values: ["-n", "--max-count", "--format", "--date", "--since", "--until"],
      patterns: RANGE_PATTERNS,
      takes: "revisions",
      subcommands: ["show"],
    },
  ],
  [
    "stash",
    {
      // Its changes cannot be kept to some paths, so that only their names are shown.
      flags: words("--stat --numstat --shortstat --name-only --name-status --summary --oneline"),
      values: ["-n", "--format", "--date"],
      patterns: RANGE_PATTERNS,
      takes: "names",
      subcommands: ["list", "show"],
      always: DIFF_ALWAYS,
      anyObject: true,
    },
  ],
  ["remote", { flags: ["-v", "--verbose"], takes: "nothing" }],
  ["worktree", { flags: ["-v", "--verbose", "--porcelain"], takes: "nothing", subcommands: ["list"] }],
  ["for-each-ref", { flags: REF_FLAGS, values: [...REF_VALUES, "--count"], revisionValues: REF_REVISIONS, takes: "names" }],
  ["show-ref", { flags: ["--heads", "--tags", "-d", "--dereference", "--head", "--abbrev", "-s", "--hash"], takes: "names" }],
  ["name-rev", { flags: ["--tags", "--name-only", "--always"], takes: "revisions" }],
  ["check-ignore", { flags: ["-v", "--verbose", "-n", "--non-matching", "-q"], takes: "paths" }],
  ["count-objects", { flags: ["-v", "-H", "--verbose", "--human-readable"], takes: "nothing" }],
  ["version", { flags: [], takes: "nothing" }],
]);
