import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Rule } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { judgeRules } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { createNotes } from "../problem.ts";
import { FIXTURES } from "../testing/agent-folders.ts";
import { readClaudeCodeAgent } from "./claude-code-agent.ts";
import type { ReadAgent } from "./dialect.ts";
import { readSafely } from "./dialect.ts";

const read = (
  text: string,
  modelNames: readonly string[] = [],
  shortModels: ReadonlyMap<string, string> = new Map(),
): { readonly read: ReadAgent; readonly notes: readonly string[] } => {
  const { note, problems } = createNotes("a.md");
  const outcome = readSafely({ fallbackName: "from-file", note, modelNames: new Set(modelNames), shortModels }, (context) =>
    readClaudeCodeAgent(text, context),
  );
  return { read: outcome, notes: problems.map(({ line, severity, message }) => `${line} ${severity}: ${message}`) };
};

const readFixture = async (
  name: string,
): Promise<{ readonly definition: AgentDefinition; readonly notes: readonly string[] }> => {
  const { read: outcome, notes } = read(await readFile(path.join(FIXTURES, "claude-code", name), "utf8"));
  if (outcome.type !== "agent") throw new Error(`${name} is ${outcome.type}: ${notes.join("; ")}`);
  return { definition: outcome.draft.definition, notes };
};

/** What an agent has that says nothing else. */
const PLAIN = {
  aliases: [],
  fallbacks: [],
  deniedTools: [],
  delegates: [],
  grant: "own",
  limits: {},
  contextMode: "none",
  expose: "delegate",
  skills: [],
  mcpServers: [],
  isolation: "none",
};

/** An agent of a few fields, and what was made of them. */
const withFields = (fields: string, modelNames: readonly string[] = []) => {
  const { read: outcome, notes } = read(`---\nname: a\ndescription: d\n${fields}\n---\nPrompt.\n`, modelNames);
  return { definition: outcome.type === "agent" ? outcome.draft.definition : undefined, type: outcome.type, notes };
};

