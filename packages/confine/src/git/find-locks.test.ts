import { mkdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "../testing/test-repository.ts";
import { findGitLocks } from "./find-locks.ts";

const open: TestRepository[] = [];
afterEach(async () => {
  for (const repository of open.splice(0)) await repository[Symbol.asyncDispose]();
});

test("locks of a repository are found wherever git makes them, with their age", async () => {
  const repository = await createTestRepository({ "a.txt": "a\n" });
  open.push(repository);
  const hourAgo = new Date(Date.now() - 3_600_000);
  const planted = [
    "index.lock",
    "packed-refs.lock",
    "refs/heads/main.lock",
    "refs/retinue/run_one.lock",
    "worktrees/one/HEAD.lock",
  ];
  for (const name of planted) {
    const file = path.join(repository.workspace, ".git", name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, "");
    await utimes(file, hourAgo, hourAgo);
  }
  const found = await findGitLocks(repository.workspace);
  expect(found.map(({ file }) => path.relative(path.join(repository.workspace, ".git"), file)).toSorted()).toEqual(
    planted.toSorted(),
  );
  for (const { ageMs } of found) expect(ageMs).toBeGreaterThan(3_500_000);
});

test("a folder that is not in a repository has no locks", async () => {
  expect(await findGitLocks(path.parse(process.cwd()).root)).toEqual([]);
});
