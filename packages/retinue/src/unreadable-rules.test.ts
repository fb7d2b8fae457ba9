/** A file of rules that cannot be read may forbid anything: nothing but reading happens unasked until it can. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { callRetinue } from "./cli/testing/call-retinue.ts";
import type { Project } from "./cli/testing/spawn-retinue.ts";
import { createProject } from "./cli/testing/spawn-retinue.ts";

const projects: Project[] = [];
afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove();
});

const make = async (file: string, text: string): Promise<Project> => {
  const project = await createProject();
  projects.push(project);
  await writeFile(path.join(project.workspace, "notes.md"), "# TODO: write\n");
  await mkdir(path.dirname(path.join(project.workspace, file)), { recursive: true });
  await writeFile(path.join(project.workspace, file), text);
  return project;
};

const run = (project: Project, task: string) =>
  callRetinue(project, ["run", "--model", "offline/rules", "--approve", "all", task]);

const read = (project: Project): Promise<string> => readFile(path.join(project.workspace, "x.md"), "utf8").catch(() => "none");

const BROKEN: readonly (readonly [string, string, string])[] = [
  ["a comment in it", ".claude/settings.json", '{ // no writing\n"permissions": { "deny": ["Write"] } }'],
  ["its end missing", ".claude/settings.local.json", '{ "permissions": { "deny": ["Write"]'],
  ["a word in the place of the list", ".claude/settings.json", '{ "permissions": { "deny": "Write" } }'],
  ["a list that nobody knows", ".claude/settings.json", '{ "permissions": { "denied": ["Write"] } }'],
  ["a word that is no answer", "opencode.json", '{ "permission": { "edit": "Deny" } }'],
  ["its end missing", ".opencode/opencode.jsonc", '{ "permission": { "edit": "deny"'],
];

describe("N14 a file of rules with", () => {
  test.each(BROKEN)("%s, %s: an act is asked about in approve mode all", async (_, file, text) => {
    const project = await make(file, text);
    const { code, stderr } = await run(project, 'create x.md with "y"');
    expect(await read(project)).toBe("none");
    expect(code).toBe(3);
    expect(stderr).toContain(path.basename(file));
  });

  test("an error in it leaves reading and delegating as they are", async () => {
    const project = await make(".claude/settings.json", "{");
    expect(await run(project, "any TODOs?")).toMatchObject({ code: 0, stdout: expect.stringContaining("notes.md:1") });
  });

  test.each([
    [".claude/settings.json", '{ "permissions": { "deny": ["Bash(rm:*)"] } }'],
    ["opencode.json", '{ "permission": { "bash": "deny" } }'],
  ])("no error in it, %s, holds just what it says", async (file, text) => {
    const project = await make(file, text);
    expect(await run(project, 'create x.md with "y"')).toMatchObject({ code: 0 });
    expect(await read(project)).toBe("y\n");
  });

  test("the bare name Edit keeps every tool from editing", async () => {
    const project = await make(".claude/settings.json", '{ "permissions": { "deny": ["Edit"] } }');
    await run(project, 'create x.md with "y"');
    expect(await read(project)).toBe("none");
  });
});
