import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentsReport, CheckOptions } from "./check-agents.ts";
import { checkAgents } from "./check-agents.ts";
import { findDelegationCycles } from "./delegation-cycles.ts";
import { newAgentFile } from "./new-agent-file.ts";
import { formatReport, formatReportJson } from "./format-report.ts";
import type { AgentFolders } from "./testing/agent-folders.ts";
import { createAgentFolders } from "./testing/agent-folders.ts";
import { TOOL_TRAITS } from "./tool-names.ts";

let folders: AgentFolders;

beforeEach(async () => {
  folders = await createAgentFolders();
});

afterEach(() => folders.dispose());

const check = async (options: Partial<CheckOptions> = {}): Promise<AgentsReport> =>
  checkAgents(await folders.load(), { toolNames: TOOL_TRAITS.keys(), ...options });

const own = (name: string, fields: string): Promise<string> =>
  folders.write(`project/.retinue/agents/${name}.md`, `---\nname: ${name}\ndescription: d\n${fields}\n---\nP.\n`);

/** The problems of one file, as `line severity: message`. */
const problemsOf = ({ files }: AgentsReport, name: string): readonly string[] =>
  files
    .find(({ file }) => file.endsWith(`${path.sep}${name}`))
    ?.problems.map(({ line, severity, message }) => `${line} ${severity}: ${message}`) ?? [];

