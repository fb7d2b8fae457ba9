import { mkdir, readdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toText } from "@retinue/confine/testing";
import { createGitTool } from "./git.ts";
import type { TestRepository } from "@retinue/confine/testing";
import { createTestRepository } from "@retinue/confine/testing";

const look = async (test: TestRepository, args: readonly string[], workspace = test.workspace): Promise<string> => {
  const tool = createGitTool({ environment: test.environment });
  return toText(await tool.execute({ args: [...args] }, { ...test.context, workspace }));
};

/** For what is refused and so leaves them as they are. */
let clean: TestRepository;
let changed: TestRepository;
beforeAll(async () => {
  [clean, changed] = await Promise.all([createTestRepository({ "a.txt": "a" }), createTestRepository({ "a.txt": "a" })]);
  await writeFile(changed.at("a.txt"), "changed");
});
afterAll(async () => {
  await clean[Symbol.asyncDispose]();
  await changed[Symbol.asyncDispose]();
});

describe("git", () => {
  it("looks at status, history, contents and blame", async () => {
    await using test = await createTestRepository({ "src/a.ts": "one\ntwo\n", "b.txt": "b\n" });
    await writeFile(test.at("src/a.ts"), "one\n2\n");
    await writeFile(test.at("new file.txt"), "");
    expect(await look(test, ["status", "-sb"])).toBe('## main\n M src/a.ts\n?? "new file.txt"');
    expect(await look(test, ["log", "--oneline", "--", "src"])).toMatch(/^[0-9a-f]+ first$/);
    expect(await look(test, ["git", "log", "-n", "1", "--format", "%an <%ae> %s"])).toBe("Test User <test@example.com> first");
    expect(await look(test, ["show", "HEAD:b.txt"])).toBe("b");
    expect(await look(test, ["diff", "--stat"])).toContain("1 file changed, 1 insertion(+), 1 deletion(-)");
    expect(await look(test, ["diff", "HEAD", "src/a.ts"])).toContain("-two\n+2");
    expect(await look(test, ["blame", "-L", "1,1", "-s", "src/a.ts"])).toMatch(/1\) one$/);
    expect(await look(test, ["ls-files"])).toBe("b.txt\nsrc/a.ts");
    expect(await look(test, ["ls-tree", "-r", "--name-only", "HEAD"])).toBe("b.txt\nsrc/a.ts");
    expect(await look(test, ["rev-parse", "--abbrev-ref", "HEAD"])).toBe("main");
    expect(await look(test, ["grep", "-n", "two", "HEAD", "--", "src"])).toBe("HEAD:src/a.ts:2:two");
    expect(await look(test, ["shortlog", "-sn"])).toBe("     1\tTest User");
    expect(await look(test, ["reflog", "--oneline"])).toContain("commit (initial): first");
    expect(await look(test, ["worktree", "list"])).toContain("[main]");
  });

  it("tells an empty answer and an answer by exit code", async () => {
    await using test = await createTestRepository({ "a.txt": "a" });
    expect(await look(test, ["diff"])).toBe("(no output)");
    expect(await look(test, ["grep", "nothing like this"])).toBe("[exit code 1]\n(no output)");
  });

  it("lists branches and tags and never makes one", async () => {
    await using test = await createTestRepository({ "a.txt": "a" });
    await test.git("branch", "topic");
    await test.git("tag", "v1");
    expect(await look(test, ["branch"])).toBe("* main\n  topic");
    expect(await look(test, ["branch", "fresh"])).toBe("(no output)");
    expect(await look(test, ["tag", "fresh"])).toBe("(no output)");
    expect(await look(test, ["branch", "--show-current"])).toBe("main");
    expect(await look(test, ["branch", "--contains", "-a"])).toBe("* main\n  topic");
    expect(await look(test, ["tag", "--points-at", "main"])).toBe("v1");
    expect(await test.git("branch", "--format=%(refname:short)")).toBe("main\ntopic\n");
    expect(await test.git("tag")).toBe("v1\n");
  });

  it("says what is neither a revision nor a path", async () => {
    await using test = await createTestRepository({ "a.txt": "a" });
    await expect(look(test, ["log", "nowhere"])).rejects.toMatchObject({ message: '"nowhere" is no revision and no path here.' });
    await expect(look(test, ["show", "HEAD:none"])).rejects.toMatchObject({ code: "tool_failed" });
    expect(await look(test, ["log", "--", "gone.txt"])).toBe("(no output)");
  });

  it("says when there is no repository", async () => {
    await using test = await createTestRepository();
    const elsewhere = path.join(path.dirname(test.workspace), "plain");
    await mkdir(elsewhere);
    await expect(look(test, ["status"], elsewhere)).rejects.toMatchObject({ message: "The workspace is no git repository." });
  });

  it("shows no credentials of remotes", async () => {
    await using test = await createTestRepository({ "a.txt": "a" });
    await test.git("remote", "add", "origin", "https://user:s3cret@example.com/x.git");
    const shown = await look(test, ["remote", "-v"]);
    expect(shown).toContain("https://…@example.com/x.git (fetch)");
    expect(shown).not.toContain("s3cret");
  });

  it("ends when the run is cancelled", async () => {
    await using test = await createTestRepository({ "a.txt": "a" });
    test.stop();
    await expect(look(test, ["log"])).rejects.toMatchObject({ name: "AbortError" });
  });

  it.each([
    ["push", "origin", "main"],
    ["commit", "--message=x"],
    ["checkout", "main"],
    ["init"],
    ["config", "user.name"],
    ["fetch"],
    ["ls-remote", "origin"],
    ["-c", "core.pager=touch x", "log"],
    ["-C", "/", "status"],
    ["--git-dir=/tmp/x", "status"],
    ["stash", "pop"],
    ["reflog", "expire"],
    ["worktree", "add", "x"],
    ["remote", "add", "x", "y"],
    ["difftool"],
  ])("refuses git %s", async (...args) => {
    const test = clean;
    const before = await test.git("for-each-ref");
    await expect(look(test, args)).rejects.toMatchObject({ code: "tool_failed", hint: expect.stringMatching(/\w/) });
    expect(await test.git("for-each-ref")).toBe(before);
  });
});