describe("the Claude Code fixtures", () => {
  test("a description with colons in it, which is not YAML, is read as it stands", async () => {
    const { definition, notes } = await readFixture("security-auditor.md");
    expect(definition).toEqual({
      ...PLAIN,
      name: "security-auditor",
      description: expect.stringMatching(
        /^Use this agent when code that .* Examples: <example>Context: .*<\/example>$/,
      ) as string,
      tools: ["read", "grep", "glob", "shell"],
      prompt: expect.stringMatching(/^You are a security auditor .* Do not modify files\.$/s) as string,
    });
    expect(notes).toEqual([
      `3 notice: "description": it is not YAML: Nested mappings are not allowed in compact mappings; it was taken as plain text`,
      `6 notice: "color" has no effect here: agents have icons`,
      `5 notice: no model is named "opus" in "models" of the settings, and Anthropic cannot be reached, so that the session's model serves`,
    ]);
  });

  test("Windows newlines, a name in words, a list of tools with rules and an unknown tool are read", async () => {
    const { definition, notes } = await readFixture("frontend-developer.md");
    expect(definition).toEqual({
      ...PLAIN,
      name: "frontend-developer",
      description: "Builds React components and pages. Use PROACTIVELY for UI work.",
      model: "anthropic/claude-sonnet-4-6",
      tools: ["read", "write", "edit", "shell", "web_fetch", "figma.*", "NotebookEdit"],
      rules: [
        { tools: ["shell"], effect: "deny" },
        { tools: ["shell"], like: "npm run *", effect: "allow" },
        { tools: ["web_fetch"], effect: "deny" },
        { tools: ["web_fetch"], like: "https://developer.mozilla.org", effect: "allow" },
        { tools: ["web_fetch"], like: "https://developer.mozilla.org/*", effect: "allow" },
        { tools: ["web_fetch"], like: "http://developer.mozilla.org", effect: "allow" },
        { tools: ["web_fetch"], like: "http://developer.mozilla.org/*", effect: "allow" },
      ],
      hosts: ["developer.mozilla.org"],
      limits: { iterations: 25 },
      prompt: "You are a frontend developer.\n\n1. Read the design.\n2. Build the component.",
    });
    expect(notes).toEqual([
      `2 notice: the name "Frontend Developer" is "frontend-developer" here`,
      `16 notice: "memory" has no effect here: agents keep no notes of their own between sessions; the session's record is there for that`,
      `14 notice: "claude-sonnet-4-6" is "anthropic/claude-sonnet-4-6" here`,
    ]);
  });

  test("the agents that may be started, inline servers, isolation and a mode that allows too much are read", async () => {
    const { definition, notes } = await readFixture("release-coordinator.md");
    expect(definition).toEqual({
      ...PLAIN,
      name: "release-coordinator",
      description: "Coordinates a release: has the changelog written, the tests run and the tag made.",
      tools: ["read", "shell", "git", "git_diff", "git_commit", "todo"],
      rules: [
        { tools: ["shell", "git", "git_diff", "git_commit"], effect: "deny" },
        { tools: ["shell", "git", "git_diff", "git_commit"], like: "git *", effect: "allow" },
      ],
      deniedTools: ["write", "edit"],
      delegates: ["changelog-writer", "test-runner"],
      grant: "session",
      skills: ["release-checklist"],
      mcpServers: ["github", "tracker"],
      isolation: "worktree",
      thinking: "high",
      prompt: "You coordinate releases. Delegate the changelog and the test run, then tag.",
    });
    expect(notes).toEqual([
      `7 notice: "permissionMode: bypassPermissions" has no effect here: what must be approved is decided by the session, and no agent file lifts it`,
      `16 notice: "background" has no effect here: whether an agent works in the background is said when it is started`,
      `12 notice: the MCP server "tracker" is not started from an agent file; define it in the settings under that name`,
    ]);
  });

  test("a hook that decides about commands is not run, so that there are no commands", async () => {
    const { definition, notes } = await readFixture("db-reader.md");
    expect(definition).toEqual({
      ...PLAIN,
      name: "db-reader",
      description: "Execute read-only database queries. Use when analyzing data or generating reports.",
      tools: ["shell", "read"],
      deniedTools: ["shell", "test", "git", "git_diff", "git_commit"],
      prompt: "You are a database analyst with read-only access. Execute SELECT queries to answer questions about the data.",
    });
    expect(notes).toEqual([
      `7 warning: the hook "PreToolUse" is not run, so that what it decides about is denied: shell, test, git, git_diff, git_commit`,
      `11 notice: the hook "Stop" is not run`,
    ]);
  });

  test("a byte order mark, tabs, a missing name and denials in part are read as less", async () => {
    const { definition, notes } = await readFixture("onboarding-guide.md");
    expect(definition).toEqual({
      ...PLAIN,
      name: "from-file",
      description: "Explains how parts of this codebase work, for newcomers.",
      tools: [
        "read",
        "ls",
        "glob",
        "grep",
        "code_search",
        "overview",
        "plan_files",
        "docs_coverage",
        "git_diff",
        "search_documents",
        "query_db",
        "ask_user",
        "load_skill",
        "todo",
      ],
      deniedTools: ["web_search"],
      rules: [
        { tools: ["shell", "test", "git", "git_diff", "git_commit"], like: "rm *", effect: "deny" },
        { tools: ["edit", "write"], path: "migrations/**", effect: "deny" },
      ],
      writes: [],
      prompt: "Explain. Do not change anything.",
    });
    expect(notes).toEqual([
      "4 warning: it is indented by tabs, which YAML does not allow; they were taken as two spaces each",
      `8 warning: unknown field "priority"; it is ignored`,
      `1 notice: it has no "tools", so it may use all that whoever starts it may hand on; it may start no agents, unless "tools" lists Agent`,
      `7 notice: "permissionMode: plan" is kept by tools that only read`,
      `2 warning: it has no "name"; its file gives it "from-file"`,
    ]);
  });

  test("a description of many lines and paths that may be written are read", async () => {
    const { definition, notes } = await readFixture("docs-writer.md");
    expect(definition).toEqual({
      ...PLAIN,
      name: "docs-writer",
      description: `Writes and updates documentation.\n\n<example>\nuser: "Document the new flag"\nassistant: "I'll use docs-writer."\n</example>`,
      tools: ["read", "glob", "grep", "write", "edit"],
      rules: [
        { tools: ["write"], effect: "deny" },
        { tools: ["write"], path: "docs/**", effect: "allow" },
        { tools: ["edit"], effect: "deny" },
        { tools: ["edit"], path: "docs/**", effect: "allow" },
      ],
      writes: ["docs/**"],
      prompt: "Write for readers who are in a hurry.",
    });
    expect(notes).toEqual([
      "10 notice: all that it writes, by whatever tool, is held to docs/**",
      `12 notice: "initialPrompt" has no effect here: an agent begins with the task that it is given`,
    ]);
  });
});