describe("checkAgents", () => {
  test("says that iterations leave no turn to answer after the tool calls", async () => {
    await own("a", "limits: { iterations: 5, toolCalls: 5 }");
    expect(problemsOf(await check(), "a.md")).toEqual([
      "4 notice: at one call a turn, 5 iterations leave no turn to answer after 5 tool calls; set iterations to 6",
    ]);
  });

  test("has nothing to say of the built-in agents where all tools are there", async () => {
    const report = await check();
    expect(report.counts).toEqual({ error: 0, warning: 0, notice: 0 });
    expect(report.files).toHaveLength(14);
  });

  test("tells of a template that nobody has filled in, and says nothing once it is", async () => {
    await folders.write("project/.retinue/agents/notes.md", newAgentFile("notes"));
    const untold = await check();
    expect(problemsOf(untold, "notes.md")).toEqual([
      "1 warning: its prompt is still the one of the template; fill in what stands as …",
      "3 warning: its description is still the one of the template; fill in what stands as …",
    ]);
    await folders.write(
      "project/.retinue/agents/notes.md",
      newAgentFile("notes", { description: "Writes notes.", prompt: "Write …" }),
    );
    expect(problemsOf(await check(), "notes.md")).toEqual([]);
  });

  test("only notes tools of the built-in agents that an installation does not have", async () => {
    const report = await check({ toolNames: ["read", "grep", "glob", "ls", "shell", "write", "edit", "test"] });
    expect(report.counts).toMatchObject({ error: 0, warning: 0 });
    expect(problemsOf(report, "reviewer.md")).toEqual([`1 notice: there is no tool "git_diff"`]);
  });

  test("names tools, agents, models, skills and servers that there are not, at their lines", async () => {
    await own(
      "a",
      `tools:
  - read
  - grap
  - "mcp__*"
  - researcher
deniedTools: [shel]
delegates:
  - code-search
  - code-serch
model: nobody/none
fallbacks: [offline/offline, cheap]
skills: [relese]
mcpServers: [github, other]
accept: { agent: nobody }`,
    );
    await folders.copy("skills/release-checklist", "project/skills/relesa");
    const report = await check({
      whyNoModel: (name) => (name === "offline/offline" ? undefined : `The model "${name}" is nowhere.`),
      mcpServerNames: ["github"],
    });
    expect(problemsOf(report, "a.md")).toEqual([
      `6 warning: there is no tool "grap" (did you mean "grep"?)`,
      `7 warning: there is no tool "*.*"`,
      `8 warning: "researcher" is an agent and no tool; list it in "delegates"`,
      `9 warning: the rule "shel" names no tool of this session, so that it has no effect (did you mean "shell"?)`,
      `12 warning: it may start "code-serch", but there is no such agent (did you mean "code-search"?)`,
      `13 warning: the model "nobody/none" is nowhere`,
      `14 warning: the model "cheap" is nowhere`,
      `15 warning: there is no skill "relese"`,
      `16 warning: there is no MCP server "other" in the settings`,
      `17 error: "nobody" is to accept its results, but there is no such agent`,
    ]);
  });

  test("does not look at models and servers where it is not told of any", async () => {
    await own("a", "tools: [read]\nmodel: nobody/none\nmcpServers: [x]");
    expect(problemsOf(await check(), "a.md")).toEqual([]);
  });

  test("names limits above the session's, which hold", async () => {
    await own("a", "tools: [read]\nlimits:\n  iterations: 100\n  costUsd: 1");
    const report = await check({ limits: { iterations: 40, costUsd: 2 } });
    expect(problemsOf(report, "a.md")).toEqual(["6 notice: iterations of 100 is above the session's 40, which holds"]);
    expect(problemsOf(report, "main.md")).toEqual(["1 notice: iterations of 50 is above the session's 40, which holds"]);
  });

  test("names a depth above the session's", async () => {
    await folders.copy("agent-roles", "project");
    expect(problemsOf(await check({ maxDepth: 1 }), "appsettings.json")).toContain(
      "1 notice: MaxDepth of 2 is above the session's 1, which holds",
    );
    expect(problemsOf(await check({ maxDepth: 3 }), "appsettings.json").join()).not.toContain("MaxDepth");
  });

  test("names agents that may start each other", async () => {
    await own("a", "delegates: [b]");
    await own("b", "delegates: [researcher, c]");
    await own("c", "delegates: [a]");
    await own("d", "delegates: [d]");
    const report = await check();
    expect(problemsOf(report, "a.md")).toEqual([
      "4 warning: agents that may start each other, until the depth ends: a → b → c → a",
    ]);
    expect(problemsOf(report, "d.md")).toEqual(["4 warning: agents that may start each other, until the depth ends: d → d"]);
    expect(report.counts.warning).toBe(2);
  });

  test("names an agent that can only answer, and a description that is long", async () => {
    await folders.write(
      "project/.retinue/agents/a.md",
      `---\nname: a\ndescription: ${"x".repeat(1_100)}\ntools: [shell]\ndeniedTools: [shell]\n---\nP.\n`,
    );
    expect(problemsOf(await check(), "a.md")).toEqual([
      "3 notice: its description has 1100 characters, and enters the prompt of every agent that may start it",
      "4 notice: it may use no tool and start no agent: it can only answer",
    ]);
  });

  test("names, for the fixtures, every field that is not honoured", async () => {
    await folders.copy("claude-code", "project/.claude/agents");
    await folders.copy("opencode", "project/.opencode/agent");
    const report = await check();
    const said = report.files.flatMap(({ problems }) => problems.map(({ message }) => message)).join("\n");
    for (const field of [
      "color",
      "memory",
      "background",
      "initialPrompt",
      "top_p",
      "hidden",
      "priority",
      "permissionMode: bypassPermissions",
      "external_directory",
    ])
      expect(said).toContain(`"${field}"`);
    for (const restriction of ["PreToolUse", "Stop"]) expect(said).toContain(restriction);
    expect(problemsOf(report, "frontend-developer.md")).toContain(`13 warning: there is no tool "NotebookEdit"`);
    expect(problemsOf(report, "release-coordinator.md")).toEqual(
      expect.arrayContaining([`5 warning: it may start "changelog-writer", but there is no such agent`]),
    );
    expect(report.counts.error).toBe(0);
  });

  test("tells of thirteen files as people of Claude Code and opencode write them, line by line, what holds and what does not", async () => {
    await folders.copy("claude-code", "project/.claude/agents");
    await folders.copy("opencode", "project/.opencode/agent");
    const report = await check();
    expect(report.files.filter(({ origin }) => origin !== "built-in")).toHaveLength(13);
    const text = formatReport(report, { folder: folders.projectDir, width: 110 });
    expect(text).toBe(await readFile(new URL("../fixtures/check-report.txt", import.meta.url), "utf8"));
  });

  test("says nothing of tools that a file without any does not name", async () => {
    await folders.write("project/.claude/agents/a.md", "---\nname: a\ndescription: d\n---\nP.\n");
    expect(problemsOf(await check({ toolNames: ["read"] }), "a.md").join()).not.toContain("there is no tool");
  });

  test("lists broken files without agents", async () => {
    await folders.write("project/.claude/agents/broken.md", "---\nname: a\ntools: {}\n---\n");
    const report = await check();
    const file = report.files.find(({ file: name }) => name.endsWith("broken.md"));
    expect(file).toMatchObject({ agents: [], problems: [{ severity: "error" }] });
    expect(file).not.toHaveProperty("dialect");
  });
});