describe("git arguments", () => {
  it.each([
    [["clean", "-fdx"]],
    [["rm", "-r", "."]],
    [["mv", "a.txt", "../x"]],
    [["checkout", "--", "."]],
    [["reset", "--hard"]],
    [["worktree", "remove", "."]],
    [["init", "../elsewhere"]],
  ])("A18, A20: nothing is deleted, renamed or made: %j", async (args) => {
    const test = changed;
    await expect(look(test, args)).rejects.toMatchObject({ message: expect.stringContaining("not among the commands") });
    expect(await readdir(path.dirname(test.workspace))).not.toContain("elsewhere");
    expect(await readFile(test.at("a.txt"), "utf8")).toBe("changed");
  });

  it.each([
    [["log", "--output=out.txt"]],
    [["diff", "--outpu=out.txt"]],
    [["show", "-Oorder", "HEAD"]],
    [["grep", "-Otouch", "a"]],
    [["grep", "--open-files-in-pager=touch", "a"]],
    [["diff", "--ext-diff"]],
    [["log", "-p", "--textconv"]],
    [["log", "--show-signature"]],
    [["diff", "--no-index", "a.txt", "/etc/hostname"]],
    [["blame", "--contents=/etc/hostname", "a.txt"]],
    [["blame", "--ignore-revs-file=/etc/hostname", "a.txt"]],
    [["grep", "-f", "/etc/hostname"]],
    [["ls-files", "--exclude-from=/etc/hostname"]],
    [["log", "--stdin"]],
    [["branch", "-D", "main"]],
    [["tag", "-d", "v1"]],
    [["log", "-1p"]],
  ])("B9: an option outside the table is refused: %j", async (args) => {
    const test = clean;
    await expect(look(test, args)).rejects.toMatchObject({ message: expect.stringContaining("is not taken here") });
    expect(await test.git("status", "--porcelain")).toBe("");
  });

  it("B9: a value that begins with a dash stays a value", async () => {
    await using test = await createTestRepository({ "a.txt": "a" });
    for (const args of [
      ["log", "--grep", "--output=out.txt"],
      ["log", "-S", "--output=out.txt"],
      ["log", "--author", "-c"],
      ["branch", "--sort", "refname"],
    ])
      await look(test, args);
    await expect(look(test, ["branch", "--format", "--output=out.txt"])).resolves.toBe("--output=out.txt");
    await expect(look(test, ["log", "--", "--output=out.txt"])).resolves.toBe("(no output)");
    expect(await test.git("status", "--porcelain")).toBe("");
  });

  it("A17: paths outside the workspace are refused, as path, pattern or pathspec", async () => {
    await using test = await createTestRepository({ "a.txt": "a" });
    const secret = path.join(path.dirname(test.workspace), "secret.txt");
    await writeFile(secret, "secret content");
    await symlink(secret, test.at("link"));
    for (const args of [
      ["diff", "a.txt", secret],
      ["diff", "--", "a.txt", "../secret.txt"],
      ["diff", "../secret.txt", "a.txt"],
      ["log", "--", "../../*"],
      ["grep", "-n", "secret", "--", "../secret.txt"],
      ["blame", "--", secret],
      ["log", "-L1,1:../secret.txt"],
      ["check-ignore", "-v", "link"],
    ])
      await expect(look(test, args)).rejects.toMatchObject({ code: "path_outside_workspace" });
    for (const magic of [":(top)a.txt", ":/", ":!a.txt"])
      await expect(look(test, ["log", "--", magic])).rejects.toMatchObject({ message: expect.stringContaining("magic") });
    await expect(look(test, ["log", "--", ".git/config"])).rejects.toMatchObject({
      message: expect.stringContaining("git's own"),
    });
  });

  it("declares the paths it was given, also those of other revisions", () => {
    const tool = createGitTool();
    expect(tool.effect).toBe("read");
    expect(tool.touches({ args: ["log", "--", "a", "../b"] })).toMatchObject({ paths: ["a", "../b"] });
    expect(tool.touches({ args: ["show", "HEAD:.env", "main"] })).toMatchObject({ paths: [".env", "main"] });
    expect(tool.touches({ args: ["diff", "--stat", ".env"] })).toMatchObject({ paths: [".env"] });
    expect(tool.touches({ args: ["log", "-L1,2:.env"] })).toMatchObject({ paths: [".env"] });
    expect(tool.touches({ args: ["grep", "/x", "src"] })).toMatchObject({ paths: ["src"] });
    expect(tool.touches({ args: ["log", "--grep", "/x", ":/words"] })).toMatchObject({ paths: ["."] });
    expect(tool.touches({ args: ["branch", "--list", "/x*"] })).toMatchObject({ paths: ["."] });
    expect(tool.touches({ args: ["push"] })).toMatchObject({ paths: ["."] });
    expect(tool.touches({ args: ["log"] })).toMatchObject({ paths: ["."] });
  });
});

