import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { loadSettings } from "../settings/load-settings.ts";
import { callRetinue } from "./testing/call-retinue.ts";
import { startInTerminal } from "./testing/in-terminal.ts";
import type { Project } from "./testing/spawn-retinue.ts";
import { createProject } from "./testing/spawn-retinue.ts";

const KEY = { ANTHROPIC_API_KEY: "sk-canary-0123456789" };

const cleanups: (() => Promise<void>)[] = [];

const project = async (): Promise<Project> => {
  const made = await createProject();
  cleanups.push(made.remove);
  return made;
};

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

test("at a terminal three answers set a project up, and nothing is written before the last", async () => {
  const made = await project();
  const terminal = startInTerminal(made, ["init"], KEY);
  await terminal.until("A number, or provider/model [1]: ");
  terminal.type("99\n");
  await terminal.until("Give a number from 1 to ");
  terminal.type("1\n");
  await terminal.until("A first agent of your own?");
  terminal.type("Not A Name\n");
  await terminal.until("lower case letters, digits and dashes");
  terminal.type("release-notes\n");
  await terminal.until(".ignore, which says what searches pass over? [Y/n] ");
  expect(existsSync(join(made.workspace, "retinue.yaml"))).toBe(false);
  terminal.type("\n");
  const { code, stdout } = await terminal.ended;
  expect(code).toBe(0);
  expect(stdout).toContain("the key is in ANTHROPIC_API_KEY");
  expect(stdout).toMatch(/The model is anthropic\/\S+\./);
  expect(stdout).not.toContain(KEY.ANTHROPIC_API_KEY);
  expect(await readFile(join(made.workspace, ".retinue/agents/release-notes.md"), "utf8")).toContain("name: release-notes");
  expect(await readFile(join(made.workspace, ".ignore"), "utf8")).toContain("pass over");
  // What was chosen holds at once, without a further yes.
  const { settings, warnings } = await loadSettings({ workspace: made.workspace, env: { RETINUE_HOME: made.home } });
  expect(settings.model).toMatch(/^anthropic\//);
  expect(warnings).toEqual([]);
});

test("whoever leaves the questions by Ctrl-C or Ctrl-D has changed nothing", async () => {
  for (const key of ["\u0003", "\u0004"]) {
    const made = await project();
    const terminal = startInTerminal(made, ["init"], KEY);
    await terminal.until("[1]: ");
    terminal.type("1\n");
    await terminal.until("A first agent");
    terminal.type(key);
    expect((await terminal.ended).code).not.toBe(0);
    expect(existsSync(join(made.workspace, "retinue.yaml"))).toBe(false);
    expect(existsSync(join(made.workspace, ".retinue"))).toBe(false);
  }
});

test("--yes takes the first model that is found and asks nothing", async () => {
  const made = await project();
  await mkdir(join(made.workspace, "dist"));
  expect(await callRetinue(made, ["init", "--yes"], KEY)).toMatchObject({ code: 0, stderr: "" });
  expect(await readFile(join(made.workspace, "retinue.yaml"), "utf8")).toMatch(/^model: "anthropic\//m);
  expect(await readFile(join(made.workspace, ".ignore"), "utf8")).toMatch(/^dist\/$/m);
});

test("flags say all of it, and --json tells what was written and what was left", async () => {
  const made = await project();
  await writeFile(join(made.workspace, ".ignore"), "mine\n");
  const words = ["init", "--model", "local/any", "--agent", "one", "--agent", "two", "--ignore", "--json"];
  const { code, stdout } = await callRetinue(made, words);
  expect(code).toBe(0);
  const told = JSON.parse(stdout) as { readonly model: string; readonly written: string[]; readonly kept: string[] };
  expect(told.model).toBe("local/any");
  expect(told.written.map((file) => file.slice(made.workspace.length + 1))).toEqual([
    "retinue.yaml",
    ".retinue/retinue.schema.json",
    ".retinue/agents/one.md",
    ".retinue/agents/two.md",
  ]);
  expect(told.kept).toEqual([join(made.workspace, ".ignore")]);
  expect(await readFile(join(made.workspace, ".ignore"), "utf8")).toBe("mine\n");
});

test.each([
  [["--model", "sonnet"], /--model sonnet is not provider\/model\. \[usage\]/],
  [["--agent", "No Name"], /"No Name" is no name of an agent/],
])("%j is refused before anything is written", async (words, why) => {
  const made = await project();
  const { code, stderr } = await callRetinue(made, ["init", ...words]);
  expect(code).toBe(2);
  expect(stderr).toMatch(why);
  expect(existsSync(join(made.workspace, "retinue.yaml"))).toBe(false);
});

test("a link that lies where the settings would is not followed", async () => {
  const made = await project();
  const target = join(made.home, "target.yaml");
  await symlink(target, join(made.workspace, "retinue.yaml"));
  expect((await callRetinue(made, ["init", "--yes"])).code).toBe(2);
  expect(existsSync(target)).toBe(false);
});

test("what init trusts is its own settings alone", async () => {
  const made = await project();
  await writeFile(join(made.workspace, ".mcp.json"), '{"mcpServers":{"theirs":{"command":"true"}}}');
  await callRetinue(made, ["init", "--model", "local/any"]);
  const { stdout } = await callRetinue(made, ["doctor", "--json"]);
  const { inventory } = JSON.parse(stdout) as { readonly inventory: { readonly untrusted: { readonly subject: string }[] } };
  expect(inventory.untrusted.map(({ subject }) => subject)).toEqual(["mcp:theirs"]);
});
