import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const FILES = {
  ".claude/skills/release-notes/SKILL.md":
    "---\nname: release-notes\ndescription: Writes notes for a release.\nallowed-tools: Read, Bash(git log:*)\n---\nRead the log first.\n",
  ".claude/skills/release-notes/template.md": "# Notes\n",
  ".opencode/skill/mute/SKILL.md": "---\nname: mute\n---\nNo.\n",
};

const project = async (files: Readonly<Record<string, string>> = FILES): Promise<Project> => {
  const made = await createProject();
  cleanups.push(made.remove);
  for (const [name, text] of Object.entries(files)) {
    const file = join(made.workspace, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return made;
};

describe("retinue skills list", () => {
  test("shows each skill with its file, and counts what is wrong", async () => {
    const made = await project();
    const ended = await callRetinue(made, ["skills"]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(
      /^release-notes +project +\.claude\/skills\/release-notes\/SKILL\.md\n {4}Writes notes for a release\.$/m,
    );
    expect(ended.stdout).not.toContain("mute");
    expect(ended.stderr).toContain("1 error and 0 warnings in files of skills; retinue skills check tells them.");
    const told = JSON.parse((await callRetinue(made, ["skills", "list", "--json"])).stdout) as unknown;
    expect(told).toMatchObject({ skills: [{ name: "release-notes", origin: "project" }], errors: 1, warnings: 0 });
  });

  test("says that there are none", async () => {
    expect(await callRetinue(await project({}), ["skills", "list"])).toMatchObject({
      code: 0,
      stdout: "There are no skills.\n",
      stderr: "",
    });
  });
});

describe("retinue skills show", () => {
  test("tells a skill as agents read it, with the files it brings", async () => {
    const ended = await callRetinue(await project(), ["skills", "show", "release-notes"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toContain("release-notes: Writes notes for a release.");
    expect(ended.stdout).toContain("Read the log first.");
    expect(ended.stdout).toContain("template.md");
    expect(ended.stdout).toContain("Not in force until this project is trusted (retinue trust): Bash(git log:*)\n");
  });

  test("says which calls a skill of the user's own spares questions about", async () => {
    const made = await project({});
    await mkdir(join(made.home, "skills/log"), { recursive: true });
    await writeFile(
      join(made.home, "skills/log/SKILL.md"),
      "---\nname: log\ndescription: d\nallowed-tools: Bash(git log:*)\n---\nDo.\n",
    );
    const ended = await callRetinue(made, ["skills", "show", "log"]);
    expect(ended.stdout).toContain("While it is loaded, not asked about: Bash(git log:*)\n");
  });

  test("explains a file that is left out", async () => {
    const made = await project();
    const ended = await callRetinue(made, ["skills", "show", "mute"]);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("mute is left out");
    expect(ended.stdout).toContain(`error: it has no "description"`);
    const told = JSON.parse((await callRetinue(made, ["skills", "show", "mute", "--json"])).stdout) as unknown;
    expect(told).toMatchObject({ skill: null, body: null, problems: [{ severity: "error" }] });
  });

  test("tells the nearest to a name that there is not", async () => {
    const ended = await callRetinue(await project(), ["skills", "show", "release-note"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain("[skill_unknown]");
    expect(ended.stderr).toContain("did you mean release-notes?");
  });
});

describe("retinue skills check", () => {
  test("names file and line, and exits with 1 where a skill is left out", async () => {
    const ended = await callRetinue(await project(), ["skills", "check"]);
    expect(ended).toMatchObject({ code: 1, stderr: "" });
    expect(ended.stdout).toMatch(
      /^\.opencode\/skill\/mute\/SKILL\.md \(left out\)\n {2}\d+ {2}error {4}it has no "description"/m,
    );
    expect(ended.stdout).toMatch(/^\.claude\/skills\/release-notes\/SKILL\.md: release-notes\n {2}4 {2}notice/m);
    expect(ended.stdout).toMatch(/^1 skill in 2 files: 1 error, 0 warnings, 1 notice\.$/m);
  });

  test("--json tells the same, and all is well where nothing is wrong", async () => {
    const one = "---\nname: a\ndescription: d\n---\nDo.\n";
    const ended = await callRetinue(await project({ "skills/a/SKILL.md": one }), ["skills", "check", "--json"]);
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      files: [{ skill: "a", problems: [] }],
      counts: { error: 0, warning: 0, notice: 0 },
    });
  });
});

test("a command of skills that there is not is told with the nearest", async () => {
  const ended = await callRetinue(await project({}), ["skills", "lst"]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain("There is no command skills lst; did you mean list?");
});
