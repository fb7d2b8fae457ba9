import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createTestRepository } from "../testing/test-repository.ts";
import { findSharedRepository } from "./shared-repository.ts";

test("a linked worktree belongs to the repository that knows it", async () => {
  await using repository = await createTestRepository({ "a.txt": "a\n" });
  const worktree = path.join(path.dirname(repository.workspace), "linked");
  await repository.git("worktree", "add", "--quiet", "--detach", worktree);
  expect(await findSharedRepository(worktree)).toBe(path.join(repository.workspace, ".git"));
  expect(await findSharedRepository(repository.workspace)).toBeUndefined();
});

test("a .git file that an agent wrote opens no folder: neither one that does not know it nor one that only seems to", async () => {
  await using repository = await createTestRepository({ "a.txt": "a\n" });
  const { workspace, home } = repository;
  const worktree = path.join(path.dirname(workspace), "linked");
  await repository.git("worktree", "add", "--quiet", "--detach", worktree);
  const planted = path.join(path.dirname(workspace), "planted");
  await mkdir(path.join(planted, "fake"), { recursive: true });
  for (const target of [
    home,
    path.join(workspace, ".git"),
    path.join(workspace, ".git/worktrees/linked"),
    path.join(planted, "fake"),
  ]) {
    await writeFile(path.join(planted, ".git"), `gitdir: ${target}\n`);
    await writeFile(path.join(planted, "fake/gitdir"), `${path.join(planted, ".git")}\n`);
    await writeFile(path.join(planted, "fake/commondir"), `${home}\n`);
    expect(await findSharedRepository(planted), target).toBeUndefined();
  }
});
