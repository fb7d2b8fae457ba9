// @module-tag long
import { execFile } from "node:child_process";
import { lstat, mkdir, readFile, readdir, readlink, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { MergePlan, RunWorktree } from "@retinue/runtime";
import { expect, test } from "vitest";
import { createTestRepository } from "../testing/test-repository.ts";
import { createGitWorktrees } from "./git-worktrees.ts";
import type { KilledMerge } from "./testing/killed-merge.ts";

const PROGRAM = path.join(import.meta.dirname, "testing/killed-merge.ts");
const NEVER = new AbortController().signal;
const MOST_ACTS = 200;

/** How many acts it took, or undefined where it was killed. */
const mergeKilledAt = async (merge: KilledMerge): Promise<number | undefined> => {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, JSON.stringify(merge)]);
    return Number(stdout);
  } catch (thrown) {
    expect(thrown).toMatchObject({ signal: "SIGKILL" });
    return undefined;
  }
};

test("a merge of a worktree killed before any act of its own is finished by the next: no empty file, nobody blamed, nothing left beside", async () => {
  await using repository = await createTestRepository({
    "changed.txt": "before\n",
    "gone/old.txt": "old\n",
  });
  const { workspace, environment } = repository;
  await symlink("changed.txt", path.join(workspace, "was-link"));
  const worktrees = createGitWorktrees({
    folder: path.join(path.dirname(workspace), "worktrees"),
    environment,
    allowUnsandboxed: true,
  });
  const placed = await worktrees.place(workspace, "one", NEVER);
  const of: RunWorktree = { ...placed.worktree, runId: "run_one", workspace: placed.workspace };
  const base = await worktrees.make(of, NEVER);
  const inside = (file: string): string => path.join(of.workspace, file);
  await mkdir(inside("new"));
  await writeFile(inside("new/created.txt"), "created\n");
  await writeFile(inside("changed.txt"), "after\n");
  await rm(inside("gone/old.txt"));
  await symlink("changed.txt", inside("link"));
  await rm(inside("was-link"));
  await writeFile(inside("was-link"), "a file now\n");
  const { commit } = await worktrees.keep(of, base, []);
  const plan: MergePlan = await worktrees.plan(of, { base, commit: commit ?? "", writes: [] });

  const asBefore = async (): Promise<void> => {
    for (const name of await readdir(workspace)) if (name !== ".git") await rm(path.join(workspace, name), { recursive: true });
    await repository.git("checkout", "--quiet", "--", ".");
    await symlink("changed.txt", path.join(workspace, "was-link"));
  };

  for (let killAt = 1; ; killAt += 1) {
    expect(killAt).toBeLessThan(MOST_ACTS);
    await asBefore();
    const acts = await mergeKilledAt({ of, plan, environment, killAt });
    const { conflicts } = await worktrees.merge(of, plan);
    expect(conflicts, `killed before act ${killAt}`).toEqual([]);
    expect((await readdir(workspace)).toSorted(), `killed before act ${killAt}`).toEqual(
      [".git", "changed.txt", "link", "new", "was-link"].toSorted(),
    );
    expect(await readdir(path.join(workspace, "new"))).toEqual(["created.txt"]);
    expect(await readFile(path.join(workspace, "new/created.txt"), "utf8")).toBe("created\n");
    expect(await readFile(path.join(workspace, "changed.txt"), "utf8")).toBe("after\n");
    expect(await readFile(path.join(workspace, "was-link"), "utf8")).toBe("a file now\n");
    expect(await readlink(path.join(workspace, "link"))).toBe("changed.txt");
    for (const file of ["new/created.txt", "changed.txt"]) expect((await lstat(path.join(workspace, file))).nlink, file).toBe(1);
    if (acts !== undefined) return;
  }
}, 120_000);
