/** What files of other programs say of rights, seen from the command line: it holds in every approve mode, for children too, and is told. */
import type { MockReply } from "@retinue/model/testing";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "./cli/testing/call-retinue.ts";
import { call, createMockProject } from "./cli/testing/mock-project.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Event = { type: string; depth: number; outcome: string; error?: { code: string; message: string } };

const write = async (folder: string, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
};

/** Runs an agent of a project with these files, where nobody can be asked and everything else passes. */
const play = async (files: Readonly<Record<string, string>>, replies: readonly MockReply[], words: readonly string[]) => {
  const { project, remove } = await createMockProject(replies);
  cleanups.push(remove);
  await write(project.workspace, files);
  const ended = await callRetinue(project, ["run", "--approve", "all", "--json", ...words, "Go."]);
  const events = ended.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
  return {
    ended,
    project,
    calls: events
      .filter(({ type }) => type === "tool.settled")
      .map(({ depth, outcome, error }) => `${depth} ${outcome}${error === undefined ? "" : ` ${error.code}`}`),
    messages: events.flatMap(({ error }) => error?.message ?? []),
  };
};

const DOCS = `---
description: Writes documentation
mode: all
permission:
  edit:
    "*": allow
    "src/gen/*": deny
    "*.lock": ask
  task:
    "helper": allow
---
Write.
`;

const HELPER = `---
description: Helps
mode: subagent
permission:
  edit: allow
---
Help.
`;

const writes = (...paths: readonly string[]): MockReply => ({
  toolCalls: paths.map((path) => call("write", { path, content: "x" })),
});

describe("an opencode agent", () => {
  test("writes all but what its file denies, and what that wants asked is denied where nobody can be", async () => {
    const { calls, messages, project } = await play(
      { ".opencode/agent/docs.md": DOCS },
      [writes("src/a.ts", "src/gen/b.ts", "x.lock"), { text: "Done." }],
      ["-a", "docs"],
    );
    expect(calls.toSorted()).toEqual(["0 denied act_denied", "0 denied approval_unavailable", "0 ok"]);
    expect(messages.join("\n")).toContain('docs: deny write, edit "src/gen/*"');
    expect(await readFile(join(project.workspace, "src/a.ts"), "utf8")).toBe("x");
  });

  test("G1 hands its narrowing on to what it starts", async () => {
    const { calls } = await play(
      { ".opencode/agent/docs.md": DOCS, ".opencode/agent/helper.md": HELPER },
      [
        { toolCalls: [call("delegate_to_agent", { agent: "helper", task: "Write." })] },
        writes("src/gen/b.ts", "src/c.ts"),
        { text: "Helped." },
        { text: "Done." },
      ],
      ["-a", "docs"],
    );
    expect(calls.toSorted()).toEqual(["0 ok", "1 denied act_denied", "1 ok"]);
  });
});

describe("the settings of Claude Code", () => {
  const SETTINGS = JSON.stringify({
    permissions: { allow: ["Bash(make:*)"], ask: ["Edit(*.lock)"], deny: ["Edit(gen/**)", "Read(./private/**)"] },
  });

  test("of a project that is not trusted deny and ask, and are named at the start", async () => {
    const { calls, ended } = await play(
      { ".claude/settings.json": SETTINGS, "private/a.txt": "hush 1", "b.txt": "hush 2" },
      [
        {
          toolCalls: [
            call("read", { path: "private/a.txt" }),
            call("grep", { pattern: "hush" }),
            call("glob", { pattern: "**/*.txt" }),
          ],
        },
        writes("gen/a.ts", "x.lock", "src/a.ts"),
        { text: "Done." },
      ],
      [],
    );
    expect(calls.toSorted()).toEqual([
      "0 denied act_denied",
      "0 denied act_denied",
      "0 denied approval_unavailable",
      "0 ok",
      "0 ok",
      "0 ok",
    ]);
    expect(ended.stdout).toContain("hush 2");
    expect(ended.stdout).not.toContain("hush 1");
  });

  test("are named at the start and in doctor, and what they allow is for the user to trust", async () => {
    const { project, remove } = await createMockProject([{ text: "Hello." }]);
    cleanups.push(remove);
    await write(project.workspace, { ".claude/settings.json": SETTINGS });
    await write(project.workspace, { "opencode.json": `{"permission": {"edit": "ask"}}`, "AGENTS.md": "Be kind." });
    const { stderr } = await callRetinue(project, ["run", "Hello"]);
    const line = "retinue: instructions of AGENTS.md; permissions of .claude/settings.json, opencode.json\n";
    expect(stderr).toContain(line);
    expect((await callRetinue(project, ["--plain"], {}, "/quit\n")).stderr).toContain(line);
    expect(stderr).toContain("permissions:.claude/settings.json: has these calls not asked about: Bash(make:*)");
    expect((await callRetinue(project, ["agents", "check"])).stdout).toMatch(/^settings: 1 of 1 file used; 0 errors/m);
    await callRetinue(project, ["trust", "--yes"]);
    const after = await callRetinue(project, ["doctor"]);
    expect(after.stdout).toMatch(/Permissions of .*settings\.json \(project\): 4 that deny or ask, 1 that spare questions/);
  });
});
