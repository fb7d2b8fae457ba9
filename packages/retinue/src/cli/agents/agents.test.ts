import { readBuiltinAgents } from "@retinue/agents";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { widthOf } from "../../terminal/text-width.ts";
import { callRetinue } from "../testing/call-retinue.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const project = async (files: Readonly<Record<string, string>> = {}): Promise<Project> => {
  const made = await createProject();
  cleanups.push(made.remove);
  for (const [name, text] of Object.entries(files)) {
    const file = join(made.workspace, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return made;
};

const CLAUDE = "---\nname: helper\ndescription: Helps out.\ntools: Read, Grep\ncolor: red\n---\nHelp.\n";
const BROKEN = "---\nname: broken\ndescription: [\n---\nNo.\n";

describe("retinue agents list", () => {
  test("shows the agents of all places in 80 columns, with what each may use", async () => {
    const made = await project({ ".claude/agents/helper.md": CLAUDE });
    const ended = await callRetinue(made, ["agents", "list"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^ +helper +project +2$/m);
    expect(ended.stdout).toMatch(/^ {4}Helps out\.$/m);
    expect(ended.stdout).toMatch(/^🔎 +code-search +built-in +\d+ {2}8 iterations, 5 min$/m);
    expect(ended.stdout).toMatch(/^ {4}may start tester, reviewer$/m);
    expect(Math.max(...ended.stdout.split("\n").map(widthOf))).toBeLessThanOrEqual(80);
  });

  test("--json tells the same as data, and what is wrong is counted", async () => {
    const made = await project({ ".claude/agents/helper.md": CLAUDE, ".retinue/agents/broken.md": BROKEN });
    const ended = await callRetinue(made, ["agents", "--json"]);
    const told = JSON.parse(ended.stdout) as { agents: { name: string }[]; errors: number };
    const builtins = await readBuiltinAgents();
    expect(told.agents.map(({ name }) => name).toSorted()).toEqual([...builtins.keys(), "helper"].toSorted());
    expect(told.agents.find(({ name }) => name === "helper")).toMatchObject({
      origin: "project",
      dialect: "claude-code",
      file: join(made.workspace, ".claude/agents/helper.md"),
      tools: ["read", "grep"],
    });
    expect(told.errors).toBe(1);
    expect((await callRetinue(made, ["agents"])).stderr).toContain("1 error and 0 warnings in files of agents");
  });

  test("the user's agents go over the built-in ones, those of Claude Code are there, too, and a project that is not trusted replaces none", async () => {
    const agent = (name: string, description: string): string => `---\nname: ${name}\ndescription: ${description}\n---\nHelp.\n`;
    const made = await project({
      ".retinue/agents/planner.md": agent("planner", "Of the project."),
      ".retinue/agents/shared.md": agent("shared", "Of the project."),
      ".retinue/agents/fresh.md": agent("fresh", "Of the project."),
    });
    for (const [name, text] of [
      ["agents/planner.md", agent("planner", "Of the user.")],
      ["agents/shared.md", agent("shared", "Of the user.")],
      ["agents/researcher.md", agent("researcher", "Of the user.")],
      [".claude/agents/theirs.md", agent("theirs", "Of the user.")],
    ] as const) {
      await mkdir(dirname(join(made.home, name)), { recursive: true });
      await writeFile(join(made.home, name), text);
    }
    const ended = await callRetinue(made, ["agents", "list", "--json"]);
    const { agents } = JSON.parse(ended.stdout) as { agents: { name: string; origin: string; description: string }[] };
    const of = (name: string): unknown =>
      agents.filter((one) => one.name === name).map(({ origin, description }) => [origin, description]);
    expect(of("planner")).toEqual([["user", "Of the user."]]);
    expect(of("shared")).toEqual([["user", "Of the user."]]);
    expect(of("fresh")).toEqual([["project", "Of the project."]]);
    expect(of("researcher")).toEqual([["user", "Of the user."]]);
    expect(of("theirs")).toEqual([["user", "Of the user."]]);
    const shown = await callRetinue(made, ["agents", "show", "planner"]);
    expect(shown.stdout).toMatch(/^From user \(retinue\): .*agents\/planner\.md$/m);
    expect(shown.stdout.match(/^In place of .*$/gm)).toEqual([expect.stringMatching(/builtin\/planner\.md$/)]);
  });

  test("what stands in a file drives no terminal", async () => {
    const text = `---\nname: helper\ndescription: "\\e]0;owned\\a Helps"\nicon: "\\e[31m"\n---\n\u001b[2J\n`;
    const made = await project({ ".retinue/agents/helper.md": text });
    for (const words of [["list"], ["check", "--all"], ["list", "--json"], ["check", "--json"]]) {
      const ended = await callRetinue(made, ["agents", ...words]);
      expect(ended.stdout).not.toBe("");
      expect(ended.stdout + ended.stderr).not.toMatch(/(?!\n)\p{Cc}/u);
    }
  });
});

describe("retinue agents show", () => {
  test("tells where an agent comes from, its tools and limits here, and its prompt; another name for it will do", async () => {
    const made = await project();
    await writeFile(join(made.home, "retinue.yaml"), "limits: { iterations: 3 }\n");
    const ended = await callRetinue(made, ["agents", "show", "coder"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^From built-in \(retinue\): .*executor\.md$/m);
    expect(ended.stdout).toMatch(/^Tools here \(\d+\): .*\bwrite\b/m);
    expect(ended.stdout).toMatch(/^Limits here: 3 iterations, /m);
    expect(ended.stdout).toMatch(/^May start: tester, reviewer$/m);
    const { prompt } = (await readBuiltinAgents()).get("executor") ?? { prompt: "missing" };
    expect(ended.stdout).toContain(prompt.trim());
  });

  test("a name that there is not is told with the nearest", async () => {
    const ended = await callRetinue(await project(), ["agents", "show", "code-serch"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/There is no agent "code-serch"; did you mean code-search\? \[agent_unknown\]/);
    const far = await callRetinue(await project(), ["agents", "show", "zebra"]);
    expect(far.stderr).toContain('There is no agent "zebra". [agent_unknown]');
  });
});

test("retinue agents show explains why a file is left out", async () => {
  const made = await project({ ".retinue/agents/broken.md": BROKEN });
  const ended = await callRetinue(made, ["agents", "show", "broken"]);
  expect(ended).toMatchObject({ code: 1, stderr: "" });
  expect(ended.stdout).toContain(
    `broken is left out, since its file has an error: ${join(made.workspace, ".retinue/agents/broken.md")}`,
  );
  expect(ended.stdout).toMatch(/^\d+: error: /m);
  const told = JSON.parse((await callRetinue(made, ["agents", "show", "broken", "--json"])).stdout) as unknown;
  expect(told).toMatchObject({ agent: null, problems: [{ severity: "error" }] });
  const unknown = await callRetinue(made, ["agents", "show", "zzzzzzzzz"]);
  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(unknown.stderr).not.toContain("did you mean");
});

describe("retinue agents check", () => {
  test("has a line with counts for each kind of file, names what is left out, and exits with 1", async () => {
    const made = await project({
      ".retinue/agents/broken.md": BROKEN,
      ".claude/agents/helper.md": CLAUDE,
      ".claude/skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\nDo.\n",
      ".claude/commands/fix.md": "---\ndescription: d\nagent: helpr\nmodel: opus\n---\nFix $1.\n",
      ".opencode/command/open.md": "---\ndescription: d\n",
    });
    const ended = await callRetinue(made, ["agents", "check"]);
    expect(ended).toMatchObject({ code: 1, stderr: "" });
    const lines = ended.stdout.split("\n");
    expect(lines).toEqual([
      "claude-code: 1 of 1 file used; 0 errors, 0 warnings, 1 notice",
      "commands: 1 of 2 files used; 1 error, 1 warning, 1 notice",
      "retinue: 0 of 1 file used; 1 error, 0 warnings, 0 notices",
      "skills: 1 of 1 file used; 0 errors, 0 warnings, 0 notices",
      "  .opencode/command/open.md:1: its front matter is not closed by a line of ---",
      expect.stringMatching(/^ {2}\.retinue\/agents\/broken\.md:\d+: /),
      "-v tells all of it, line by line.",
      "",
    ]);
    const listed = await callRetinue(made, ["agents", "list"]);
    const whole = await callRetinue(made, ["agents", "check", "-v"]);
    expect(whole.stdout.replaceAll(/\s+/g, " ")).toContain(
      '3 warning there is no agent "helpr" (did you mean "helper"?); whoever is asked',
    );
    for (const line of lines.slice(0, 4)) expect(listed.stderr).toContain(`  ${line}\n`);
    const kinds = async (...words: readonly string[]) =>
      (JSON.parse((await callRetinue(made, words)).stdout) as { kinds: unknown[] }).kinds;
    expect(await kinds("agents", "list", "--json")).toEqual(await kinds("agents", "check", "--json"));
  });

  test("stays short however many files are wrong", async () => {
    const names = Array.from({ length: 30 }, (_, at) => `.retinue/agents/broken-${at}.md`);
    const ended = await callRetinue(await project(Object.fromEntries(names.map((name) => [name, BROKEN]))), ["agents", "check"]);
    expect(ended.stdout.split("\n").length).toBeLessThan(10);
    expect(ended.stdout).toContain("and 25 more errors");
  });

  test("-v names the line of a broken file, leaves the others in, and exits with 1", async () => {
    const made = await project({ ".retinue/agents/broken.md": BROKEN, ".claude/agents/helper.md": CLAUDE });
    const ended = await callRetinue(made, ["agents", "check", "-v"]);
    expect(ended).toMatchObject({ code: 1, stderr: "" });
    expect(ended.stdout).toMatch(/^\.retinue\/agents\/broken\.md\n {2}\d+ {2}error {4}/m);
    expect(ended.stdout).toMatch(/^\.claude\/agents\/helper\.md \(claude-code\): helper\n {2}5 {2}notice {3}"color" /m);
    expect(ended.stdout).toMatch(/^1 agent in 1 file: 1 error, 0 warnings, 1 notice\.$/m);
  });

  test("a Claude Code file as it is has no error, and --json tells what is not honoured", async () => {
    const made = await project({ ".claude/agents/helper.md": CLAUDE.replace("tools:", "model: nobody/nothing\ntools:") });
    const ended = await callRetinue(made, ["agents", "check", "--json"]);
    expect(ended.code).toBe(0);
    const { files, counts } = JSON.parse(ended.stdout) as { files: { file: string }[]; counts: { error: number } };
    expect(counts.error).toBe(0);
    expect(files.find(({ file }) => file.endsWith("helper.md"))).toMatchObject({
      agents: ["helper"],
      problems: [
        { line: 4, severity: "warning", message: 'the model "nobody/nothing" names no provider that there is' },
        { line: 6, severity: "notice" },
      ],
    });
  });
});

describe("retinue agents new", () => {
  test("writes a file that is there at once, with a prompt that is still to be filled in", async () => {
    const made = await project();
    expect(await callRetinue(made, ["agents", "new", "release-notes", "--description", "Writes notes."])).toMatchObject({
      code: 0,
      stderr: "",
    });
    const text = await readFile(join(made.workspace, ".retinue/agents/release-notes.md"), "utf8");
    expect(text).toContain("description: Writes notes.");
    expect((await callRetinue(made, ["agents", "check", "--all"])).stdout).toMatch(
      /^\.retinue\/agents\/release-notes\.md \(retinue\): release-notes\n.*its prompt is still the one of the template/m,
    );
  });

  test("leaves a file that is there as it is, and follows no link", async () => {
    const made = await project({ ".retinue/agents/mine.md": "mine", "elsewhere.md": "theirs" });
    await symlink(join(made.workspace, "elsewhere.md"), join(made.workspace, ".retinue/agents/link.md"));
    for (const [name, file, text] of [
      ["mine", ".retinue/agents/mine.md", "mine"],
      ["link", "elsewhere.md", "theirs"],
    ] as const) {
      const ended = await callRetinue(made, ["agents", "new", name]);
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toContain("[file_exists]");
      expect(await readFile(join(made.workspace, file), "utf8")).toBe(text);
    }
  });

  test("a name that leads out of the folder is none", async () => {
    const made = await project();
    expect(await callRetinue(made, ["agents", "new", "../../out"])).toMatchObject({ code: 2, stdout: "" });
  });
});

test("a command of agents that there is not is told with the nearest", async () => {
  const ended = await callRetinue(await project(), ["agents", "lst"]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain("There is no command agents lst; did you mean list?");
});
