/**
 * `git_commit`: commits the named files as they are in the workspace, and only those; what else is staged stays staged. The repository's
 * hooks do not run and nothing is signed, since both start programs that the repository names.
 */
import { lstat } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { Tool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { count, toModelText } from "@retinue/confine";
import { escapeName } from "@retinue/confine";
import { toRepositoryPath } from "@retinue/confine";
import type { GitOptions, Repository } from "@retinue/confine";
import { openForCall, toTouches } from "./open-for-call.ts";

const INPUT = z.object({
  message: z.string().trim().min(1).max(20_000),
  paths: z.array(z.string().min(1)).min(1).max(1000).describe("Files or folders."),
});

export type GitCommitInput = z.infer<typeof INPUT>;

export const createGitCommitTool = (options: GitOptions = {}): Tool<GitCommitInput> =>
  defineTool({
    name: "git_commit",
    description: "Commits just these files. Runs no hooks, pushes nothing.",
    input: INPUT,
    effect: "write",
    touches: ({ paths }) => ({ ...toTouches(options, paths), about: `git commit ${paths.join(" ")}` }),
    execute: async ({ message, paths: named }, context) => {
      if (message.includes("\0")) throw new RetinueError("tool_failed", "A message may not contain a NUL character.");
      const repository = await openForCall(options, context);
      if (!repository.hasIdentity)
        throw new RetinueError("tool_failed", "git does not know in whose name to commit.", {
          hint: "The user has to set user.name and user.email: git config --global user.name …",
        });
      const paths: string[] = [];
      for (const each of named) paths.push(await toRepositoryPath(context.workspace, each));
      const quick = await commitKnown(repository, paths, message);
      if (quick !== undefined) return toModelText(quick);
      const changed = await listChanges(repository, paths);
      const embedded = changed.filter(isEmbedded).map(({ file }) => file);
      const changes = changed.filter((change) => !isEmbedded(change));
      const files = changes.map(({ file }) => file);
      if (files.length === 0)
        throw new RetinueError("tool_failed", `Nothing has changed in these paths.${toNote(embedded)}`, {
          hint: 'See git {"args": ["status"]}.',
        });
      const secret = files.find((file) => repository.isSecret(repository.prefix + file));
      if (secret !== undefined)
        throw new RetinueError(
          "path_protected",
          `${escapeName(secret)} is a secret, or a part of git itself; agents do not commit it.`,
          {
            hint: "Name the other files one by one.",
          },
        );
      await requireNoFilter(repository, files);
      // Git commits by name only what it knows. Not `add`, which runs git in embedded repositories, with whatever programs their settings name.
      const unknown = changes.filter(({ letter }) => letter === "?").map(({ file }) => file);
      if (unknown.length > 0)
        await repository.read({
          writes: true,
          args: ["update-index", "--add", "--replace", "-z", "--stdin"],
          input: toList(unknown),
        });
      const said = await repository.read({
        writes: true,
        literalPaths: true,
        args: toCommit(message),
        input: toList(files),
      });
      return toModelText(describeCommit(said, changes, repository.prefix) + toNote(embedded));
    },
  });

const toCommit = (message: string): readonly string[] => [
  "commit",
  "--no-verify",
  "--no-gpg-sign",
  "--no-status",
  "--only",
  `--message=${message}`,
  "--pathspec-from-file=-",
  "--pathspec-file-nul",
];

/** Looks for filters of the files (as many as is said, then the commit), tells what has changed, and commits: three calls of git in one sandbox. */
const COMMIT_KNOWN = `p=$1 n=$2; shift 2
found=$("$p" check-attr filter -- "$@" 2>/dev/null </dev/null) || exit 96
[ "$(printf '%s\\n' "$found" | grep -c -v -E ': filter: (unspecified|unset)$')" = 0 ] || exit 96
shift "$n"
"$p" --no-pager status --porcelain -z --no-renames --untracked-files=no --ignore-submodules=dirty </dev/null || exit 96
printf '\\0'
exec "$p" --no-pager --literal-pathspecs "$@"`;

const MOST_KNOWN = 100;
const MOST_LISTED_BYTES = 50_000_000;

/**
 * The usual case: single files that git knows already. Undefined where there is anything else to it, and then nothing was committed: git commits none of the
 * files where one is unknown, and what would go through a filter is not committed at all.
 */
const commitKnown = async (repository: Repository, files: readonly string[], message: string): Promise<string | undefined> => {
  if (!repository.takesScripts || files.length > MOST_KNOWN) return undefined;
  for (const file of files) {
    const stats = await lstat(path.join(repository.workspace, file)).catch(() => undefined);
    if (stats?.isFile() !== true || repository.isSecret(repository.prefix + file)) return undefined;
  }
  const { exitCode, output } = await repository.run({
    writes: true,
    script: COMMIT_KNOWN,
    args: [String(files.length), ...files, ...toCommit(message)],
    input: toList(files),
    maxBytes: MOST_LISTED_BYTES,
  });
  if (exitCode !== 0) return undefined;
  const end = output.startsWith("\0") ? 0 : output.indexOf("\0\0") + 1;
  const changes = toChanges(output.slice(0, end), repository).filter(({ file }) => files.includes(file));
  return describeCommit(output.slice(end + 1), changes, repository.prefix);
};

/** `letter` is that of git's own lists: M, A, D, T; `?` where git does not know the file yet. */
type Change = { readonly letter: string; readonly file: string };

const toList = (files: readonly string[]): string => files.map((file) => `${file}\0`).join("");

/** A repository that git does not know yet is listed as a folder. */
const isEmbedded = ({ file }: Change): boolean => file.endsWith("/");

const toNote = (embedded: readonly string[]): string =>
  embedded.length === 0 ? "" : `\n[left out, since it is a repository of its own: ${embedded.map(escapeName).join(", ")}]`;

/** Files of the paths that are not as in the last commit, relative to the workspace. */
const listChanges = async (repository: Repository, paths: readonly string[]): Promise<readonly Change[]> => {
  const args = [
    "status",
    "--porcelain",
    "-z",
    "--no-renames",
    "--untracked-files=all",
    "--ignore-submodules=dirty",
    "--",
    ...paths,
  ];
  return toChanges(await repository.read({ args, literalPaths: true }), repository);
};

const toChanges = (output: string, { prefix }: Pick<Repository, "prefix">): readonly Change[] =>
  output
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => ({ letter: toLetter(entry), file: entry.slice(STATUS_CHARS + prefix.length) }));

