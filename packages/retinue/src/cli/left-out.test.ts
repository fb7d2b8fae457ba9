import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "./testing/call-retinue.ts";
import type { MockProject } from "./testing/mock-project.ts";
import { call, createMockProject } from "./testing/mock-project.ts";
import { withoutSandboxLine } from "./testing/without-sandbox-line.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Replies = Parameters<typeof createMockProject>[0];

const project = async (
  files: Readonly<Record<string, string>>,
  replies: Replies = () => ({ text: "Done." }),
): Promise<MockProject> => {
  const made = await createMockProject(replies);
  cleanups.push(made.remove);
  for (const [name, text] of Object.entries(files)) {
    const file = join(made.project.workspace, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return made;
};

const agent = (name: string, more: string): string => `---\nname: ${name}\ndescription: An agent.\n${more}---\nWork.\n`;

const CHECKED = agent("checked", 'accept: { command: "test -f done.txt" }\n');

const FILES = {
  ".mcp.json": JSON.stringify({ mcpServers: { files: { command: "no-such-program" } } }),
  ".retinue/tools/a.ts": "export const a = 1;\n",
  ".retinue/agents/checked.md": CHECKED,
  ".retinue/agents/broken.md": "---\nname: [\n---\nWork.\n",
};

describe("what a project would bring and does not", () => {
  test.each([
    ["run", ["run", "go"]],
    ["run --json", ["run", "--json", "go"]],
    ["spawn", ["spawn", "researcher", "go"]],
    ["fanout", ["fanout", "researcher", "go"]],
    ["the prompt", []],
  ])("is told once on standard error by %s, with what to type", async (_, words) => {
    const made = await project(FILES);
    const ended = await callRetinue(made.project, words);
    for (const told of [
      "mcp:files: files: no-such-program",
      ".retinue/tools",
      "agent:checked",
      "test -f done.txt",
      "`retinue trust`",
    ])
      expect(ended.stderr.split(told).length, told).toBeGreaterThan(1);
    expect(ended.stderr.match(/since it is not trusted/g)).toHaveLength(1);
    expect(ended.stderr).toContain("broken.md:");
    expect(ended.stderr).toContain("`retinue agents check`");
    expect(ended.stdout).not.toContain("trusted");
  });

  test("is not told where there is nothing", async () => {
    const made = await project({});
    expect((await callRetinue(made.project, ["run", "go"])).stderr).not.toMatch(/trusted|left out/);
  });
});

describe("an agent of the project that has a command run", () => {
  test("is loaded once that very command is trusted, and the command then decides on its results", async () => {
    const made = await project({ ".retinue/agents/checked.md": CHECKED }, [
      { text: "Done already." },
      { toolCalls: [call("write", { path: "done.txt", content: "x" })] },
      { text: "Now it is there." },
    ]);
    const refused = await callRetinue(made.project, ["spawn", "checked", "--approve", "all", "go"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("agent_unknown")]);

    const trusted = await callRetinue(made.project, ["trust", "--yes"]);
    expect(trusted.stdout).toContain("runs this to accept what checked hands in: test -f done.txt");
    const ended = await callRetinue(made.project, ["spawn", "checked", "--approve", "all", "--json", "go"]);
    expect(withoutSandboxLine(ended.stderr)).toBe("");
    const last: unknown = JSON.parse(ended.stdout.trim().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({ type: "run.settled", result: { status: "completed", filesCreated: ["done.txt"] } });
    expect(made.server.requests[1]?.text).toContain('\\"test -f done.txt\\" does not agree');

    await writeFile(join(made.project.workspace, ".retinue/agents/checked.md"), CHECKED.replace("done.txt", "other.txt"));
    const changed = await callRetinue(made.project, ["spawn", "checked", "go"]);
    expect(changed.stderr).toContain("test -f other.txt");
    expect(changed.code).toBe(2);
  });
});
