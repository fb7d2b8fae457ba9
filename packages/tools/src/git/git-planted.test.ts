// @module-tag long
import { execFile } from "node:child_process";
import { cp, link, lstat, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { TestRepository } from "@retinue/confine/testing";
import { createTestRepository, toText } from "@retinue/confine/testing";
import { createGitCommitTool } from "./git-commit.ts";
import { createGitDiffTool } from "./git-diff.ts";
import { createGitTool } from "./git.ts";

const CANARY = "canary-of-the-home";

/** A repository with something to commit, and a file of the user's home that nobody may read or write. */
const withHome = async (): Promise<TestRepository & { readonly profile: string }> => {
  const test = await createTestRepository({ "a.txt": "one\n", "sub/b.txt": "b\n" });
  const profile = path.join(test.home, ".profile");
  await writeFile(profile, `${CANARY}\n`);
  await writeFile(test.at("a.txt"), "two\n");
  return { ...test, profile };
};

const look = async (test: TestRepository, args: readonly string[]): Promise<string> =>
  toText(await createGitTool({ environment: test.environment }).execute({ args: [...args] }, test.context));

const commit = async (test: TestRepository, paths: readonly string[] = ["a.txt"]): Promise<string> =>
  toText(
    await createGitCommitTool({ environment: test.environment }).execute(
      { message: `${CANARY}: planted\n\nexport PATH=/evil`, paths: [...paths] },
      test.context,
    ),
  );

/** What a call said, whether it failed or not. */
const saidBy = (call: Promise<string>): Promise<string> =>
  call.catch((thrown: Error & { hint?: string }) => `failed: ${thrown.message} ${thrown.hint ?? ""}`);

const UNSAFE = { code: "repository_unsafe" };

describe("a link planted in .git that git would write through", () => {
  it.each([
    "COMMIT_EDITMSG",
    "logs/HEAD",
    "logs/refs/heads/main",
    "HEAD.lock",
    "index.lock",
    "index",
    "refs/heads/main",
    "refs/heads/main.lock",
    "logs",
    "refs/heads",
    "objects/info/new",
  ])("git_commit does not follow .git/%s to a file of the user's home", async (name) => {
    await using test = await withHome();
    const at = test.at(`.git/${name}`);
    const isFolder = name === "logs" || name === "refs/heads";
    const outside = isFolder ? path.join(test.home, "outside") : test.profile;
    if (isFolder) await cp(at, outside, { recursive: true });
    await rm(at, { recursive: true, force: true });
    await symlink(outside, at);
    const before = isFolder ? await promisify(execFile)("find", [outside, "-type", "f", "-newer", at]) : undefined;
    await expect(commit(test)).rejects.toMatchObject(UNSAFE);
    expect(await readFile(test.profile, "utf8")).toBe(`${CANARY}\n`);
    if (before) expect(await promisify(execFile)("find", [outside, "-type", "f", "-newer", at])).toEqual(before);
  });

  it("git_commit makes no file of the user's home through a link to nothing", async () => {
    await using test = await withHome();
    await rm(test.at(".git/COMMIT_EDITMSG"), { force: true });
    await symlink(path.join(test.home, ".bash_login"), test.at(".git/COMMIT_EDITMSG"));
    await expect(commit(test)).rejects.toMatchObject(UNSAFE);
    await expect(lstat(path.join(test.home, ".bash_login"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("git_commit writes no settings of the repository through a link to them", async () => {
    await using test = await withHome();
    const config = await readFile(test.at(".git/config"), "utf8");
    await rm(test.at(".git/logs/HEAD"));
    await symlink("../config", test.at(".git/logs/HEAD"));
    await expect(commit(test)).rejects.toMatchObject(UNSAFE);
    expect(await readFile(test.at(".git/config"), "utf8")).toBe(config);
  });

  it.each(["COMMIT_EDITMSG", "logs/HEAD"])(
    "git_commit does not write a file of the user's home that has a second name .git/%s",
    async (name) => {
      await using test = await withHome();
      await rm(test.at(`.git/${name}`), { force: true });
      await link(test.profile, test.at(`.git/${name}`));
      await expect(commit(test)).rejects.toMatchObject(UNSAFE);
      expect(await readFile(test.profile, "utf8")).toBe(`${CANARY}\n`);
    },
  );
});

describe("a link planted in .git that git would read through", () => {
  it.each([
    "info/grafts",
    "shallow",
    "packed-refs",
    "HEAD",
    "config",
    "config.worktree",
    "index",
    "info/exclude",
    "info/attributes",
    "refs/heads/main",
    "refs/tags/planted",
    "logs/HEAD",
    "objects/info/commit-graph",
    "FETCH_HEAD",
  ])("no call prints the file of the user's home that .git/%s leads to", async (name) => {
    await using test = await withHome();
    await mkdir(path.dirname(test.at(`.git/${name}`)), { recursive: true });
    await rm(test.at(`.git/${name}`), { force: true });
    await symlink(test.profile, test.at(`.git/${name}`));
    for (const args of [["log", "-p"], ["status"], ["check-ignore", "-v", CANARY], ["for-each-ref"], ["reflog"]])
      expect(await saidBy(look(test, args)), args.join(" ")).not.toContain(CANARY);
    await expect(look(test, ["log"])).rejects.toMatchObject(UNSAFE);
    const diff = createGitDiffTool({ environment: test.environment });
    await expect(diff.execute({}, test.context)).rejects.toMatchObject(UNSAFE);
  });

  it.each(["objects", "refs", "info"])("a whole .git/%s that leads to another repository is not read", async (name) => {
    await using test = await withHome();
    await using other = await createTestRepository({ "key.txt": `${CANARY}\n` });
    await rename(test.at(`.git/${name}`), test.at(`.git/${name}-before`));
    await symlink(other.at(`.git/${name}`), test.at(`.git/${name}`));
    const id = (await other.git("rev-parse", "HEAD")).trim();
    await writeFile(test.at(".git/HEAD"), `${id}\n`);
    expect(await saidBy(look(test, ["log", "-p"]))).not.toContain(CANARY);
    // Without refs or objects git itself takes the folder for no repository.
    await expect(look(test, ["log", "-p"])).rejects.toMatchObject({
      code: expect.stringMatching(/repository_unsafe|tool_failed/),
    });
  });

  it("objects of another repository by objects/info/alternates are not read", async () => {
    await using test = await withHome();
    await using other = await createTestRepository({ "key.txt": `${CANARY}\n` });
    await writeFile(test.at(".git/objects/info/alternates"), `${other.at(".git/objects")}\n`);
    const id = (await other.git("rev-parse", "HEAD")).trim();
    expect(await saidBy(look(test, ["show", id]))).not.toContain(CANARY);
    await expect(look(test, ["show", id])).rejects.toMatchObject({
      ...UNSAFE,
      message: expect.stringContaining("objects/info/alternates"),
    });
  });

  it("a FIFO in .git is refused and not waited for", async () => {
    await using test = await withHome();
    await rm(test.at(".git/HEAD"));
    await promisify(execFile)("mkfifo", [test.at(".git/HEAD")]);
    await expect(look(test, ["log"])).rejects.toMatchObject(UNSAFE);
  });

  it("patterns of a file of the user's home that the repository names are not shown", async () => {
    await using test = await withHome();
    await test.git("config", "core.excludesFile", test.profile);
    expect(await saidBy(look(test, ["check-ignore", "-v", CANARY]))).not.toContain(".profile");
  });
});

describe("what belongs to a repository as people have them", () => {
  it("links among the hooks, which are never run, are no reason to refuse", async () => {
    await using test = await withHome();
    await mkdir(test.at(".git/hooks"), { recursive: true });
    await symlink("../../sub/b.txt", test.at(".git/hooks/pre-commit"));
    expect(await look(test, ["status", "-s"])).toContain("a.txt");
    expect(await commit(test)).toContain("M\ta.txt");
  });

  it("a shallow clone is worked in", async () => {
    await using test = await withHome();
    await test.git("commit", "--quiet", "--all", "--message=second");
    const id = (await test.git("rev-parse", "HEAD")).trim();
    await writeFile(test.at(".git/shallow"), `${id}\n`);
    expect(await look(test, ["log", "--format=%s"])).toBe("second");
  });

  it("a link planted after a repository was found to be in order is found too", async () => {
    await using test = await withHome();
    expect(await look(test, ["log", "--format=%s"])).toBe("first");
    await symlink(test.profile, test.at(".git/refs/tags/planted"));
    await expect(look(test, ["tag"])).rejects.toMatchObject(UNSAFE);
    await rm(test.at(".git/refs/tags/planted"));
    expect(await look(test, ["log", "--format=%s"])).toBe("first");
  });

  it("files that the user lets git ignore everywhere are ignored here too", async () => {
    await using test = await withHome();
    await mkdir(path.join(test.home, "xdg/git"), { recursive: true });
    await writeFile(path.join(test.home, "xdg/git/ignore"), "*.mine\n");
    await writeFile(test.at("x.mine"), "");
    expect(await look(test, ["status", "-s"])).toBe(" M a.txt");
    await test.git("config", "--global", "core.excludesFile", "~/my-ignore");
    await writeFile(path.join(test.home, "my-ignore"), "*.txt\n");
    await writeFile(test.at("x.txt"), "");
    expect(await look(test, ["status", "-s"])).toBe(" M a.txt\n?? x.mine");
  });
});

const isSprung = (test: TestRepository): Promise<boolean> =>
  lstat(test.at(".git/sprung")).then(
    () => true,
    () => false,
  );

describe("a repository embedded in the workspace", () => {
  const embed = async (test: TestRepository): Promise<string> => {
    const inner = test.at("inner");
    const git = (...args: string[]) => promisify(execFile)("git", args, { cwd: inner, env: { ...test.environment } });
    await mkdir(inner);
    await git("init", "--quiet", "--initial-branch=main");
    await writeFile(path.join(inner, "c.txt"), "one\n");
    await git("add", "c.txt");
    await git("commit", "--quiet", "--message=inner");
    return inner;
  };

  const setTrap = async (test: TestRepository, inner: string): Promise<void> => {
    // Also where git sees nothing but the repository, this would leave a mark.
    const file = `sh -c ': > "${test.at(".git/sprung")}"; cat'`;
    await promisify(execFile)("git", ["config", "filter.evil.clean", file], { cwd: inner, env: { ...test.environment } });
    await writeFile(path.join(inner, ".gitattributes"), "*.txt filter=evil\n");
    await writeFile(path.join(inner, "c.txt"), "222\n");
  };

  it("has a filter of its own settings that git_commit of everything does not run", async () => {
    await using control = await withHome();
    const controlled = await embed(control);
    await control.git("add", "inner");
    await control.git("commit", "--quiet", "--message=embedded");
    await setTrap(control, controlled);
    await control.git("add", ".");
    expect(await isSprung(control), "plain git add runs it").toBe(true);

    await using test = await withHome();
    const inner = await embed(test);
    await test.git("add", "inner");
    await test.git("commit", "--quiet", "--message=embedded");
    await setTrap(test, inner);
    expect(await commit(test, ["."])).toContain("M\ta.txt");
    expect(await saidBy(look(test, ["status"]))).toContain("nothing to commit");
    expect(await isSprung(test)).toBe(false);
  });

  it("is not committed as a link to itself, and that is told", async () => {
    await using test = await withHome();
    await setTrap(test, await embed(test));
    const said = await commit(test, ["."]);
    expect(said).toContain("M\ta.txt");
    expect(said).toContain("left out, since it is a repository of its own: inner/");
    expect(await test.git("ls-files", "inner")).toBe("");
    expect(await isSprung(test)).toBe(false);
  });
});