describe("what a Claude Code agent may use", () => {
  test.each<[string, string, readonly string[]]>([
    ["names with commas", "tools: Read, Write, Edit", ["read", "write", "edit"]],
    ["names with spaces only", "tools: Read Grep Bash(git diff:*) LS", ["read", "grep", "shell", "git_diff", "ls"]],
    ["a rule before a name", "tools: Bash(git diff:*) Read", ["shell", "git_diff", "read"]],
    ["names on lines", "tools:\n  - Read\n  - Grep, Glob", ["read", "grep", "glob"]],
    ["names that were meant as a list", "tools: [Read, Grep", ["read", "grep"]],
    ["everything", 'tools: "*"', ["*"]],
    ["everything, which is not YAML", "tools: *", ["*"]],
    ["a rule that is none", "tools: Bash(*), Read()", ["shell", "read"]],
    ["nothing", "tools: []", []],
    ["nothing, by an empty field", "tools:", []],
    ["the word that skills have for it", "allowed-tools: Read, Grep", ["read", "grep"]],
    ["the field in other letters", "Tools: Read", ["read"]],
    ["names that cannot be tools", 'tools: "Read, R\u00e9ad!, Grep"', ["read", "grep"]],
    ["a part of git", "tools: Bash(git commit:*), Bash(git status), Bash(git log:*)", ["shell", "git_commit"]],
    ["a rule for reading", "tools: Read(src/**), Grep", ["read", "grep"]],
    ["a rule for a skill", "tools: Skill(release), Read", ["load_skill", "read"]],
    ["an open parenthesis", "tools: Read, Bash(npm test", ["read", "shell"]],
    ["all edits and some edits", "tools: Edit, Edit(src/**)", ["edit"]],
  ])("by %s", (_, fields, tools) => {
    expect(withFields(fields).definition?.tools).toEqual(tools);
  });

  test("of a part of the shell is that part, and of git also the tools for it", () => {
    const verdictOf = (fields: string, command: string) =>
      judgeRules([{ from: "a", rules: withFields(fields).definition?.rules ?? [] }], { tool: "shell", command }).effect;
    expect(withFields("tools: Bash(git diff:*)").definition?.tools).toEqual(["shell", "git_diff"]);
    expect(withFields("tools: Bash(git-evil:*)").definition?.tools).toEqual(["shell"]);
    expect(verdictOf("tools: Bash(git diff:*)", "git diff --stat")).toBe("allow");
    expect(verdictOf("tools: Bash(git diff:*)", "git difftool")).toBe("deny");
    expect(verdictOf("tools: Bash(git diff:*)", "git diff; rm -rf x")).toBe("deny");
    expect(verdictOf("tools: Bash(git diff:*)", "git diff $(rm -rf x)")).toBe("deny");
    expect(verdictOf("tools: Bash(git diff)", "git diff --stat")).toBe("deny");
  });

  test.each<[string, string, readonly string[], readonly string[] | undefined]>([
    ["one scope", "tools: Edit(docs/**), Read", ["edit", "read"], ["docs/**"]],
    ["the same scope twice", "tools: Edit(/docs/**), Write(./docs/**)", ["edit", "write"], ["docs/**"]],
    ["scopes in part the same", "tools: Edit(a/**), Edit(b/**), Write(b/**)", ["edit", "write"], ["a/**", "b/**"]],
    ["scopes with nothing in common", "tools: Edit(a/**), Write(b/**), Read", ["edit", "write", "read"], ["a/**", "b/**"]],
    ["a scope for one of two", "tools: Write, Edit(src/**)", ["write", "edit"], undefined],
    ["a name at any depth", "tools: Edit(*.md)", ["edit"], ["**/*.md"]],
    ["a folder", "tools: Edit(docs/)", ["edit"], ["**/docs/**"]],
    ["a way out", "tools: Edit(../other/**), Write(~/x), Read", ["read"], undefined],
    ["an absolute path", "tools: Edit(//etc/**), Read", ["read"], undefined],
  ])("writes by %s", (_, fields, tools, writes) => {
    const { definition } = withFields(fields);
    expect(definition?.tools).toEqual(tools);
    expect(definition?.writes).toEqual(writes);
  });

  test("a plain WebFetch beside one of a domain reaches every host", () => {
    expect(withFields("tools: WebFetch(domain:a.com), WebFetch(domain:b.org)").definition?.hosts).toEqual(["a.com", "b.org"]);
    expect(withFields("tools: WebFetch(domain:a.com), WebFetch").definition?.hosts).toBeUndefined();
    expect(withFields("tools: WebFetch(https://a.com/x)").definition?.tools).toEqual([]);
  });

  test.each<[string, string, readonly string[]]>([
    ["a tool", "disallowedTools: Write", ["write"]],
    ["a tool by a list", "disallowedTools: [Edit, WebSearch]", ["edit", "web_search"]],
    ["the shell, and with it all commands", "disallowedTools: Bash", ["shell", "test", "git", "git_diff", "git_commit"]],
    ["a tool of a server in part, and so all of it", "disallowedTools: mcp__db__query(x)", ["db.query"]],
    ["a server", "disallowedTools: mcp__github", ["github.*"]],
    ["all servers", "disallowedTools: mcp__*", ["*.*"]],
    ["what stands behind a rule", "disallowedTools: Bash(rm:*) Write", ["write"]],
    ["by another word", "disallowed_tools: Write", ["write"]],
    ["a glob of its own names", "disallowedTools: Web*", ["Web*", "web_fetch", "web_search"]],
    [
      "a glob of its own names for the shell",
      "disallowedTools: Bas?",
      ["Bas?", "shell", "test", "git", "git_diff", "git_commit"],
    ],
  ])("denies %s", (_, fields, deniedTools) => {
    expect(withFields(fields).definition?.deniedTools).toEqual(deniedTools);
  });

  test.each<[string, string, readonly Rule[]]>([
    [
      "of the shell",
      "disallowedTools: Bash(git push:*)",
      [{ tools: ["shell", "test", "git", "git_diff", "git_commit"], like: "git push *", effect: "deny" }],
    ],
    [
      "of what is read, which all that reads holds to",
      "disallowedTools: Read(secrets/**)",
      [
        {
          tools: ["read", "ls", "glob", "grep", "code_search", "overview", "plan_files", "docs_coverage"],
          path: "secrets/**",
          effect: "deny",
        },
      ],
    ],
    [
      "of what is written, with all that lies below",
      "disallowedTools: Write(src)",
      [
        { tools: ["edit", "write"], path: "**/src", effect: "deny" },
        { tools: ["edit", "write"], path: "**/src/**", effect: "deny" },
      ],
    ],
    [
      "of what is fetched",
      "disallowedTools: WebFetch(domain:evil.com)",
      [{ tools: ["web_fetch", "browser_navigate"], host: "evil.com", effect: "deny" }],
    ],
  ])("denies a part %s", (_, fields, rules) => {
    const { definition } = withFields(fields);
    expect(definition).toMatchObject({ tools: ["*"], deniedTools: [], rules });
  });

  test.each<[string, string, readonly string[], "own" | "session"]>([
    ["nobody, unless it is said", "model: inherit", [], "own"],
    ["nobody, where tools do not say so", "tools: Read", [], "own"],
    ["all", "tools: Agent, Read", ["*"], "session"],
    ["all, by the older name", "tools: Task", ["*"], "session"],
    ["those that are named", "tools: Agent(a, b_c)", ["a", "b-c"], "session"],
    ["those that are named, by the older name", "tools: Task(Explore)", ["explore"], "session"],
    ["all but one", "tools: Agent\ndisallowedTools: Agent(Explore)", ["*", "!explore"], "session"],
    ["nobody, where all is denied", "tools: Agent(a)\ndisallowedTools: Task", [], "own"],
    ["none with a path in its name", "tools: Agent(../../admin, a)", ["a"], "session"],
  ])("may start %s", (_, fields, delegates, grant) => {
    const { definition } = withFields(fields);
    expect(definition?.delegates).toEqual(delegates);
    expect(definition?.grant).toBe(grant);
  });

  test.each(["plan", "dontAsk", "somethingNew"])("is only what reads in the mode %s", (mode) => {
    expect(withFields(`tools: Read, Write, Bash, mcp__x__y\npermissionMode: ${mode}`).definition).toMatchObject({
      tools: ["read"],
      writes: [],
    });
    expect(withFields(`permissionMode: ${mode}`).definition?.tools).not.toContain("*");
  });

  test("and of those it starts, where it may only read", () => {
    expect(withFields("tools: Read, Agent(a)\npermissionMode: plan").definition).toMatchObject({
      delegates: ["a"],
      grant: "own",
    });
  });

  test("is nothing, nor may it start anybody, where all is denied", () => {
    const { definition } = withFields('tools: Read, Agent(a)\ndisallowedTools: "*"');
    expect(definition?.deniedTools).toContain("*");
    expect(definition?.delegates).toEqual([]);
  });

  test.each(["default", "acceptEdits", "auto", "bypassPermissions"])("is not more in the mode %s", (mode) => {
    const { definition } = withFields(`tools: Read, Write\npermissionMode: ${mode}`);
    expect(definition).toMatchObject({ tools: ["read", "write"], deniedTools: [] });
    expect(definition).not.toHaveProperty("approve");
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['PreToolUse: [{matcher: "Edit|Write"}]', ["read", "shell"], ["edit", "write"]],
    ['PermissionRequest: [{matcher: "mcp__db__.*"}]', ["read", "shell"], ["db.*"]],
    ['PreToolUse: [{matcher: "*"}]', [], []],
    ["PreToolUse: [{hooks: []}]", [], []],
    ['PreToolUse: [{matcher: "(Read|Write)+"}]', [], []],
    ["PreToolUse: something", [], []],
    ['PostToolUse: [{matcher: "*"}]', ["read", "shell"], []],
  ])("is less what the hook %s would decide about", (hook, tools, deniedTools) => {
    const { definition } = withFields(`tools: Read, Bash\nhooks: {${hook}}`);
    expect(definition?.tools).toEqual(tools);
    expect(definition?.deniedTools).toEqual(deniedTools);
  });

  test("a hook about agents leaves none to start", () => {
    expect(withFields('tools: Agent(a), Read\nhooks: {PreToolUse: [{matcher: "Task"}]}').definition?.delegates).toEqual([]);
  });
});

