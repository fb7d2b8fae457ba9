import { realpath, writeFile } from "node:fs/promises";
import type { RunSpec } from "@retinue/protocol";
import { createJudge } from "@retinue/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestRepository } from "@retinue/confine/testing";
import { createTestRepository, toText } from "@retinue/confine/testing";
import { createGitTool } from "./git.ts";

const CANARY = "canary";

/** Two commits, the second with `a:b` and `a..b` in its message; secrets in both. */
const withSecrets = async (): Promise<TestRepository> => {
  const test = await createTestRepository({
    ".env": `KEY=${CANARY} \n`,
    id_rsa: `${CANARY}\n`,
    "deploy/id_rsa": `${CANARY}\n`,
    ".ssh/config": `${CANARY}\n`,
    ".config/gcloud/token": `${CANARY}\n`,
    ".config/open.txt": "open\n",
    "a.txt": "open\n",
  });
  await writeFile(test.at(".env"), `KEY=${CANARY}2 \n`);
  await writeFile(test.at("id_rsa"), `${CANARY}2\n`);
  await writeFile(test.at(".config/gcloud/token"), `${CANARY}2\n`);
  await writeFile(test.at("a.txt"), "open two\n");
  await test.git("commit", "--quiet", "--all", "--message=fix a:b and a..b");
  return test;
};

/** What the model gets: of a call that the judge denies, the reason. */
const ask = async (test: TestRepository, args: readonly string[]): Promise<string> => {
  const tool = createGitTool({ environment: test.environment });
  const input = { args: [...args] };
  const grant = { tools: ["git"], writes: [], hosts: [], approve: "all" } as unknown as RunSpec["grant"];
  const judgement = await createJudge({ sandboxObstacle: async () => undefined })({
    callId: "call_1",
    tool,
    input,
    spec: { workspace: test.workspace, grant } as unknown as RunSpec,
    realPath: (file) => realpath(file).catch(() => file),
  });
  if (judgement.type === "deny") return `denied: ${judgement.error.message}`;
  return tool.execute(input, test.context).then(toText, (thrown: Error) => `failed: ${thrown.message}`);
};

describe("history that is withheld from agents", () => {
  /** For those who only look. */
  let looked: TestRepository;
  beforeAll(async () => {
    looked = await withSecrets();
  });
  afterAll(() => looked[Symbol.asyncDispose]());

  it.each([
    ["-z with --stat", ["log", "-p", "-z", "--stat"]],
    ["-z with --raw", ["show", "-z", "--raw", "-p", "HEAD"]],
    ["-z with --numstat", ["diff", "-z", "--numstat", "-p", "HEAD~1", "HEAD"]],
    ["--check, which prints lines", ["diff", "--check", "HEAD~1", "HEAD"]],
    ["a search for a commit", ["show", "HEAD^{/fix}:id_rsa"]],
    ["a search with a colon", ["show", "HEAD^{/a:b}:id_rsa"]],
    ["a search with two dots", ["show", "HEAD^{/a..b}:id_rsa"]],
    ["a search and a range", ["show", ":/fix..HEAD:id_rsa"]],
    ["a time with a colon", ["show", "HEAD@{12:00}:id_rsa"]],
    ["the index", ["show", ":id_rsa"]],
    ["a stage of the index", ["show", ":0:id_rsa"]],
    ["a stage of the index, as an object", ["cat-file", "-p", ":0:id_rsa"]],
    ["a range of two files", ["show", "HEAD:a.txt..HEAD:deploy/id_rsa"]],
    ["a range with its end a file", ["show", "HEAD~1..HEAD:deploy/id_rsa"]],
    ["a difference of two files", ["diff", "HEAD:a.txt..HEAD:deploy/id_rsa"]],
    ["folders above a file", ["show", "HEAD:deploy/../id_rsa"]],
    ["a difference of two folders", ["diff", "HEAD~1:.config", "HEAD:.config"]],
    ["a search in a folder", ["grep", CANARY.slice(0, 3), "HEAD:.config"]],
  ])("is not shown by %s", async (_, args) => {
    expect(await ask(looked, args)).not.toContain(CANARY);
  });

  it("is not shown by the name of the folder's object", async () => {
    await using test = await withSecrets();
    const folder = (await test.git("rev-parse", "HEAD:.ssh")).trim();
    const empty = (await test.git("hash-object", "-t", "tree", "/dev/null")).trim();
    for (const args of [
      ["grep", CANARY.slice(0, 3), folder],
      ["diff", empty, folder],
      ["show", `${folder}:config`],
      ["cat-file", "-p", `${folder.slice(0, 10)}:config`],
      ["log", "-p", `HEAD..${folder}`],
    ])
      expect(await ask(test, args), args.join(" ")).not.toContain(CANARY);
  });

  it("is not shown by a name that was given to the object", async () => {
    await using test = await withSecrets();
    await test.git("tag", "planted", "HEAD:id_rsa");
    for (const args of [
      ["for-each-ref", "--format=%(raw)"],
      ["tag", "--format", "%(raw)"],
      ["show", "planted"],
      ["show", "planted^{}"],
    ])
      expect(await ask(test, args), args.join(" ")).not.toContain(CANARY);
  });

  it.each([["-S"], ["-G"]])("is not found out by guessing with %s", async (option) => {
    await using test = await withSecrets();
    const right = await ask(test, ["log", "--oneline", `${option}KEY=${CANARY}`]);
    expect(right).toBe(await ask(test, ["log", "--oneline", `${option}KEY=something else`]));
    expect(await ask(test, ["log", "--format=%s", `${option}open two`])).toBe("fix a:b and a..b");
  });
});

describe("revisions as people write them", () => {
  it("are taken", async () => {
    await using test = await withSecrets();
    await test.git("tag", "-a", "v1", "--message=one", "HEAD~1");
    for (const [args, expected] of [
      [["show", "-s", "--format=%s", "HEAD^{/fix: a|first}"], "first"],
      [["log", "--format=%s", "HEAD~1..HEAD"], "fix a:b and a..b"],
      [["log", "--format=%s", "v1...main"], "fix a:b and a..b"],
      [["log", "--format=%s", "^v1", "main"], "fix a:b and a..b"],
      [["log", "--format=%s", "HEAD^!"], "fix a:b and a..b"],
      [["show", "-s", "--format=%s", "HEAD@{0}"], "fix a:b and a..b"],
      [["show", "-s", "--format=%s", ":/first"], "first"],
      [["show", "v1^{commit}:a.txt"], "open"],
      [["show", ":a.txt"], "open two"],
      [["cat-file", "-t", "HEAD^{tree}"], "tree"],
      [["ls-tree", "--name-only", "HEAD:.config"], "gcloud\nopen.txt"],
      [["diff", "--shortstat", "v1", "main", "--", "a.txt"], "1 file changed, 1 insertion(+), 1 deletion(-)"],
    ] as const)
      expect((await ask(test, args)).trim(), args.join(" ")).toBe(expected);
  });
});
