/**
 * Decides, file by file and without writing to the workspace, what a merge will do: what the run changed is compared with what the workspace holds
 * by now. What cannot be merged, or is not the run's to change, is told and left.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { FileVersion, Grant, MergeConflict, PlannedChange } from "@retinue/protocol";
import type { MergePlan, RunWorktree } from "@retinue/runtime";
import { BOUND, createPathMatcher, isInScope, isInside, protectionOf, toFileVersion } from "@retinue/runtime";
import type { GitOptions, Repository } from "../git/repository.ts";
import { inFolderOf } from "../files/write-inside.ts";
import type { ObjectFormat } from "./blob-id.ts";
import { formatOf } from "./blob-id.ts";
import { copyFile } from "./copy-files.ts";
import { mergeFile } from "./merge-file.ts";
import { mergeLines } from "./merge-lines.ts";
import { openSource } from "./open-source.ts";
import type { OwnGit } from "./own-git.ts";
import { LINK_MODE, readVersion, splitVersion } from "./read-version.ts";
import { pathsOf } from "./worktree-paths.ts";

export type MergeOptions = GitOptions & {
  /** Files that trusted hooks and servers run, absolute and real: nothing is merged into them. */
  readonly bound?: () => readonly string[];
};

export type PlanMerge = {
  readonly of: RunWorktree;
  readonly base: string;
  readonly commit: string;
  readonly writes: Grant["writes"];
};

type Changed = { readonly path: string; readonly base: FileVersion | null; readonly theirs: FileVersion | null };
type Decision = { readonly to: FileVersion | null; readonly from: FileVersion | null } | { readonly reason: string } | null;

export const planMerge = async (work: PlanMerge, options: MergeOptions, signal: AbortSignal): Promise<MergePlan> => {
  const { of, base, commit } = work;
  const { stage } = pathsOf(of);
  await mkdir(stage, { recursive: true });
  const { repository, git } = await openSource({ ...options, workspace: of.of, scratch: [stage], signal });
  const prefix = path.relative(of.folder, of.workspace).replaceAll(path.sep, "/");
  const { inside, conflicts } = await readChanges(git, { base, commit, prefix });
  const refuse = createRefusal(work, options, git);
  const merger: Merger = {
    of,
    git,
    format: formatOf(base),
    repository,
    stage,
    deleted: new Set(inside.filter(isDeletion).map((one) => one.path)),
  };
  const changes: PlannedChange[] = [];
  // What is deleted goes first, so that something else may stand in its place.
  for (const one of inside.toSorted((a, b) => Number(isDeletion(b)) - Number(isDeletion(a)))) {
    const reason = await refuse(one);
    const decision: Decision = reason === undefined ? await decide(one, merger) : { reason };
    if (decision === null) continue;
    if ("reason" in decision) conflicts.push({ path: one.path, reason: decision.reason });
    else changes.push({ path: one.path, from: decision.from, to: decision.to });
  }
  await rm(stage, { recursive: true, force: true });
  return { changes, conflicts };
};

const isDeletion = ({ theirs }: Changed): boolean => theirs === null;

/** What the run changed. Outside of its workspace it had nothing to change. */
const readChanges = async (
  git: OwnGit,
  { base, commit, prefix }: { readonly base: string; readonly commit: string; readonly prefix: string },
): Promise<{ readonly inside: readonly Changed[]; readonly conflicts: MergeConflict[] }> => {
  const fields = (await git.read(["diff-tree", "-r", "-z", "--raw", "--no-renames", base, commit])).split("\0");
  const inside: Changed[] = [];
  const conflicts: MergeConflict[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", newMode = "", oldId = "", newId = ""] = (fields[at] ?? "").slice(1).split(" ");
    const file = fields[at + 1] ?? "";
    const relative = prefix === "" ? file : path.posix.relative(prefix, file);
    if (relative.startsWith("../")) conflicts.push({ path: relative, reason: "it lies outside the workspace" });
    else inside.push({ path: relative, base: toVersion(oldMode, oldId), theirs: toVersion(newMode, newId) });
  }
  return { inside, conflicts };
};

