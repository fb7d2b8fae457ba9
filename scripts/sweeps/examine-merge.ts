/** Judges whether what runs did in worktrees came whole into the workspace, once, and whether anything was left behind. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Evidence, Find } from "./examine.ts";
import { PLANTED_LOCKS, workspaceIn, worktreesIn } from "./victim-worktrees.ts";

export const examineMerge = ({ scenario, folder, final: { events } }: Evidence, find: Find): void => {
  const { files } = scenario.expected;
  if (files === undefined) return;
  const isolated = scenario.agents.filter(({ isolation }) => isolation === "worktree").length;
  const merged = events.filter((event) => event.type === "worktree.merged");
  if (merged.length !== isolated) find("wrong-merge", `${merged.length} merges were recorded`);
  for (const { conflicts, notMerged, ref } of merged)
    if (conflicts.length > 0 || notMerged !== undefined || ref !== null)
      find("wrong-merge", `not all was merged: ${JSON.stringify({ conflicts, notMerged, ref })}`);
  const workspace = workspaceIn(folder);
  const found = Object.fromEntries(listFiles(workspace).map((file) => [file, readFileSync(path.join(workspace, file), "utf8")]));
  if (!isDeepStrictEqual(found, files)) find("wrong-merge", `the workspace holds ${JSON.stringify(found)}`);
  const left = [worktreesIn(folder), path.join(workspace, ".git/worktrees"), path.join(workspace, ".git/refs/retinue")].flatMap(
    (place) => (existsSync(place) ? readdirSync(place) : []),
  );
  if (left.length > 0) find("wrong-merge", `${left.join(", ")} was left behind`);
  const locks = locksOf(path.join(workspace, ".git"));
  const ours = locks.filter((name) => !PLANTED_LOCKS.includes(name));
  if (ours.length > 0) find("wrong-merge", `${ours.join(", ")} would stop the user's git`);
  if (locks.length !== ours.length && locks.length - ours.length !== PLANTED_LOCKS.length)
    find("wrong-merge", `only ${locks.join(", ")} are left of the locks of the user`);
};

const locksOf = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".lock")) : [];

/** Of the workspace, without git's own. */
const listFiles = (workspace: string): readonly string[] =>
  readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(workspace, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith(`.git${path.sep}`))
    .toSorted();
