import { mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { toText } from "@retinue/confine/testing";
import { createGitCommitTool } from "./git-commit.ts";
import type { TestRepository } from "@retinue/confine/testing";
import { createTestRepository } from "@retinue/confine/testing";

const commit = async (
  test: TestRepository,
  message: string,
  paths: readonly string[],
  workspace = test.workspace,
): Promise<string> => {
  const tool = createGitCommitTool({ environment: test.environment });
  return toText(await tool.execute({ message, paths: [...paths] }, { ...test.context, workspace }));
};

describe("git_commit", () => {
  it("commits changed, new and deleted files of the paths, in the user's name, and nothing else", async () => {
    await using test = await createTestRepository({ "a.txt": "a\n", "gone.txt": "x\n", "other.txt": "o\n" });
    await writeFile(test.at("a.txt"), "A\n");
    await writeFile(test.at("new [1].txt"), "n\n");
    await rm(test.at("gone.txt"));
    await writeFile(test.at("other.txt"), "O\n");
    await test.git("add", "other.txt");
    const said = await commit(test, "-m second\n\nreasons", ["a.txt", "new [1].txt", "gone.txt"]);
    expect(said).toMatch(
      /^Committed [0-9a-f]+ -m second \(3 files; hooks were not run\)\.\nM\ta.txt\nD\tgone.txt\nA\tnew \[1\].txt$/,
    );
    expect(await test.git("log", "-1", "--format=%an <%ae>%n%B")).toBe("Test User <test@example.com>\n-m second\n\nreasons\n\n");
    expect(await test.git("status", "--porcelain")).toBe("M  other.txt\n");
  });

  it("commits in the name that the repository gives, before that of the user", async () => {
    await using test = await createTestRepository({ "a.txt": "a\n" });
    await test.git("config", "user.name", "Repository Name");
    await writeFile(test.at("a.txt"), "A\n");
    await commit(test, "second", ["."]);
    expect(await test.git("log", "-1", "--format=%an <%ae>")).toBe("Repository Name <test@example.com>\n");
  });

  it("says so when nobody's name is known", async () => {
    await using test = await createTestRepository({ "a.txt": "a\n" });
    await rm(path.join(test.home, ".gitconfig"));
    await writeFile(test.at("a.txt"), "A\n");
    await expect(commit(test, "second", ["a.txt"])).rejects.toMatchObject({ message: expect.stringContaining("in whose name") });
  });

  it("says so when nothing has changed", async () => {
    await using test = await createTestRepository({ "a.txt": "a\n", ".gitignore": "ignored\n" });
    await writeFile(test.at("ignored"), "");
    await expect(commit(test, "second", ["a.txt", "ignored"])).rejects.toMatchObject({
      message: expect.stringContaining("Nothing"),
    });
  });

  it("makes the first commit of a repository", async () => {
    await using test = await createTestRepository();
    await writeFile(test.at("a.txt"), "a\n");
    expect(await commit(test, "first", ["a.txt"])).toContain("(1 file;");
  });

  it("commits in a part of a larger repository", async () => {
    await using test = await createTestRepository({ "part/a.txt": "a\n", "other/b.txt": "b\n" });
    await writeFile(test.at("part/a.txt"), "A\n");
    await writeFile(test.at("other/b.txt"), "B\n");
    const part = await realpath(test.at("part"));
    expect(await commit(test, "second", ["."], part)).toContain("M\tpart/a.txt");
    expect(await test.git("status", "--porcelain")).toBe(" M other/b.txt\n");
    await expect(commit(test, "third", ["../other/b.txt"], part)).rejects.toMatchObject({ code: "path_outside_workspace" });
  });

  it("leaves files alone that a filter would have to change", async () => {
    await using test = await createTestRepository({ "part/a.bin": "pointer\n", ".gitattributes": "*.bin filter=lfs\n" });
    await writeFile(test.at("part/a.bin"), "large content\n");
    const refused = { message: 'part/a.bin goes through the filter "lfs" of .gitattributes, which is not run here.' };
    await expect(commit(test, "second", ["."])).rejects.toMatchObject(refused);
    await expect(commit(test, "second", ["."], await realpath(test.at("part")))).rejects.toMatchObject({
      message: expect.stringContaining('a.bin goes through the filter "lfs"'),
    });
    expect(await test.git("status", "--porcelain")).toBe(" M part/a.bin\n");
  });

  it("K1: does not commit a secret that lies in a named folder", async () => {
    await using test = await createTestRepository({ "a.txt": "a\n" });
    await writeFile(test.at("a.txt"), "b\n");
    await mkdir(test.at("conf"));
    await writeFile(test.at("conf/.env.local"), "KEY=1\n");
    await expect(commit(test, "second", ["."])).rejects.toMatchObject({
      code: "path_protected",
      message: expect.stringContaining("conf/.env.local is a secret"),
    });
    expect(await test.git("diff", "--cached", "--name-only")).toBe("");
    expect(await commit(test, "second", ["a.txt"])).toContain("M\ta.txt");
  });

  it("A17: files outside, through links or of .git are refused, and nothing is staged", async () => {
    await using test = await createTestRepository({ "a.txt": "a\n" });
    const outside = path.join(path.dirname(test.workspace), ".kube");
    await mkdir(outside);
    await writeFile(path.join(outside, "config"), "secret");
    await symlink(outside, test.at("link"));
    await writeFile(test.at("a.txt"), "A\n");
    for (const named of ["../.kube/config", path.join(outside, "config"), "link/config", "link", "a/../../.kube/config"])
      await expect(commit(test, "attack", ["a.txt", named])).rejects.toMatchObject({ code: "path_outside_workspace" });
    for (const named of [".git/config", "sub/.GIT/hooks/pre-commit", ":(top)a.txt", ":!x"])
      await expect(commit(test, "attack", ["a.txt", named])).rejects.toMatchObject({ code: "tool_failed" });
    expect(await test.git("diff", "--cached", "--name-only")).toBe("");
    expect(await test.git("log", "--format=%s")).toBe("first\n");
  });

  it("declares its paths and that it writes", () => {
    const tool = createGitCommitTool();
    expect(tool.effect).toBe("write");
    expect(tool.touches({ message: "m", paths: ["a", "../b"] })).toMatchObject({ paths: ["a", "../b"] });
  });
});
