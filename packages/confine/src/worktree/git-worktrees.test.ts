import { chmod, lstat, mkdir, readFile, readdir, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import type { MergePlan, RunWorktree, Worktrees } from "@retinue/runtime";
import { afterEach, describe, expect, test } from "vitest";
import type { TestRepository } from "../testing/test-repository.ts";
import { createTestRepository } from "../testing/test-repository.ts";
import { createGitWorktrees } from "./git-worktrees.ts";

const open: TestRepository[] = [];
afterEach(async () => {
  for (const repository of open.splice(0)) await repository[Symbol.asyncDispose]();
});

const run = promisify(execFile);
const NEVER = new AbortController().signal;

type Setup = {
  readonly repository: TestRepository;
  readonly worktrees: Worktrees;
  /** Makes a worktree of the workspace as it is. */
  readonly make: (name: string) => Promise<Made>;
};

type Made = {
  readonly of: RunWorktree;
  readonly base: string;
  readonly write: (file: string, content: string | Buffer) => Promise<void>;
  /** Keeps, plans and merges; gives the outcome. */
  readonly bringBack: (measured?: readonly string[]) => Promise<Awaited<ReturnType<Worktrees["merge"]>>>;
  readonly plan: (measured?: readonly string[]) => Promise<MergePlan>;
};

const setUp = async (files: Readonly<Record<string, string | Buffer>> = {}, subfolder = ""): Promise<Setup> => {
  const repository = await createTestRepository(files);
  open.push(repository);
  const folder = path.join(path.dirname(repository.workspace), "worktrees");
  const worktrees = createGitWorktrees({ folder, environment: repository.environment, allowUnsandboxed: true });
  const workspace = path.join(repository.workspace, subfolder);
  return {
    repository,
    worktrees,
    make: async (name) => {
      const { workspace: own, worktree } = await worktrees.place(workspace, name, NEVER);
      const of: RunWorktree = { ...worktree, runId: `run_${name}`, workspace: own };
      const base = await worktrees.make(of, NEVER);
      const plan = async (measured: readonly string[] = []): Promise<MergePlan> => {
        const { commit } = await worktrees.keep(of, base, measured);
        return commit === null ? { changes: [], conflicts: [] } : worktrees.plan(of, { base, commit, writes: [] });
      };
      return {
        of,
        base,
        plan,
        write: async (file, content) => {
          await mkdir(path.dirname(path.join(own, file)), { recursive: true });
          await writeFile(path.join(own, file), content);
        },
        bringBack: async (measured) => worktrees.merge(of, await plan(measured)),
      };
    },
  };
};

const read = (folder: string, file: string): Promise<string> => readFile(path.join(folder, file), "utf8");

describe("a worktree", () => {
  test("holds the workspace as it stands: changed, deleted and untracked files, and none that git ignores", async () => {
    const { repository, make } = await setUp({
      "a.txt": "a\n",
      "gone.txt": "gone\n",
      ".gitignore": "*.log\n",
      "run.sh": "#!/bin/sh\n",
    });
    const { workspace } = repository;
    await writeFile(path.join(workspace, "a.txt"), "changed\n");
    await rm(path.join(workspace, "gone.txt"));
    await writeFile(path.join(workspace, "new.txt"), "new\n");
    await writeFile(path.join(workspace, "x.log"), "log\n");
    await writeFile(path.join(workspace, ".env"), "KEY=1\n");
    await chmod(path.join(workspace, "run.sh"), 0o755);
    await symlink("a.txt", path.join(workspace, "link"));
    const { of } = await make("one");
    expect((await readdir(of.folder)).toSorted()).toEqual([".git", ".gitignore", "a.txt", "link", "new.txt", "run.sh"]);
    expect(await read(of.folder, "a.txt")).toBe("changed\n");
    expect(await readlink(path.join(of.folder, "link"))).toBe("a.txt");
    expect((await stat(path.join(of.folder, "run.sh"))).mode & 0o111).not.toBe(0);
  });

  test("leaves the user's index, branches, HEAD, stash and reflog as they were", async () => {
    const { repository, make } = await setUp({ "a.txt": "a\n", "b.txt": "b\n" });
    const { workspace, git } = repository;
    await writeFile(path.join(workspace, "a.txt"), "staged\n");
    await git("add", "a.txt");
    await writeFile(path.join(workspace, "b.txt"), "not staged\n");
    const look = async () => ({
      status: await git("status", "--porcelain=v2", "--branch"),
      heads: await git("for-each-ref", "refs/heads", "refs/tags", "refs/stash"),
      reflog: await git("reflog", "show", "--all"),
      head: await read(workspace, ".git/HEAD"),
      index: await readFile(path.join(workspace, ".git/index"), "hex"),
    });
    await git("status");
    const before = await look();
    const made = await make("one");
    await made.write("c.txt", "c\n");
    await made.plan();
    const { status, ...rest } = await look();
    expect(status).toBe(before.status);
    expect({ status, ...rest }).toEqual(before);
  });

  test("runs none of the programs that the repository names", async () => {
    const { repository, make } = await setUp({ "a.txt": "a\n" });
    const { workspace, git, trap } = repository;
    await writeFile(path.join(workspace, ".gitattributes"), "* filter=f diff=d merge=m\n");
    for (const key of [
      "filter.f.clean",
      "filter.f.smudge",
      "filter.f.process",
      "core.fsmonitor",
      "merge.m.driver",
      "diff.d.textconv",
    ])
      await git("config", key, await trap(key));
    await mkdir(path.join(workspace, ".git/hooks"), { recursive: true });
    for (const hook of ["post-checkout", "reference-transaction", "post-index-change"]) {
      await writeFile(path.join(workspace, ".git/hooks", hook), `#!/bin/sh\nexec "${await trap(hook)}"\n`);
      await chmod(path.join(workspace, ".git/hooks", hook), 0o755);
    }
    const made = await make("one");
    await made.write("a.txt", "a\nb\n");
    await writeFile(path.join(workspace, "a.txt"), "0\na\n");
    await made.bringBack();
    expect(await read(workspace, "a.txt")).toBe("0\na\nb\n");
    expect(await repository.sprung()).toEqual([]);
  });

  test("keeps every byte, whatever conversions the repository asks for", { tags: ["long"] }, async () => {
    const { repository, make } = await setUp({
      ".gitattributes": "*.txt text eol=crlf\n*.id ident\n*.u16 working-tree-encoding=UTF-16\n",
    });
    const { workspace } = repository;
    const contents = { "mixed.txt": "a\r\nb\nc\r\n", "a.id": "$Id: 123 $\n", "b.u16": "not utf-16\n" };
    for (const [file, content] of Object.entries(contents)) await writeFile(path.join(workspace, file), content);
    const made = await make("one");
    for (const [file, content] of Object.entries(contents)) expect(await read(made.of.folder, file)).toBe(content);
    await made.write("mixed.txt", "a\r\nB\nc\r\n");
    expect(await made.bringBack()).toEqual({ created: [], modified: ["mixed.txt"], deleted: [], conflicts: [] });
    expect(await read(workspace, "mixed.txt")).toBe("a\r\nB\nc\r\n");
  });

  test("is made of a repository without any commit", { tags: ["long"] }, async () => {
    const { repository, make } = await setUp();
    await writeFile(path.join(repository.workspace, "a.txt"), "a\n");
    const made = await make("one");
    await made.write("b.txt", "b\n");
    expect(await made.bringBack()).toMatchObject({ created: ["b.txt"], conflicts: [] });
  });

  test("of a workspace that is part of a repository holds the whole, and only the part is merged", async () => {
    const { repository, make } = await setUp({ "top.txt": "top\n", "part/a.txt": "a\n" }, "part");
    const made = await make("one");
    expect(made.of.workspace).toBe(path.join(made.of.folder, "part"));
    expect(await read(made.of.folder, "top.txt")).toBe("top\n");
    await made.write("a.txt", "A\n");
    await made.write("../top.txt", "TOP\n");
    expect(await made.bringBack()).toEqual({
      created: [],
      modified: ["a.txt"],
      deleted: [],
      conflicts: [{ path: "../top.txt", reason: "it lies outside the workspace" }],
    });
    expect(await read(repository.workspace, "top.txt")).toBe("top\n");
  });

  test("of a part of a repository takes nothing untracked from around it", { tags: ["long"] }, async () => {
    const { repository, make } = await setUp({ "top.txt": "top\n", "part/a.txt": "a\n" }, "part");
    await writeFile(path.join(repository.workspace, "around.txt"), "around\n");
    await writeFile(path.join(repository.workspace, "part/new.txt"), "new\n");
    const made = await make("one");
    expect((await readdir(made.of.folder)).toSorted()).toEqual([".git", "part", "top.txt"]);
    expect((await readdir(made.of.workspace)).toSorted()).toEqual(["a.txt", "new.txt"]);
  });

  test("that is no worktree any more is not taken for a part of what lies around it", { tags: ["long"] }, async () => {
    const { repository, worktrees, make } = await setUp({ "a.txt": "a\n" });
    const made = await make("one");
    await rm(path.join(made.of.folder, ".git"));
    await run("git", ["init", "--quiet", path.dirname(made.of.folder)], { env: repository.environment });
    await expect(worktrees.keep(made.of, made.base, [])).rejects.toThrow("is no worktree any more");
  });

  test("can be made of a worktree", { tags: ["long"] }, async () => {
    const { repository, worktrees, make } = await setUp({ "a.txt": "a\n" });
    const outer = await make("outer");
    await outer.write("b.txt", "b\n");
    const { workspace, worktree } = await worktrees.place(outer.of.workspace, "inner", NEVER);
    const of: RunWorktree = { ...worktree, runId: "run_inner", workspace };
    const base = await worktrees.make(of, NEVER);
    expect(await read(workspace, "b.txt")).toBe("b\n");
    await writeFile(path.join(workspace, "b.txt"), "B\n");
    const { commit } = await worktrees.keep(of, base, []);
    await worktrees.merge(of, await worktrees.plan(of, { base, commit: commit ?? "", writes: [] }));
    expect(await read(outer.of.workspace, "b.txt")).toBe("B\n");
    expect(await readdir(repository.workspace)).not.toContain("b.txt");
  });

  test(
    "is taken away with all that belongs to it, and its ref only where nothing depends on it",
    { tags: ["long"] },
    async () => {
      const { repository, worktrees, make } = await setUp({ "a.txt": "a\n" });
      const made = await make("one");
      await made.write("a.txt", "A\n");
      await made.plan();
      expect(await worktrees.list()).toEqual([made.of]);
      await worktrees.remove(made.of, { keepRef: true });
      expect(await worktrees.list()).toEqual([]);
      expect(await readdir(path.dirname(made.of.folder))).toEqual([]);
      expect(await repository.git("worktree", "list", "--porcelain")).not.toContain("one");
      expect(await repository.git("show", "refs/retinue/run_one:a.txt")).toBe("A\n");
      const again = await make("two");
      await worktrees.remove(again.of, { keepRef: false });
      expect(await repository.git("for-each-ref", "refs/retinue/run_two")).toBe("");
    },
  );

  test("that was half made is made anew", { tags: ["long"] }, async () => {
    const { worktrees, make } = await setUp({ "a.txt": "a\n" });
    const made = await make("one");
    await made.write("left.txt", "left\n");
    await worktrees.make(made.of, NEVER);
    expect(await readdir(made.of.folder)).not.toContain("left.txt");
  });
});

describe("where there can be no worktree it is said why", () => {
  const refusal = async (setup: Setup, workspace = setup.repository.workspace): Promise<unknown> =>
    setup.worktrees.place(workspace, "one", NEVER).then(
      () => "placed",
      ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
    );

  test("a folder that is no repository", async () => {
    const setup = await setUp();
    await rm(path.join(setup.repository.workspace, ".git"), { recursive: true });
    expect(await refusal(setup)).toBe("worktree_unavailable: The workspace is no git repository.");
  });

  test("a machine without a sandbox, unless that was waived", async () => {
    const repository = await createTestRepository({ "a.txt": "a\n" });
    open.push(repository);
    const folder = path.join(path.dirname(repository.workspace), "worktrees");
    const options = {
      folder,
      environment: repository.environment,
      sandbox: { backend: "none", reason: "a test", isInstalled: false },
    } as const;
    await expect(createGitWorktrees(options).place(repository.workspace, "one", NEVER)).rejects.toMatchObject({
      code: "worktree_unavailable",
      message: expect.stringContaining("Git runs in a sandbox, which this machine does not have: a test."),
    });
    const waived = createGitWorktrees({ ...options, allowUnsandboxed: true });
    expect(await waived.place(repository.workspace, "one", NEVER)).toMatchObject({ worktree: { of: repository.workspace } });
  });

  test("a bare repository", async () => {
    const setup = await setUp();
    await setup.repository.git("config", "core.bare", "true");
    expect(await refusal(setup)).toBe("worktree_unavailable: The repository is bare: it has no files to work on.");
  });

  test("a repository with submodules", async () => {
    const setup = await setUp({ "a.txt": "a\n" });
    const head = (await setup.repository.git("rev-parse", "HEAD")).trim();
    await setup.repository.git("update-index", "--add", "--cacheinfo", `160000,${head},sub`);
    expect(await refusal(setup)).toContain("worktree_unavailable: sub is a submodule");
  });

  test("a sparse checkout, and a file that is left out of the checkout", async () => {
    const setup = await setUp({ "a.txt": "a\n" });
    await setup.repository.git("update-index", "--skip-worktree", "a.txt");
    expect(await refusal(setup)).toContain("worktree_unavailable: a.txt is left out");
    await setup.repository.git("config", "core.sparseCheckout", "true");
    expect(await refusal(setup)).toContain("worktree_unavailable: The repository is checked out sparsely");
  });
});

describe("a merge", () => {
  test("brings created, changed and deleted files, modes and links", async () => {
    const { repository, make } = await setUp({ "a.txt": "a\n", "dir/gone.txt": "gone\n", "run.sh": "#!/bin/sh\n" });
    const { workspace } = repository;
    const made = await make("one");
    await made.write("a.txt", "A\n");
    await made.write("deep/er/new.bin", Buffer.from([0, 1, 2, 255]));
    await rm(path.join(made.of.folder, "dir"), { recursive: true });
    await chmod(path.join(made.of.folder, "run.sh"), 0o755);
    await symlink("a.txt", path.join(made.of.folder, "link"));
    expect(await made.bringBack()).toEqual({
      created: ["deep/er/new.bin", "link"],
      modified: ["a.txt", "run.sh"],
      deleted: ["dir/gone.txt"],
      conflicts: [],
    });
    expect(await read(workspace, "a.txt")).toBe("A\n");
    expect([...(await readFile(path.join(workspace, "deep/er/new.bin")))]).toEqual([0, 1, 2, 255]);
    expect((await stat(path.join(workspace, "run.sh"))).mode & 0o111).not.toBe(0);
    expect(await readlink(path.join(workspace, "link"))).toBe("a.txt");
    expect(await readdir(workspace)).not.toContain("dir");
  });

  test("joins changes of different lines, and sees what was merged before", { tags: ["long"] }, async () => {
    const text = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join("");
    const { repository, make } = await setUp({ "a.txt": text });
    const [first, second] = [await make("one"), await make("two")];
    await first.write("a.txt", text.replace("line 1\n", "first\n"));
    await second.write("a.txt", text.replace("line 18\n", "second\n"));
    expect(await first.bringBack()).toMatchObject({ modified: ["a.txt"], conflicts: [] });
    expect(await second.bringBack()).toMatchObject({ modified: ["a.txt"], conflicts: [] });
    expect(await read(repository.workspace, "a.txt")).toBe(text.replace("line 1\n", "first\n").replace("line 18\n", "second\n"));
  });

  test("leaves the file and keeps the run's version where both changed the same", async () => {
    const { repository, make } = await setUp({ "a.txt": "a\n", "b.bin": Buffer.from([0, 1]), "c.txt": "c\n", "d.txt": "d\n" });
    const { workspace } = repository;
    const made = await make("one");
    await made.write("a.txt", "theirs\n");
    await made.write("b.bin", Buffer.from([0, 2]));
    await rm(path.join(made.of.folder, "c.txt"));
    await made.write("d.txt", "theirs\n");
    await made.write("e.txt", "theirs\n");
    await writeFile(path.join(workspace, "a.txt"), "ours\n");
    await writeFile(path.join(workspace, "b.bin"), Buffer.from([0, 3]));
    await writeFile(path.join(workspace, "c.txt"), "ours\n");
    await rm(path.join(workspace, "d.txt"));
    await writeFile(path.join(workspace, "e.txt"), "ours\n");
    const { conflicts, ...merged } = await made.bringBack();
    expect(merged).toEqual({ created: [], modified: [], deleted: [] });
    expect(conflicts.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
      { path: "a.txt", reason: "the same lines were changed here and in the workspace (1 place)" },
      { path: "b.bin", reason: "it is binary and was changed on both sides" },
      { path: "c.txt", reason: "this run deleted it, and it was changed in the workspace meanwhile" },
      { path: "d.txt", reason: "this run changed it, and it was deleted in the workspace meanwhile" },
      { path: "e.txt", reason: "it was created here and in the workspace, with different content" },
    ]);
    for (const file of ["a.txt", "c.txt", "e.txt"]) expect(await read(workspace, file)).toBe("ours\n");
    expect(await repository.git("show", "refs/retinue/run_one:a.txt")).toBe("theirs\n");
    expect(await repository.git("diff", "--name-only", "refs/retinue/run_one^", "refs/retinue/run_one")).toBe(
      "a.txt\nb.bin\nc.txt\nd.txt\ne.txt\n",
    );
  });

  test("that was cut off is finished and does nothing twice", async () => {
    const { repository, worktrees, make } = await setUp({ "a.txt": "1\n2\n3\n", "b.txt": "b\n" });
    const { workspace } = repository;
    const made = await make("one");
    await made.write("a.txt", "1\n2\n3\nadded by the run\n");
    await made.write("b.txt", "B\n");
    await writeFile(path.join(workspace, "a.txt"), "0\n1\n2\n3\n");
    const plan = await made.plan();
    const [first] = plan.changes;
    await worktrees.merge(made.of, { changes: first ? [first] : [], conflicts: [] });
    expect(await worktrees.merge(made.of, plan)).toEqual({
      created: [],
      modified: ["a.txt", "b.txt"],
      deleted: [],
      conflicts: [],
    });
    expect(await read(workspace, "a.txt")).toBe("0\n1\n2\n3\nadded by the run\n");
    await writeFile(path.join(workspace, "b.txt"), "somebody else\n");
    expect(await worktrees.merge(made.of, plan)).toMatchObject({
      modified: ["a.txt"],
      conflicts: [{ path: "b.txt", reason: "it was changed in the workspace while it was being merged" }],
    });
    expect(await read(workspace, "b.txt")).toBe("somebody else\n");
  });

  test("follows no link out of the workspace, and makes none that leads out", async () => {
    const { repository, make } = await setUp({ "dir/a.txt": "a\n", "b.txt": "b\n" });
    const { workspace, home } = repository;
    const made = await make("one");
    await made.write("dir/a.txt", "A\n");
    await made.write("b.txt", "B\n");
    await symlink("../../home/secret", path.join(made.of.folder, "out"));
    await symlink("/etc", path.join(made.of.folder, "etc"));
    await mkdir(path.join(home, "dir"));
    await writeFile(path.join(home, "dir/a.txt"), "a\n");
    await writeFile(path.join(home, "b.txt"), "b\n");
    await rm(path.join(workspace, "dir"), { recursive: true });
    await symlink(path.join(home, "dir"), path.join(workspace, "dir"));
    await rm(path.join(workspace, "b.txt"));
    await symlink(path.join(home, "b.txt"), path.join(workspace, "b.txt"));
    const { conflicts, ...merged } = await made.bringBack();
    expect(merged).toEqual({ created: [], modified: [], deleted: [] });
    expect(conflicts.map(({ path: file, reason }) => `${file}: ${reason}`).toSorted()).toEqual([
      "b.txt: it is a symbolic link on one side and was changed on both",
      "dir/a.txt: a symbolic link stands on the way to it",
      "etc: it is a symbolic link that leads out of the workspace",
      "out: it is a symbolic link that leads out of the workspace",
    ]);
    expect(await read(home, "dir/a.txt")).toBe("a\n");
    expect(await read(home, "b.txt")).toBe("b\n");
  });

  test(
    "puts a folder in place of a file and a file in place of a folder, unless something else is in it",
    { tags: ["long"] },
    async () => {
      const { repository, make } = await setUp({ file: "file\n", "folder/a.txt": "a\n", "kept/a.txt": "a\n" });
      const { workspace } = repository;
      const made = await make("one");
      await rm(path.join(made.of.folder, "file"));
      await made.write("file/inner.txt", "inner\n");
      for (const folder of ["folder", "kept"]) {
        await rm(path.join(made.of.folder, folder), { recursive: true });
        await made.write(folder, "now a file\n");
      }
      await writeFile(path.join(workspace, "kept/own.txt"), "own\n");
      const { conflicts } = await made.bringBack();
      expect(conflicts).toEqual([{ path: "kept", reason: "a folder stands in its place in the workspace" }]);
      expect(await read(workspace, "file/inner.txt")).toBe("inner\n");
      expect(await read(workspace, "folder")).toBe("now a file\n");
      expect(await readdir(path.join(workspace, "kept"))).toEqual(["own.txt"]);
    },
  );

  test("takes no protected file and none outside of what the agent may write", async () => {
    const { repository, worktrees, make } = await setUp({ "src/a.txt": "a\n" });
    const made = await make("one");
    await made.write(".env", "KEY=1\n");
    await made.write(".vscode/tasks.json", "{}\n");
    await made.write("src/a.txt", "A\n");
    await made.write("other.txt", "other\n");
    const { commit } = await worktrees.keep(made.of, made.base, []);
    const plan = await worktrees.plan(made.of, { base: made.base, commit: commit ?? "", writes: [["src/**"]] });
    expect(plan.changes.map((change) => change.path)).toEqual(["src/a.txt"]);
    expect(plan.conflicts.map((conflict) => conflict.path).toSorted()).toEqual([".env", ".vscode/tasks.json", "other.txt"]);
    expect(await readdir(repository.workspace)).not.toContain("other.txt");
  });

  test("brings a file that git ignores where the run is known to have written it, and no other", { tags: ["long"] }, async () => {
    const { repository, make } = await setUp({ ".gitignore": "*.log\n" });
    const made = await make("one");
    await made.write("asked.log", "asked\n");
    await made.write("noise.log", "noise\n");
    expect(await made.bringBack(["asked.log"])).toMatchObject({ created: ["asked.log"] });
    expect(await readdir(repository.workspace)).not.toContain("noise.log");
  });

  test("tells of repositories inside the worktree, which no commit can hold", { tags: ["long"] }, async () => {
    const { worktrees, make } = await setUp({ "a.txt": "a\n" });
    const made = await make("one");
    await mkdir(path.join(made.of.folder, "inner/.git/refs"), { recursive: true });
    await mkdir(path.join(made.of.folder, "inner/.git/objects"), { recursive: true });
    await made.write("inner/.git/HEAD", "ref: refs/heads/main\n");
    await made.write("inner/b.txt", "b\n");
    const { unkept } = await worktrees.keep(made.of, made.base, []);
    expect(unkept).toEqual([{ path: "inner/", reason: "it is a git repository of its own" }]);
  });

  test("of nothing changes nothing", { tags: ["long"] }, async () => {
    const { worktrees, make } = await setUp({ "a.txt": "a\n" });
    const made = await make("one");
    expect(await worktrees.keep(made.of, made.base, ["a.txt"])).toEqual({ commit: null, unkept: [] });
    expect((await lstat(made.of.folder)).isDirectory()).toBe(true);
  });

  test("takes names as they are", { tags: ["long"] }, async () => {
    const { repository, make } = await setUp({ "plain.txt": "a\n" });
    const names = ['"quoted".txt', "line\nbreak.txt", "-dash", "ünï.txt", " space ", "back\\slash", "*?[x]"];
    for (const name of names.slice(0, 3)) await writeFile(path.join(repository.workspace, name), "before\n");
    const made = await make("one");
    for (const name of names) await made.write(name, "after\n");
    const { conflicts } = await made.bringBack();
    expect(conflicts).toEqual([]);
    for (const name of names) expect(await read(repository.workspace, name)).toBe("after\n");
  });
});
