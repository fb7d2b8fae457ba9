/** The folder that a sub-agent was given lies where other agents write: it may be swapped for a link after it was looked at. */
import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { probeSandbox } from "@retinue/confine";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import type { ToolContext } from "@retinue/runtime";
import { expect, test } from "vitest";
import { createGitTool } from "./git/git.ts";
import { createGlobTool } from "./glob.ts";
import { createGrepTool } from "./grep.ts";
import { createLsTool } from "./ls.ts";
import { createReadTool } from "./read.ts";
import { createShellTool } from "./shell.ts";
import { createWriteTool } from "./write.ts";

const CANARY = "canary-51f0c2";

const machine = await probeSandbox();
/** Without a sandbox only agents that may do everything have commands run; they could read it anyway. */
const SCOPE: ToolContext["scope"] = { writes: machine.backend === "none" ? [["src/**"]] : [], hosts: [], approve: "all" };

const CALLS: Readonly<Record<string, (context: ToolContext) => unknown>> = {
  read: (context) => createReadTool().execute({ path: "private.md" }, context),
  grep: (context) => createGrepTool().execute({ pattern: "canary" }, context),
  glob: (context) => createGlobTool().execute({ pattern: "**/*" }, context),
  ls: (context) => createLsTool().execute({}, context),
  write: (context) => createWriteTool().execute({ path: "evil.txt", content: "evil\n" }, context),
  git: (context) => createGitTool().execute({ args: ["status"] }, context),
  "shell that reads": (context) => createShellTool().execute({ command: "cat private.md; ls" }, context),
  "shell that writes": (context) =>
    createShellTool().execute({ command: "echo evil > evil.txt; echo evil > private.md" }, context),
};

test.each(Object.entries(CALLS))("%s reads and writes nothing behind a workspace that has become a link", async (_name, call) => {
  await using made = await createTestWorkspace({ "packages/shop/price.ts": "price\n" });
  const outside = path.join(path.dirname(made.workspace), "home");
  await mkdir(outside);
  await writeFile(path.join(outside, "private.md"), `${CANARY}\n`);
  const folder = made.at("packages/swapped");
  await symlink(outside, folder);
  let said: string;
  try {
    said = toText((await call({ ...made.context, scope: SCOPE, workspace: folder })) as Parameters<typeof toText>[0]);
  } catch (thrown) {
    said = String(thrown);
  }
  expect(said).not.toContain(CANARY);
  expect(said).not.toMatch(/^private\.md/m);
  expect(existsSync(path.join(outside, "evil.txt"))).toBe(false);
  expect(await readFile(path.join(outside, "private.md"), "utf8")).toBe(`${CANARY}\n`);
});
