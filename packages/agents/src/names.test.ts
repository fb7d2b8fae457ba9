import { describe, expect, test } from "vitest";
import { isAgentName, toAgentName, toAgentPattern } from "./agent-name.ts";
import { toAliases } from "./aliases.ts";
import { fromGitignoreRule, fromOpencodePattern, toPathGlob } from "./path-glob.ts";
import { isToolPattern, resolveToolName, TOOL_TRAITS } from "./tool-names.ts";

describe("resolveToolName", () => {
  test.each([
    ["Read", "read"],
    ["read_file", "read"],
    ["Write", "write"],
    ["Edit", "edit"],
    ["MultiEdit", "edit"],
    ["Bash", "shell"],
    ["bash", "shell"],
    ["execute_command", "shell"],
    ["Glob", "glob"],
    ["Grep", "grep"],
    ["search", "grep"],
    ["LS", "ls"],
    ["list", "ls"],
    ["WebFetch", "web_fetch"],
    ["webfetch", "web_fetch"],
    ["WebSearch", "web_search"],
    ["TodoWrite", "todo"],
    ["todoread", "todo"],
    ["Task", "delegate_to_agent"],
    ["Agent", "delegate_to_agent"],
    ["delegate_to_agent", "delegate_to_agent"],
    ["query_db", "query_db"],
    ["search_documents", "search_documents"],
    ["Skill", "load_skill"],
    ["AskUserQuestion", "ask_user"],
    ["git_diff", "git_diff"],
    ["browser_take_screenshot", "browser_take_screenshot"],
    ["mcp__github", "github.*"],
    ["mcp__github__create_issue", "github.create_issue"],
    // A notebook's cells are less than any file, so that these are not the same.
    ["NotebookEdit", "NotebookEdit"],
    ["KillShell", "KillShell"],
    [" weather ", "weather"],
    ["constructor", "constructor"],
  ])("of %s is %s", (name, ours) => {
    expect(resolveToolName(name)).toBe(ours);
  });

  test("of our own names is the name", () => {
    for (const name of TOOL_TRAITS.keys()) expect(resolveToolName(name)).toBe(name);
  });
});

describe("isToolPattern", () => {
  test.each([
    ["read", true],
    ["browser_*", true],
    ["mcp__a.b-c__*", true],
    ["*", true],
    ["*a*b*", true],
    ["*a*b*c*", false],
    ["a**", false],
    ["", false],
    ["Bash(x)", false],
    ["a b", false],
    ["é", false],
    ["x".repeat(200), false],
  ])("takes %s: %s", (pattern, isTaken) => {
    expect(isToolPattern(pattern)).toBe(isTaken);
  });
});

describe("toAgentName", () => {
  test.each<[string, string | undefined]>([
    ["code-search", "code-search"],
    ["CodeSearch", "code-search"],
    ["QAStep", "qa-step"],
    ["general_assistant", "general-assistant"],
    ["Frontend Developer", "frontend-developer"],
    ["  Übersetzer  ", "ubersetzer"],
    ["a--b", "a-b"],
    ["../../admin", undefined],
    ["a/b", undefined],
    ["a\\b", undefined],
    ["a\0b", undefined],
    ["a\nb", undefined],
    ["..", undefined],
    ["", undefined],
    ["---", undefined],
    ["7up", undefined],
    ["日本", undefined],
    ["a".repeat(65), undefined],
    ["а", undefined],
  ])("of %j is %s", (raw, name) => {
    expect(toAgentName(raw)).toBe(name);
    if (name !== undefined) expect(isAgentName(name)).toBe(true);
  });

  test.each<[string, string | undefined]>([
    ["*", "*"],
    ["work-*", "work-*"],
    ["Work_*", "work-*"],
    ["../*", undefined],
    ["", undefined],
  ])("as a pattern of %j is %s", (raw, pattern) => {
    expect(toAgentPattern(raw)).toBe(pattern);
  });
});

describe("path globs", () => {
  test.each<[string, string | undefined]>([
    ["src/**", "src/**"],
    ["./src/", "src/**"],
    ["a\\b", "a/b"],
    ["{a,b}/*.md", "{a,b}/*.md"],
    ["..", undefined],
    ["a/../b", undefined],
    ["/etc", undefined],
    ["~/x", undefined],
    ["$HOME/x", undefined],
    ["C:/x", undefined],
    ["!x", undefined],
    ["{1..9}", undefined],
    ["@(a|b)", undefined],
    ["*".repeat(3), undefined],
    ["*/*/*/*/*/*/*", undefined],
    ["", undefined],
  ])("toPathGlob of %j is %s", (raw, glob) => {
    expect(toPathGlob(raw)).toBe(glob);
  });

  test.each<[string, string | undefined]>([
    ["/src/**", "src/**"],
    ["src/x.ts", "src/x.ts"],
    ["*.md", "**/*.md"],
    ["/x.md", "x.md"],
    ["//etc/x", undefined],
    ["~/x", undefined],
  ])("fromGitignoreRule of %j is %s", (rule, glob) => {
    expect(fromGitignoreRule(rule)).toBe(glob);
  });

  test.each<[string, string | undefined]>([
    ["docs/*", "docs/**"],
    ["*.md", "**/*.md"],
    ["src/*.ts", "src/**/*.ts"],
    ["~/x/*", undefined],
  ])("fromOpencodePattern of %j is %s", (pattern, glob) => {
    expect(fromOpencodePattern(pattern)).toBe(glob);
  });
});

describe("toAliases", () => {
  const agent = (...aliases: string[]) => ({ aliases });

  test("gives the later of two agents what both want, and nobody the name of an agent", () => {
    const { aliases, lost } = toAliases(
      new Map([
        ["a", agent("x", "b", "a")],
        ["b", agent("x", "y")],
      ]),
    );
    expect([...aliases]).toEqual([
      ["x", "b"],
      ["y", "b"],
    ]);
    expect(lost).toEqual([
      { agent: "a", alias: "b", to: "b" },
      { agent: "a", alias: "x", to: "b" },
    ]);
  });
});