describe("git and secrets", () => {
  const withSecrets = () =>
    createTestRepository({
      ".env": "KEY=canary\n",
      "deploy/id_rsa": "canary\n",
      ".env.example": "KEY=example\n",
      "id_map.ts": "open\n",
      'odd "name"/ b/x.pem': "canary\n",
      "a.txt": "open\n",
    });

  it("K1: contents of secrets are left out of diffs, logs and searches, and it is said so", async () => {
    await using test = await withSecrets();
    await test.git("rm", "--quiet", "--cached", ".env");
    await test.git("commit", "--quiet", "--message=second");
    for (const args of [
      ["show", "HEAD~1"],
      ["log", "-p"],
      ["log", "-p", "--graph", "--stat"],
      ["diff", "HEAD~1", "HEAD"],
      ["grep", "canary"],
      ["grep", "-h", "canary", "HEAD~1"],
    ]) {
      const shown = await look(test, args);
      expect(shown, args.join(" ")).not.toContain("canary");
      expect(shown, args.join(" ")).toContain("[left out, since agents do not read them: ");
    }
    const first = await look(test, ["show", "HEAD~1"]);
    expect(first).toContain("KEY=example");
    expect(first).toContain("b/id_map.ts");
    expect(first).toContain('left out, since agents do not read them: .env, deploy/id_rsa, odd "name"/ b/x.pem]');
  });

  it("K1: contents without a name are not given", async () => {
    await using test = await withSecrets();
    const blob = (await test.git("rev-parse", "HEAD:.env")).trim();
    const other = (await test.git("rev-parse", "HEAD:a.txt")).trim();
    for (const args of [
      ["show", blob],
      ["show", blob.slice(0, 8)],
      ["cat-file", "-p", blob],
      ["diff", other, blob],
    ])
      await expect(look(test, args)).rejects.toMatchObject({ message: expect.stringContaining("without its name") });
    expect(await look(test, ["show", "HEAD^{tree}"])).toContain("a.txt");
    expect(await look(test, ["cat-file", "-p", "HEAD:a.txt"])).toBe("open");
  });

  it("gives what the user has set free", async () => {
    await using test = await withSecrets();
    const tool = createGitTool({ environment: test.environment, unprotected: [".env"] });
    expect(toText(await tool.execute({ args: ["show", "HEAD", "--", ".env"] }, test.context))).toContain("KEY=canary");
  });
});

