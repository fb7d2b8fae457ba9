import { lstat, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ProposedAct } from "@retinue/protocol";
import type { AnyTool, ToolContext } from "@retinue/runtime";
import { describe, expect, it } from "vitest";
import { probeSandbox } from "@retinue/confine";
import type { TestRepository } from "@retinue/confine/testing";
import { createTestRepository, toText } from "@retinue/confine/testing";
import { createGitCommitTool } from "./git-commit.ts";
import { createGitDiffTool } from "./git-diff.ts";
import { createGitTool } from "./git.ts";

const { backend } = await probeSandbox();
const NONE = { backend: "none", reason: "a test", isInstalled: false } as const;
const ACT: ProposedAct = {
  callId: "call_test",
  tool: "git",
  effect: "read",
  input: {},
  paths: [],
  hosts: [],
  unsandboxed: "all",
};

const CALLS: readonly (readonly [
  create: typeof createGitTool | typeof createGitDiffTool | typeof createGitCommitTool,
  input: unknown,
])[] = [
  [createGitTool, { args: ["status", "-s"] }],
  [createGitDiffTool, {}],
  [createGitCommitTool, { message: "second", paths: ["a.txt"] }],
];

const withChange = async (): Promise<TestRepository> => {
  const test = await createTestRepository({ "a.txt": "one\n" });
  await writeFile(test.at("a.txt"), "two\n");
  return test;
};

describe("git where the machine has no sandbox", () => {
  it("says of each call what is not protected, so that it is asked about, unless the user has waived the sandbox", () => {
    for (const [create, input] of CALLS) {
      const touched = (tool: AnyTool) => tool.touches(input).withoutSandbox;
      expect(touched(create({ sandbox: NONE }))).toContain("It could read or write any file of yours");
      expect(touched(create({ sandbox: NONE, allowUnsandboxed: true }))).toBeUndefined();
    }
  });

  it("does not run a call that nobody was asked about", async () => {
    await using test = await withChange();
    const context: ToolContext = { ...test.context, scope: { ...test.context.scope, approve: "workspace" } };
    for (const [create, input] of CALLS) {
      const tool: AnyTool = create({ environment: test.environment, sandbox: NONE });
      await expect(tool.execute(input, context)).rejects.toMatchObject({ code: "sandbox_unavailable" });
    }
    expect(await test.git("log", "--format=%s")).toBe("first\n");
    for (const [create, input] of CALLS) {
      const tool: AnyTool = create({ environment: test.environment, sandbox: NONE });
      expect(toText(await tool.execute(input, { ...context, act: ACT }))).toContain("a.txt");
    }
    expect(await test.git("log", "--format=%s")).toBe("second\nfirst\n");
  });

  it("does not run where a sandbox is installed and does not work, whatever passes without a question", async () => {
    await using test = await withChange();
    for (const [create, input] of CALLS) {
      const tool: AnyTool = create({ environment: test.environment, sandbox: { ...NONE, isInstalled: true } });
      await expect(tool.execute(input, test.context)).rejects.toMatchObject({ code: "sandbox_unavailable" });
    }
  });

  it("refuses links in .git there too", async () => {
    await using test = await withChange();
    const planted = path.join(test.home, ".profile");
    await rm(test.at(".git/COMMIT_EDITMSG"), { force: true });
    await symlink(planted, test.at(".git/COMMIT_EDITMSG"));
    for (const [create, input] of CALLS) {
      const tool: AnyTool = create({ environment: test.environment, sandbox: NONE });
      await expect(tool.execute(input, { ...test.context, act: ACT })).rejects.toMatchObject({ code: "repository_unsafe" });
    }
    await expect(lstat(planted)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe(`git on this machine (${backend})`, () => {
  it("runs unasked in the sandbox, and not at all without one", async () => {
    await using test = await withChange();
    const context: ToolContext = { ...test.context, scope: { ...test.context.scope, approve: "workspace" } };
    const call = createGitTool({ environment: test.environment }).execute({ args: ["status", "-s"] }, context);
    if (backend === "bwrap") expect(toText(await call)).toBe(" M a.txt");
    else await expect(call).rejects.toMatchObject({ code: "sandbox_unavailable" });
  });
});
