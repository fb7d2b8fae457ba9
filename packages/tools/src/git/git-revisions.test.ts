import { writeFile } from "node:fs/promises";
import type { TestRepository } from "@retinue/confine/testing";
import { createTestRepository, toText } from "@retinue/confine/testing";
import { expect, it } from "vitest";
import { createGitTool } from "./git.ts";

const CANARY = "canary-of-a-secret";
const OPEN = "plain words";

/** A name that was cut at the wrong colon is not known as any of them. */
const SECRETS = ["id_rsa", ".ssh/config", ".npmrc"];

/** Four commits whose messages hold colons, braces and dots, with branches, tags, an upstream and reflogs. */
const createHistory = async (): Promise<TestRepository> => {
  const files = Object.fromEntries(SECRETS.map((file) => [file, `${CANARY}\n`]));
  const test = await createTestRepository({ ...files, "a.txt": `${OPEN}\n`, "a:b/c": `${OPEN}\n`, ".env.example": `${OPEN}\n` });
  for (const [at, message] of ["feat: first", "fix(a:b): c", "docs: a..b", "merge: x:y/z"].entries()) {
    for (const file of SECRETS) await writeFile(test.at(file), `${CANARY} ${at}\n`);
    await writeFile(test.at("a.txt"), `${OPEN} ${at}\n`);
    await test.git("commit", "--quiet", "--all", `--message=${message}`);
  }
  await test.git("branch", "topic/one", "HEAD~1");
  await test.git("branch", "--quiet", "--set-upstream-to=topic/one");
  await test.git("tag", "v1", "HEAD~2");
  await test.git("tag", "--annotate", "v2", "--message=feat: two", "HEAD~1");
  await test.git("tag", "planted", "HEAD:id_rsa");
  return test;
};

const FOUND = [":/feat: first", ":/fix(a:b)", ":/docs:", ":/x:y", ":/feat", ":/^merge: x:y/z", ":/!-feat:", ":/."];
const NAMES = ["HEAD", "@", "main", "topic/one", "v1", "v2", "refs/heads/main", "heads/main", "tags/v2", "@{upstream}"];
const MORE_NAMES = ["main@{0}", "HEAD@{1}", "@{0}", "main@{u}", "HEAD@{2.days.ago}", "HEAD@{12:00}", "planted"];
const STEPS = ["", "^", "~1", "^0", "^{}", "^{commit}", "^{/feat:}", "^{/fix(a:b)}", "^{/feat: first}", "^{tree}", "^{object}"];
const PATHS = [":.npmrc", ":id_rsa", ":./id_rsa", ":.ssh/config", ":.ssh", ":a:b", ":a:b/c", ":HEAD:x", ":", "^{tree}:id_rsa"];
const RANGES = [
  "HEAD~3..",
  "..v1",
  "v1...main",
  "^v1",
  "HEAD^!",
  "HEAD^@",
  "HEAD^-",
  "v1..:/feat: first",
  "HEAD^{/feat:}..",
  "v1^{}..@",
];
const INDEX = [":.npmrc", ":0:.npmrc", ":0:id_rsa", ":1:id_rsa", "::", ":./id_rsa", ":a:b/c", ":/", ":/:", ":(top)id_rsa", ":!x"];

const REVISIONS = [
  ...new Set([
    ...FOUND,
    ...NAMES.flatMap((name) => STEPS.map((step) => name + step)),
    ...MORE_NAMES.flatMap((name) => ["", "^{/feat:}", "~1"].map((step) => name + step)),
    ...["HEAD", "v2", "@{upstream}", "HEAD^{/feat:}", "HEAD@{12:00}"].flatMap((name) => PATHS.map((file) => name + file)),
    ...RANGES,
    ...INDEX,
  ]),
].slice(0, 200);

const COMMANDS: readonly ((revision: string) => readonly string[])[] = [
  (revision) => ["grep", "-n", "c", revision],
  (revision) => ["grep", "-h", "-C", "3", "of-a", revision, "--", "."],
  (revision) => ["log", "-p", "-5", revision],
  (revision) => ["log", "--cc", "--graph", "--stat", "-Gcanary", revision],
  (revision) => ["show", revision],
  (revision) => ["diff", revision],
  (revision) => ["cat-file", "-p", revision],
  (revision) => ["blame", revision, "--", "id_rsa"],
];

const ask = (test: TestRepository, args: readonly string[]): Promise<string> =>
  createGitTool({ environment: test.environment })
    .execute({ args: [...args] }, test.context)
    .then(toText, (thrown: Error) => `failed: ${thrown.message}`);

/** The calls that showed a protected file, and how many showed anything else of the history. */
const callAll = async (
  revisions: readonly string[],
  commands = COMMANDS,
): Promise<{ readonly leaks: readonly string[]; readonly shown: number }> => {
  await using test = await createHistory();
  const leaks: string[] = [];
  let shown = 0;
  for (const revision of revisions)
    for (const toArgs of commands) {
      const args = toArgs(revision);
      const answer = await ask(test, args);
      if (answer.includes(CANARY)) leaks.push(args.join(" "));
      if (answer.includes(OPEN)) shown += 1;
    }
  return { leaks, shown };
};

it("N1: a revision that holds a colon shows no line of a protected file", async () => {
  const { leaks, shown } = await callAll([":/feat: first", "HEAD^{/feat:}"], COMMANDS.slice(0, 3));
  expect(leaks).toEqual([]);
  expect(shown).toBe(2);
});

it(
  "N1: 200 spellings of a revision in 8 commands show no line of a protected file",
  { tags: ["long"], timeout: 900_000 },
  async () => {
    expect(REVISIONS).toHaveLength(200);
    const { leaks, shown } = await callAll(REVISIONS);
    expect(leaks).toEqual([]);
    expect(shown).toBeGreaterThan(300);
  },
);

it.each(["-L1,1:id_rsa", "-L/canary/,+1:.npmrc", "-L1,1:./.ssh/../.ssh/config", "-L:a:id_rsa"])(
  "N1: the history of lines by %s shows no line of a protected file",
  async (option) => {
    await using test = await createHistory();
    for (const revision of ["HEAD", ":/feat: first", "HEAD^{/feat:}", "v1..main"])
      expect(await ask(test, ["log", option, revision])).toMatch(/^failed: .*(?:kept from agents|secret|protected)/);
  },
);

it("N1: a search in a revision names the revision as it was asked for", async () => {
  await using test = await createHistory();
  expect(await ask(test, ["grep", "-n", OPEN, "HEAD^{/feat:}", "--", "*.txt"])).toBe(`HEAD^{/feat:}:a.txt:1:${OPEN} 0`);
  expect(await ask(test, ["grep", "-n", OPEN, "v1", "--", "*.txt"])).toBe(`v1:a.txt:1:${OPEN} 1`);
});

it("a file that is only named like a secret stays in searches and diffs of the history", async () => {
  await using test = await createHistory();
  expect(await ask(test, ["grep", "-l", OPEN, "HEAD"])).toContain("HEAD:.env.example");
  expect(await ask(test, ["show", "main~4"])).toContain("b/.env.example");
});