describe("a Claude Code agent is not loaded", () => {
  test.each<[string, string, string]>([
    ["its tools cannot be read", "tools: {read: true}", `4 error: "tools" is a list of names, or one text with commas`],
    [
      "what it denies cannot be read",
      "disallowedTools: [[Bash]]",
      `4 error: "disallowedTools" is a list of names, or one text with commas`,
    ],
    [
      "a glob that it denies cannot be kept",
      'disallowedTools: "*a*b*c*d*"',
      `4 error: "*a*b*c*d*" is no glob that we take, so that what it denies cannot be kept`,
    ],
    ["its limit cannot be read", "maxTurns: many", `4 error: "maxTurns" is a whole number above zero, and not "many"`],
    ["its hooks cannot be read", "hooks: on", `4 error: "hooks" cannot be read, so that what they forbid cannot be kept`],
    ["two fields mean the same", "tools: Read\nallowed-tools: Bash", `5 error: "allowed-tools" and "tools" both mean "tools"`],
  ])("where %s", (_, fields, note) => {
    const { type, notes } = withFields(fields);
    expect(type).toBe("broken");
    expect(notes).toContain(note);
  });

  test("where a field stands twice", () => {
    const { type, notes } = withFields("tools: Read\ntools: Read, Bash");
    expect(type).toBe("broken");
    expect(notes).toEqual([`5 error: "tools" stands there twice`]);
  });

  test.each(["../../admin", "a/b", "a\\\\b", "\\0", "..", "7", "x".repeat(300)])("where its name is %j", (name) => {
    const { read: outcome } = read(`---\nname: "${name}"\ndescription: d\n---\nP\n`);
    expect(outcome.type).toBe("broken");
  });

  test("where it has no front matter, which is only a warning", () => {
    const { read: outcome, notes } = read("# Our agents\n\nThis folder holds agents.\n");
    expect(outcome.type).toBe("broken");
    expect(notes).toEqual(["1 warning: it does not begin with front matter between two lines of ---, so it is no agent"]);
  });
});

describe("the model of a Claude Code agent", () => {
  test.each<[string, string | undefined]>([
    ["inherit", undefined],
    ["sonnet", undefined],
    ["haiku", "haiku"],
    ["claude-opus-4-8", "anthropic/claude-opus-4-8"],
    ["openrouter/x", "openrouter/x"],
    ["[a]", undefined],
  ])("%s is %s where a model is named haiku", (model, expected) => {
    expect(withFields(`model: ${model}`, ["haiku"]).definition?.model).toBe(expected);
  });

  test("of one word is Anthropic's where that can be reached, and one of the settings before it", () => {
    const models = new Map([
      ["sonnet", "anthropic/claude-sonnet-5"],
      ["haiku", "anthropic/claude-haiku-4-5"],
    ]);
    const modelOf = (model: string): string | undefined => {
      const { read: outcome } = read(`---\nname: a\ndescription: d\nmodel: ${model}\n---\nP\n`, ["haiku"], models);
      return outcome.type === "agent" ? outcome.draft.definition.model : "broken";
    };
    expect(["sonnet", "haiku", "opus", "inherit"].map(modelOf)).toEqual([
      "anthropic/claude-sonnet-5",
      "haiku",
      undefined,
      undefined,
    ]);
  });
});
