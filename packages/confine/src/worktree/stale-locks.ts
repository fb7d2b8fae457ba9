/** Removes the locks of git that a dead process of ours left in a worktree of ours. Nothing else of the repository is touched. */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { RunWorktree } from "@retinue/runtime";
import { findRepository } from "../git/find-repository.ts";
import { isDead, isProcessOwner, thisOwner } from "../process/process-owner.ts";
import { pathsOf } from "./worktree-paths.ts";

/** Where the process that worked in it is dead, its locks go, and this process is the one that works in it. */
export const removeStaleLocks = async (of: RunWorktree): Promise<void> => {
  const { marker } = pathsOf(of);
  const said: unknown = JSON.parse(await readFile(marker, "utf8"));
  if (typeof said !== "object" || said === null || !("owner" in said) || !isProcessOwner(said.owner) || !isDead(said.owner))
    return;
  const found = await findRepository(of.folder);
  // Its own part of the repository, such as `.git/worktrees/one`.
  if (!found || path.dirname(found.gitFolder) !== path.join(found.commonFolder, "worktrees")) return;
  for (const name of await readdir(found.gitFolder))
    if (name.endsWith(".lock")) await rm(path.join(found.gitFolder, name), { force: true });
  await writeFile(marker, JSON.stringify({ ...said, owner: thisOwner() }));
};
