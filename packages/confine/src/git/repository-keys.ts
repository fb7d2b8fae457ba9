/**
 * Asks git whether it takes the repository for the one that was found, and which settings it has: those that name programs are then switched off.
 * As long as no file is changed that says either, the answer is remembered.
 */
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { FoundRepository } from "./find-repository.ts";
import type { GitEnd } from "./git-process.ts";
import { foreignRepository } from "./foreign-repository.ts";
import { requireOwnRepository } from "./repository-place.ts";
import { toFailure } from "./git-failure.ts";
import { signatureOf } from "./user-settings.ts";

export type ReadRepositoryKeys = {
  readonly found: FoundRepository;
  readonly workspace: string;
  readonly run: (args: readonly string[]) => Promise<GitEnd>;
  /** Without settings of ours, so that all which git lists are the repository's. */
  readonly runWithoutOurs: (args: readonly string[]) => Promise<GitEnd>;
};

type Remembered = { readonly signature: string; readonly keys: readonly string[] };

const remembered = new Map<string, Remembered>();
const MOST_REMEMBERED = 200;

export const readRepositoryKeys = async (read: ReadRepositoryKeys): Promise<readonly string[]> => {
  const { found, workspace, run } = read;
  const { top, gitFolder, commonFolder, candidates } = found;
  const sources = [
    ...candidates.slice(0, -1),
    ...["config", "config.worktree", "commondir", "gitdir", "HEAD"].map((name) => path.join(gitFolder, name)),
    path.join(commonFolder, "config"),
  ];
  const key = JSON.stringify([workspace, top, gitFolder, commonFolder]);
  const from = Date.now();
  const signature = await signatureOf(sources);
  const before = remembered.get(key);
  if (before?.signature === signature) return before.keys;
  await requireOwnRepository({
    ...found,
    workspace,
    readNamedTop: async () => {
      const named = await run(["config", "--file", path.join(gitFolder, "config"), "--get", "core.worktree"]);
      return named.exitCode === 0 ? named.output.replace(/\n$/, "") : undefined;
    },
  });
  await requireSamePlace(found, workspace, run);
  const keys = toKeys(await read.runWithoutOurs(["config", "--null", "--list", "--name-only"]));
  remembered.delete(key);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  // What is included from elsewhere may change without any of these files.
  if (!keys.some((each) => /^include/i.test(each)) && !isRecent(signature, from)) remembered.set(key, { signature, keys });
  return keys;
};

/** A change this soon after another may bear the same time. */
const SURE_AFTER_MS = 100;

const isRecent = (signature: string, now: number): boolean =>
  signature.split(" ").some((each) => {
    const changedAt = Number(BigInt(each.split(":").at(-1)?.replace("-", "0") ?? "0") / 1_000_000n);
    return now - changedAt < SURE_AFTER_MS;
  });

const requireSamePlace = async (
  { top, gitFolder, commonFolder }: FoundRepository,
  workspace: string,
  run: ReadRepositoryKeys["run"],
): Promise<void> => {
  const end = await run(["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"]);
  if (end.exitCode !== 0) {
    if (/not a git repository/.test(end.errors))
      throw new RetinueError("tool_failed", "The workspace is no git repository.", { hint: "Do without git." });
    throw toFailure(end);
  }
  const [saidTop = "", saidFolder = "", saidCommon = "", ...rest] = end.output.replace(/\n$/, "").split("\n");
  if (rest.length > 0) throw new RetinueError("tool_failed", "The place of the repository cannot be told from what git says.");
  if (path.resolve(saidTop) !== top) throw foreignRepository(`its files are in ${saidTop}`);
  if (path.resolve(saidFolder) !== gitFolder) throw foreignRepository(`git takes ${saidFolder} for it`);
  if (path.resolve(workspace, saidCommon) !== commonFolder) throw foreignRepository(`it takes its history from ${saidCommon}`);
};

const toKeys = (end: GitEnd): readonly string[] => {
  // Without all of its keys the repository's programs could not be switched off.
  if (end.exitCode !== 0 || end.cut) throw toFailure(end);
  return end.output.split("\0").filter((key) => key !== "");
};