/** Of the index and of the file, in this order; what is staged as new is new, whatever became of it since, unless it is gone. */
const toLetter = (entry: string): string => {
  const [index = " ", file = " "] = entry;
  if (index === "?" || file === "D") return file;
  return index === "A" || file === " " ? index : file;
};

/** `XY name`, from the top of the repository. */
const STATUS_CHARS = 3;
const FILES_AT_ONCE = 200;

/** A filter, such as that of Git LFS, says what is to be stored; without running it the wrong content would be committed. */
const requireNoFilter = async (repository: Repository, files: readonly string[]): Promise<void> => {
  for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
    const args = ["check-attr", "-z", "filter", "--", ...files.slice(at, at + FILES_AT_ONCE)];
    const fields = (await repository.read({ args })).split("\0");
    for (let field = 0; field + 2 < fields.length; field += 3) {
      const [file, , value] = fields.slice(field, field + 3);
      if (value !== "unspecified" && value !== "unset")
        throw new RetinueError(
          "tool_failed",
          `${file} goes through the filter "${value}" of .gitattributes, which is not run here.`,
          {
            hint: "The user has to commit it; leave it out.",
          },
        );
    }
  }
};

/** From what git says of the commit that it made: `[branch hash] subject`. */
const describeCommit = (said: string, changes: readonly Change[], prefix: string): string => {
  const [, hash = "", subject = ""] = /^\[[^\n]*?([0-9a-f]{4,64})\] ([^\n]*)/.exec(said) ?? [];
  const lines = changes.map(({ letter, file }) => `${letter === "?" ? "A" : letter}\t${prefix}${escapeName(file)}`);
  return [`Committed ${hash} ${subject} (${count(changes.length, "file")}; hooks were not run).`, ...lines].join("\n");
};
