import { realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { toText } from "@retinue/confine/testing";
import type { GitDiffInput } from "./git-diff.ts";
import { createGitDiffTool } from "./git-diff.ts";
import type { TestRepository } from "@retinue/confine/testing";
import { createTestRepository } from "@retinue/confine/testing";

const diff = async (test: TestRepository, input: GitDiffInput): Promise<string> =>
  toText(await createGitDiffTool({ environment: test.environment }).execute(input, test.context));

describe("git_diff", () => {
  it("shows what is not staged, with a summary and the files that git does not know", async () => {
    await using test = await createTestRepository({ "a.txt": "one\n", "b.txt": "b\n", "c[1].txt": "c\n" });
    await writeFile(test.at("a.txt"), "1\n");
    await writeFile(test.at("b.txt"), "staged\n");
    await test.git("add", "b.txt");
    await writeFile(test.at("c[1].txt"), "changed\n");
    await writeFile(test.at("new.txt"), "");
    const shown = await diff(test, {});
    expect(shown).toContain("2 files changed");
    expect(shown).toContain("-one\n+1");
    expect(shown).not.toContain("+staged");
    expect(shown).toMatch(/Not known to git yet:\nnew\.txt$/);
    expect(await diff(test, { staged: true })).toContain("+staged");
    expect(await diff(test, { from: "HEAD" })).toContain("+staged");
    expect(await diff(test, { path: "c[1].txt" })).toContain("1 file changed");
  });

  it("compares two revisions", async () => {
    await using test = await createTestRepository({ "a.txt": "one\n" });
    await rm(test.at("a.txt"));
    await test.git("commit", "--quiet", "--all", "--message=second");
    expect(await diff(test, { from: "HEAD~1", to: "main" })).toContain("deleted file");
    expect(await diff(test, { from: "main", to: "HEAD" })).toBe("No difference.");
    expect(await diff(test, {})).toBe("No difference.");
  });

  it("says what does not go together", async () => {
    await using test = await createTestRepository({ "a.txt": "a" });
    await expect(diff(test, { to: "main" })).rejects.toMatchObject({ message: "to needs from." });
    await expect(diff(test, { from: "main", to: "main", staged: true })).rejects.toMatchObject({ code: "tool_failed" });
  });

  it("B9: takes no revision that is an option, a path or an object of another kind", async () => {
    await using test = await createTestRepository({ "a.txt": "a" });
    for (const from of ["--output=out.txt", "-O/etc/hostname", "--no-index", "a.txt", "HEAD:a.txt", "main..main", "nowhere"])
      await expect(diff(test, { from })).rejects.toMatchObject({ message: `"${from}" names no commit.` });
    expect(await test.git("status", "--porcelain")).toBe("");
  });

  it("K1: leaves the contents of secrets out", async () => {
    await using test = await createTestRepository({ ".env": "KEY=old\n", "sub/a.txt": "a\n", "sub/server.key": "old\n" });
    await writeFile(test.at(".env"), "KEY=canary\n");
    await writeFile(test.at("sub/a.txt"), "b\n");
    await writeFile(test.at("sub/server.key"), "canary\n");
    const shown = await diff(test, {});
    expect(shown).toContain("+b");
    expect(shown).not.toContain("canary");
    expect(shown).toContain("[left out, since agents do not read them: .env, sub/server.key]");
    const tool = createGitDiffTool({ environment: test.environment });
    const part = toText(await tool.execute({}, { ...test.context, workspace: await realpath(test.at("sub")) }));
    expect(part).toContain("+b");
    expect(part).not.toContain("canary");
  });

  it("A17: a path outside is refused", async () => {
    await using test = await createTestRepository({ "a.txt": "a" });
    const secret = path.join(path.dirname(test.workspace), "secret.txt");
    await writeFile(secret, "secret");
    for (const named of [secret, "../secret.txt"])
      await expect(diff(test, { path: named })).rejects.toMatchObject({ code: "path_outside_workspace" });
  });
});
