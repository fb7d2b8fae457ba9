/**
 * The plumbing of git as worktrees need it: objects, trees, commits and refs of ours. Nothing here touches the user's index, branches, HEAD,
 * stash or reflog, and contents are stored as they stand, whatever conversions the repository asks for.
 */
import { RetinueError } from "@retinue/protocol";
import type { GitRun, Repository } from "../git/repository.ts";

export type OwnGit = {
  readonly read: (args: readonly string[], more?: Omit<GitRun, "args">) => Promise<string>;
  /** Stores the contents of files and gives their ids in order. Absolute paths, or relative to the repository's workspace. */
  readonly storeFiles: (files: readonly string[]) => Promise<readonly string[]>;
  /** The contents of blobs, by their ids. */
  readonly readBlobs: (ids: readonly string[]) => Promise<ReadonlyMap<string, Buffer>>;
  readonly commit: (tree: string, parents: readonly string[], message: string) => Promise<string>;
};

const LIST_BYTES = 512 * 1024 * 1024;
const TIMEOUT_MS = 300_000;
const BLOBS_AT_ONCE = 64;

/** Ways of keeping an index that would make it depend on more than its file, or believe less than it sees. */
const PLAIN_INDEX = [
  "core.splitIndex=false",
  "core.untrackedCache=false",
  "core.trustctime=true",
  "core.checkStat=default",
  "core.ignoreStat=false",
  "core.logAllRefUpdates=false",
  "index.sparse=false",
].flatMap((setting) => ["-c", setting]);

/** So that whoever looks at such a commit knows whose it is; the user's name is not borrowed. */
const IDENTITY = {
  GIT_AUTHOR_NAME: "retinue",
  GIT_AUTHOR_EMAIL: "retinue@localhost",
  GIT_COMMITTER_NAME: "retinue",
  GIT_COMMITTER_EMAIL: "retinue@localhost",
};

/** Commands that write to `.git`; the others see it read-only. */
const WRITING: ReadonlySet<string> = new Set([
  "commit-tree",
  "hash-object",
  "mktree",
  "update-index",
  "update-ref",
  "worktree",
  "write-tree",
]);

const toRun = (args: readonly string[], more: Omit<GitRun, "args">): GitRun => ({
  maxBytes: LIST_BYTES,
  timeoutMs: TIMEOUT_MS,
  writes: WRITING.has(args[0] ?? ""),
  ...more,
  args: [...PLAIN_INDEX, ...args],
});

/** `scratch` are folders of ours, outside of the repository, that git may use. */
export const createOwnGit = (repository: Repository, scratch: readonly string[] = []): OwnGit => {
  const read: OwnGit["read"] = async (args, more = {}) => {
    const end = await repository.run(toRun(args, { alsoWrites: scratch, ...more }));
    if (end.exitCode !== 0 || end.cut)
      throw new RetinueError("tool_failed", `git ${args[0] ?? ""} failed: ${end.errors || "it said nothing."}`);
    return end.output;
  };
  const readSome = async (ids: readonly string[], found: Map<string, Buffer>): Promise<void> => {
    const end = await repository.run(toRun(["cat-file", "--batch"], { input: ids.map((id) => `${id}\n`).join("") }));
    if (end.exitCode !== 0 || end.cut) throw new RetinueError("tool_failed", `git cat-file failed: ${end.errors}`);
    for (let at = 0; at < end.bytes.length;) {
      const lineEnd = end.bytes.indexOf(10, at);
      const [id = "", type, size] = end.bytes.subarray(at, lineEnd).toString("utf8").split(" ");
      if (type !== "blob") throw new RetinueError("tool_failed", `The content ${id} is missing in the repository.`);
      const begin = lineEnd + 1;
      found.set(id, end.bytes.subarray(begin, begin + Number(size)));
      at = begin + Number(size) + 1;
    }
  };
  return {
    read,
    storeFiles: async (files) => {
      if (files.length === 0) return [];
      const args = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
      return (await read(args, { input: files.map((file) => `${toLine(file)}\n`).join("") })).trimEnd().split("\n");
    },
    readBlobs: async (ids) => {
      const found = new Map<string, Buffer>();
      const wanted = [...new Set(ids)];
      for (let at = 0; at < wanted.length; at += BLOBS_AT_ONCE) await readSome(wanted.slice(at, at + BLOBS_AT_ONCE), found);
      return found;
    },
    commit: async (tree, parents, message) =>
      (
        await read(["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-m", message], {
          environment: IDENTITY,
        })
      ).trim(),
  };
};

/** A name on a line of its own, quoted where it would otherwise not be read as it is. */
const toLine = (file: string): string =>
  /["\\\n]/.test(file) ? `"${file.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll("\n", String.raw`\n`)}"` : file;

/** `a\0b\0` → a, b. */
export const splitNul = (output: string): readonly string[] => output.split("\0").filter((entry) => entry !== "");

export type IndexEntry = { readonly file: string; readonly mode: string; readonly id: string };

/** For `update-index -z --index-info`. */
export const toIndexInfo = (entries: readonly IndexEntry[]): string =>
  entries.map(({ file, mode, id }) => `${mode} ${id}\t${file}\0`).join("");