const toVersion = (mode: string, id: string): FileVersion | null => (Number(mode) === 0 ? null : toFileVersion(mode, id));

/** Why a change is not merged, whatever stands in the workspace. */
const createRefusal = ({ of, writes }: PlanMerge, { unprotected = [], bound = () => [] }: MergeOptions, git: OwnGit) => {
  const isFree = createPathMatcher(unprotected, { anyCase: true });
  return async ({ path: file, theirs }: Changed): Promise<string | undefined> => {
    const protection = protectionOf(file);
    if (protection?.write === "deny" && !isFree(file)) return `it is ${protection.why}`;
    if (bound().includes(path.join(of.of, file)) && !isFree(file)) return `it is ${BOUND.why}`;
    if (!isInScope(writes, file)) return "it is not among the paths that this agent may write";
    if (theirs === null || splitVersion(theirs).mode !== LINK_MODE) return undefined;
    const { id } = splitVersion(theirs);
    const target = (await git.readBlobs([id])).get(id)?.toString("utf8") ?? "";
    const leadsTo = path.resolve(path.dirname(path.join(of.of, file)), target);
    return path.isAbsolute(target) || !isInside(of.of, leadsTo)
      ? "it is a symbolic link that leads out of the workspace"
      : undefined;
  };
};

type Merger = {
  readonly of: RunWorktree;
  readonly git: OwnGit;
  readonly format: ObjectFormat;
  readonly repository: Repository;
  readonly stage: string;
  /** Paths that the run deleted. */
  readonly deleted: ReadonlySet<string>;
};

/** Null where the workspace holds it already. */
const decide = async ({ path: file, base, theirs }: Changed, merger: Merger): Promise<Decision> => {
  const { of, git, format, deleted } = merger;
  const standing = await readVersion({ root: of.of, file, format });
  if (standing.type === "unusable") return { reason: standing.why };
  if (standing.type === "nothing" && standing.isBlocked && !foldersOf(file).some((folder) => deleted.has(folder)))
    return theirs === null ? null : { reason: "a file stands in the workspace where one of its folders would be" };
  if (standing.type === "folder" && ![...deleted].some((gone) => gone.startsWith(`${file}/`)))
    return { reason: "a folder stands in its place in the workspace" };
  const ours = standing.type === "file" || standing.type === "link" ? standing.version : null;
  const merged = mergeFile({ base, theirs, ours });
  switch (merged.type) {
    case "same":
      return null;
    case "take":
      return merged.version === ours ? null : { from: ours, to: merged.version };
    case "conflict":
      return { reason: merged.reason };
    case "lines": {
      // Those that have lines to merge have all three.
      const [origin, other] = [splitVersion(base ?? ""), splitVersion(theirs ?? "")];
      const stored = await git.readBlobs([origin.id, other.id]);
      const current = await storeCurrent(file, merger);
      if (current.version !== splitVersion(ours ?? "").id) return { reason: "it is being changed in the workspace" };
      const lines = await mergeLines(
        {
          base: stored.get(origin.id) ?? Buffer.alloc(0),
          ours: current.content,
          theirs: stored.get(other.id) ?? Buffer.alloc(0),
        },
        merger.repository,
        merger.stage,
      );
      if (lines.type === "conflict") return { reason: lines.reason };
      const at = path.join(merger.stage, "merged");
      await writeFile(at, lines.content);
      const [id = ""] = await git.storeFiles([at]);
      const version = toFileVersion(merged.mode, id);
      return version === ours ? null : { from: ours, to: version };
    }
    default:
      return merged satisfies never;
  }
};

const foldersOf = (file: string): readonly string[] => {
  const names = file.split("/");
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"));
};

/** The content of a file of the workspace, which is stored too: what a merge replaces can be had again. */
const storeCurrent = async (
  file: string,
  { of, git, stage }: Merger,
): Promise<{ readonly version: string; readonly content: Buffer }> => {
  const at = path.join(stage, "current");
  await rm(at, { force: true });
  await inFolderOf({ root: of.of, file, make: false }, (folder, name) => copyFile(folder, name, at));
  const [version = ""] = await git.storeFiles([at]);
  return { version, content: await readFile(at) };
};
