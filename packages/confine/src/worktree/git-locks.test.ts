/** A kill of git leaves lock files. Those of the user's repository never stop a worktree, and those of ours never stop the user. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { RunWorktree } from "@retinue/runtime";
import { afterEach, describe, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "../testing/test-repository.ts";
import { createGitWorktrees } from "./git-worktrees.ts";

const open: TestRepository[] = [];
afterEach(async () => {
  for (const repository of open.splice(0)) await repository[Symbol.asyncDispose]();
});

const NEVER = new AbortController().signal;

const setUp = async () => {
  const repository = await createTestRepository({ "a.txt": "a\n" });
  open.push(repository);
  const folder = path.join(path.dirname(repository.workspace), "worktrees");
  const worktrees = createGitWorktrees({ folder, environment: repository.environment, allowUnsandboxed: true });
  const { workspace, worktree } = await worktrees.place(repository.workspace, "one", NEVER);
  const of: RunWorktree = { ...worktree, runId: "run_one", workspace };
  const gitFile = (name: string): string => path.join(repository.workspace, ".git", name);
  return {
    repository,
    worktrees,
    of,
    gitFile,
    plant: async (...names: readonly string[]): Promise<void> => {
      for (const name of names) {
        await mkdir(path.dirname(gitFile(name)), { recursive: true });
        await writeFile(gitFile(name), "");
      }
    },
  };
};

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** The number of a process that has ended. */
const deadPid = async (): Promise<number> => {
  const child = spawn("true");
  await once(child, "exit");
  return child.pid ?? 0;
};

describe("a lock of git in the user's repository", () => {
  test("stops no worktree from being made, kept, merged and removed, and stays where it is", async () => {
    const { repository, worktrees, of, plant, gitFile } = await setUp();
    const users = ["packed-refs.lock", "index.lock", "HEAD.lock", "refs/heads/main.lock", "config.lock"];
    await plant(...users);
    const base = await worktrees.make(of, NEVER);
    await writeFile(path.join(of.workspace, "a.txt"), "A\n");
    const { commit } = await worktrees.keep(of, base, []);
    expect(await repository.git("show", "refs/retinue/run_one:a.txt")).toBe("A\n");
    const plan = await worktrees.plan(of, { base, commit: commit ?? "", writes: [] });
    expect(await worktrees.merge(of, plan)).toMatchObject({ modified: ["a.txt"], conflicts: [] });
    await worktrees.remove(of, { keepRef: false });
    expect(await readFile(path.join(repository.workspace, "a.txt"), "utf8")).toBe("A\n");
    expect(await repository.git("for-each-ref", "refs/retinue")).toBe("");
    for (const name of users) expect([name, await exists(gitFile(name))]).toEqual([name, true]);
  });

  test("is made by none of our steps: packed refs of the user are not touched", async () => {
    const { repository, worktrees, of, gitFile } = await setUp();
    await repository.git("tag", "one");
    await repository.git("pack-refs", "--all");
    const before = await readFile(gitFile("packed-refs"), "utf8");
    await worktrees.make(of, NEVER);
    await worktrees.remove(of, { keepRef: false });
    expect(await readFile(gitFile("packed-refs"), "utf8")).toBe(before);
    expect(await readdir(gitFile("refs"))).not.toContain("retinue");
  });

  test("that an earlier process left on the ref of a run is removed when the run is made anew", async () => {
    const { repository, worktrees, of, plant, gitFile } = await setUp();
    await plant("refs/retinue/run_one.lock", "refs/retinue/run_other.lock");
    const base = await worktrees.make(of, NEVER);
    expect((await repository.git("rev-parse", "refs/retinue/run_one")).trim()).toBe(base);
    expect(await readdir(gitFile("refs/retinue"))).toEqual(["run_one", "run_other.lock"]);
  });
});

describe("a lock of git in a worktree of ours", () => {
  const LOCKS = ["worktrees/one/index.lock", "worktrees/one/HEAD.lock"];
  const markOwner = async ({ folder }: RunWorktree, owner: object): Promise<void> => {
    const marker = `${folder}.json`;
    const said = JSON.parse(await readFile(marker, "utf8")) as object;
    await writeFile(marker, JSON.stringify({ ...said, owner }));
  };

  test("is removed when the run goes on and the process that worked in it is dead", async () => {
    const { worktrees, of, plant, gitFile } = await setUp();
    await worktrees.make(of, NEVER);
    await plant(...LOCKS, "index.lock");
    await markOwner(of, { pid: await deadPid(), started: "1" });
    expect(await worktrees.exists(of)).toBe(true);
    for (const name of LOCKS) expect([name, await exists(gitFile(name))]).toEqual([name, false]);
    expect(await exists(gitFile("index.lock"))).toBe(true);
    // From now on it is this process that works in it.
    expect(JSON.parse(await readFile(`${of.folder}.json`, "utf8"))).toMatchObject({ owner: { pid: process.pid } });
  });

  test("stays while the process that works in it lives", async () => {
    const { worktrees, of, plant, gitFile } = await setUp();
    await worktrees.make(of, NEVER);
    await plant(...LOCKS);
    await worktrees.exists(of);
    for (const name of LOCKS) expect([name, await exists(gitFile(name))]).toEqual([name, true]);
  });
});