describe("findDelegationCycles", () => {
  test.each<[string, Readonly<Record<string, readonly string[]>>, readonly (readonly string[])[]]>([
    ["none in a tree", { a: ["b", "c"], b: ["c"], c: [] }, []],
    ["one for a group, however many ways there are round", { a: ["b", "c"], b: ["a", "c"], c: ["a", "b"] }, [["a", "b", "a"]]],
    [
      "one for each group",
      { a: ["b"], b: ["a"], c: ["d"], d: ["c", "a"] },
      [
        ["a", "b", "a"],
        ["c", "d", "c"],
      ],
    ],
    ["one that is not reached from the first", { a: ["x"], x: ["y"], y: ["x"] }, [["x", "y", "x"]]],
    ["none by names of nobody", { a: ["nobody"] }, []],
  ])("finds %s", (_, delegates, cycles) => {
    expect(findDelegationCycles(new Map(Object.entries(delegates)))).toEqual(cycles);
  });
});

describe("a report", () => {
  test("as text names files, lines and counts", async () => {
    await own("a", "tools: [grap]\niccon: 1");
    await own("fine", "tools: [read]");
    const text = formatReport(await check(), { folder: folders.projectDir });
    expect(text).toBe(
      [
        ".retinue/agents/a.md (retinue): a",
        `  4  warning  there is no tool "grap" (did you mean "grep"?)`,
        "  4  notice   it may use no tool and start no agent: it can only answer",
        `  5  warning  unknown field "iccon" (did you mean "icon"?); it is ignored`,
        "",
        "2 agents in 2 files: 0 errors, 2 warnings, 1 notice.",
        "",
      ].join("\n"),
    );
  });

  test("as text goes on below where a line is full, and lines up numbers", async () => {
    await own("a", `${"#\n".repeat(8)}tools: [read]\niccon: 1`);
    await own("b", "tools: [read]\niccon: 1");
    const text = formatReport(await check(), { folder: folders.projectDir, width: 45 });
    expect(text).toContain(
      [
        ".retinue/agents/a.md (retinue): a",
        `  13  warning  unknown field "iccon" (did you`,
        `               mean "icon"?); it is ignored`,
        "",
        ".retinue/agents/b.md (retinue): b",
        `  5  warning  unknown field "iccon" (did you`,
      ].join("\n"),
    );
  });

  test("as text lists files without problems where all are asked for, and those that come with Retinue", async () => {
    expect(formatReport(await check())).toBe("There are no agents but those that come with Retinue.\n");
    await own("fine", "tools: [read]");
    const report = await check();
    expect(formatReport(report)).toBe("1 agent in 1 file: 0 errors, 0 warnings, 0 notices.\n");
    const all = formatReport(report, { all: true, folder: folders.projectDir });
    expect(all).toContain(".retinue/agents/fine.md (retinue): fine\n");
    expect(all).toMatch(/15 agents in 15 files: 0 errors, 0 warnings, 0 notices\.\n$/);
  });

  test("F as text has nothing in it that a terminal would obey", async () => {
    await folders.write("project/.retinue/agents/a.md", `---\nname: a\ndescription: d\n"x\\e[2J\\a\\u202e\\u200b": 1\n---\nP.\n`);
    const text = formatReport(await check(), { folder: folders.projectDir });
    expect(text).toContain(String.raw`"x\u{1b}[2J\u{7}\u{202e}\u{200b}"`);
    expect(text.replaceAll("\n", "").match(/\p{C}/gu)).toBeNull();
  });

  test("as JSON is what it is", async () => {
    const report = await check();
    expect(JSON.parse(formatReportJson(report))).toEqual(report);
  });
});
