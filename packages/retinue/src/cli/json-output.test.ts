/** Every command that prints data prints it as JSON with `--json`: one object, or one on each line. The commands are those that there are. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listCommands } from "./list-commands.ts";
import { buildProgram } from "./program.ts";
import { createSurroundings } from "./surroundings.ts";
import { callRetinue } from "./testing/call-retinue.ts";
import type { Project } from "./testing/spawn-retinue.ts";
import { createProject } from "./testing/spawn-retinue.ts";

const commands = listCommands(
  buildProgram(
    createSurroundings(),
    async () => undefined,
    () => undefined,
  ),
);

/** What they print is no data, each for its reason. */
const NO_DATA: Readonly<Record<string, string>> = {
  chat: "a conversation at a terminal",
  attach: "a conversation at a terminal",
  "plan edit": "opens an editor",
  "test init": "writes files and prints nothing to stdout",
  "test record": "opens a window for a person, and writes a file",
  completion: "prints a script",
};

/** They stay until they are stopped, and have tests of their own. */
const LASTING = new Set(["serve", "follow"]);

const OFFLINE = ["--model", "offline/rules"];

/** Words after the command, where it needs any. Commands are called in the order of the list, `sessions delete` and `prune` last. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  run: [...OFFLINE, "hello"],
  "agents show": ["code-search"],
  "agents new": ["brand-new"],
  "agents add": ["PROJECT/plugin", "--yes"],
  "agents remove": ["plugin"],
  "skills show": ["release"],
  spawn: [...OFFLINE, "code-search", "find hello"],
  fanout: [...OFFLINE, "code-search", "find hello"],
  plan: [...OFFLINE, "greet"],
  "plan run": [...OFFLINE, "plan.json"],
  "plan show": ["latest"],
  test: ["cases"],
  "test report": ["latest"],
  "sessions show": ["latest"],
  "sessions search": ["hello"],
  "sessions export": ["latest"],
  "sessions import": ["no-such-file.json"],
  "sessions fork": ["latest", "hello again"],
  "sessions resume": ["latest"],
  "sessions delete": ["latest", "--yes"],
  "sessions prune": ["--keep", "100"],
  "approvals answer": ["no-such-approval", "--allow"],
  send: ["latest", "hello"],
  stop: ["latest"],
  replay: ["latest"],
  "documents add": ["notes.md"],
  "documents remove": ["notes.md"],
};

/** With these words, and how they end. */
const FAILING: Readonly<Record<string, number>> = {
  // The rules make no plan, and nobody is there to approve one.
  plan: 1,
  "plan run": 2,
  "plan show": 1,
  test: 2,
  "test report": 2,
  "sessions import": 2,
  "approvals answer": 2,
  // The run has ended.
  send: 2,
  stop: 2,
};

const isOneObject = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

let project: Project;

beforeAll(async () => {
  project = await createProject();
  await writeFile(join(project.workspace, "notes.md"), "# Notes\n\nHello.\n");
  await writeFile(join(project.workspace, "plan.json"), JSON.stringify({ goal: "greet", steps: [] }));
  const skill = join(project.workspace, ".retinue", "skills", "release");
  await mkdir(skill, { recursive: true });
  await writeFile(join(skill, "SKILL.md"), "---\nname: release\ndescription: How to release.\n---\nTag it.\n");
  const plugin = join(project.workspace, "plugin", "agents");
  await mkdir(plugin, { recursive: true });
  await writeFile(join(plugin, "namer.md"), "---\nname: namer\ndescription: Finds names.\ntools: Read\n---\nFind names.\n");
  await callRetinue(project, ["run", ...OFFLINE, "hello"]);
}, 180_000);

afterAll(() => project.remove());

const leaves = commands.filter(({ path, below }) => path !== "" && (below.length === 0 || path === "plan" || path === "test"));

test("every command takes --json, or prints no data", () => {
  const without = leaves.filter(({ options }) => !options.some(({ long }) => long === "--json")).map(({ path }) => path);
  expect(without.toSorted()).toEqual(Object.keys(NO_DATA).toSorted());
});

const asked = leaves.map(({ path }) => path).filter((path) => !(path in NO_DATA) && !LASTING.has(path));
const last = asked.toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)));

function isLast(path: string): boolean {
  return path === "sessions delete" || path === "sessions prune";
}

test.each(last)("retinue %s --json prints JSON and nothing else", { timeout: 120_000 }, async (path) => {
  const words = (WORDS[path] ?? []).map((word) => word.replace("PROJECT", project.workspace));
  const { code, stdout, stderr } = await callRetinue(project, [...path.split(" "), ...words, "--json"]);
  expect(stdout, stderr).toMatch(/^\{.*\}\n$/s);
  for (const text of isOneObject(stdout) ? [stdout] : stdout.trimEnd().split("\n")) expect(JSON.parse(text)).toBeTypeOf("object");
  expect(code, stderr).toBe(FAILING[path] ?? 0);
  expect(stderr).not.toMatch(/ZodError|✖|→ at|would network|being wrong|\bat \S+ \(.*:\d+:\d+\)/);
});

test.each(asked)("retinue %s --json with an option that there is not prints the error as JSON", async (path) => {
  const { code, stdout, stderr } = await callRetinue(project, [...path.split(" "), "--no-such-option", "--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ type: "error", error: { code: "usage" } });
  expect(stderr).toMatch(/^retinue: Unknown option '--no-such-option'/);
});