describe("git in a part of a larger repository", () => {
  const withPart = async (): Promise<TestRepository & { readonly part: string }> => {
    const test = await createTestRepository({ "part/mine.txt": "mine\n", "other/theirs.txt": "theirs\n" });
    return { ...test, part: await realpath(test.at("part")) };
  };

  it("A17: shows only what lies in the workspace", async () => {
    await using test = await withPart();
    await writeFile(test.at("part/mine.txt"), "mine, changed\n");
    await writeFile(test.at("other/theirs.txt"), "theirs, changed\n");
    for (const args of [
      ["status", "-s"],
      ["diff"],
      ["diff", "HEAD"],
      ["show", "HEAD"],
      ["log", "-p"],
      ["grep", "-n", "."],
      ["ls-files"],
    ]) {
      const shown = await look(test, args, test.part);
      expect(shown).toContain("mine");
      expect(shown).not.toContain("theirs");
    }
  });

  it("A17: gives no content of a file outside by the name of its object", async () => {
    await using test = await withPart();
    const blob = (await test.git("rev-parse", "HEAD:other/theirs.txt")).trim();
    const own = (await test.git("rev-parse", "HEAD:part/mine.txt")).trim();
    for (const args of [
      ["show", blob],
      ["show", "HEAD:other/theirs.txt"],
      ["show", "HEAD:./../other/theirs.txt"],
      ["cat-file", "-p", blob],
      ["diff", own, blob],
      ["diff", "HEAD:part/mine.txt", "HEAD:other/theirs.txt"],
      ["ls-tree", "HEAD:other"],
      ["grep", "theirs", "HEAD:other"],
      ["stash", "show"],
      ["log", "-L1,1:../other/theirs.txt"],
    ])
      await expect(look(test, args, test.part)).rejects.toMatchObject({ code: "path_outside_workspace" });
  });
});

describe("git in a repository that is not the workspace's own", () => {
  const withSecret = async (): Promise<TestRepository & { readonly secret: string }> => {
    const test = await createTestRepository({ "a.txt": "a" });
    const other = await createTestRepository({ "key.txt": "secret content" });
    return {
      ...test,
      secret: other.workspace,
      [Symbol.asyncDispose]: async () => {
        await other[Symbol.asyncDispose]();
        await test[Symbol.asyncDispose]();
      },
    };
  };

  const refused = { code: "path_outside_workspace", message: expect.stringContaining("not the workspace's own") };

  it("A17: core.worktree elsewhere is refused", async () => {
    await using test = await withSecret();
    await test.git("config", "core.worktree", test.secret);
    await expect(look(test, ["status"])).rejects.toThrow();
    await test.git("config", "core.worktree", path.dirname(test.workspace));
    await expect(look(test, ["status"])).rejects.toMatchObject(refused);
    await test.git("config", "core.worktree", "/");
    await expect(look(test, ["status"])).rejects.toMatchObject(refused);
  });

  it("A17: a .git file or link that leads to another repository is refused", async () => {
    await using test = await withSecret();
    const folder = path.join(path.dirname(test.workspace), "planted");
    await mkdir(folder);
    await writeFile(path.join(folder, ".git"), `gitdir: ${test.secret}/.git\n`);
    await expect(look(test, ["log", "-p"], folder)).rejects.toMatchObject(refused);
    const linked = path.join(path.dirname(test.workspace), "linked");
    await mkdir(linked);
    await symlink(path.join(test.secret, ".git"), path.join(linked, ".git"));
    await expect(look(test, ["log", "-p"], linked)).rejects.toMatchObject(refused);
  });

  it("A17: a .git folder that takes its history from elsewhere is refused", async () => {
    await using test = await withSecret();
    await writeFile(test.at(".git/commondir"), path.join(test.secret, ".git"));
    await expect(look(test, ["log", "-p"])).rejects.toMatchObject(refused);
  });

  it("a linked work tree and a submodule, known to their repository, are worked in", async () => {
    await using test = await withSecret();
    const tree = path.join(path.dirname(test.workspace), "tree");
    await test.git("worktree", "add", "--quiet", tree);
    expect(await look(test, ["branch", "--show-current"], await realpath(tree))).toBe("tree");
    await test.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", test.secret, "sub");
    expect(await look(test, ["log", "--format=%s"], await realpath(test.at("sub")))).toBe("first");
  });

  it("A18: a repository that is only the shape of one is not taken for one", async () => {
    await using test = await withSecret();
    const bare = path.join(path.dirname(test.workspace), "bare");
    await test.git("init", "--quiet", "--bare", bare);
    await expect(look(test, ["log"], bare)).rejects.toMatchObject({ code: "tool_failed" });
  });
});
