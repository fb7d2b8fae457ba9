import { readFile } from "node:fs/promises";
import path from "node:path";
import type { RuleEffect } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { RuledCall } from "@retinue/runtime";
import { judgeRules } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { createNotes } from "../problem.ts";
import { FIXTURES } from "../testing/agent-folders.ts";
import type { ReadAgent } from "./dialect.ts";
import { readSafely } from "./dialect.ts";
import { readOpencodeAgent } from "./opencode-agent.ts";

const read = (text: string, fallbackName = "from-file"): { readonly read: ReadAgent; readonly notes: readonly string[] } => {
  const { note, problems } = createNotes("a.md");
  const outcome = readSafely({ fallbackName, note, modelNames: new Set() }, (context) => readOpencodeAgent(text, context));
  return { read: outcome, notes: problems.map(({ line, severity, message }) => `${line} ${severity}: ${message}`) };
};

const readFixture = async (
  name: string,
): Promise<{ readonly definition: AgentDefinition; readonly notes: readonly string[] }> => {
  const text = await readFile(path.join(FIXTURES, "opencode", `${name}.md`), "utf8");
  const { read: outcome, notes } = read(text, name);
  if (outcome.type !== "agent") throw new Error(`${name} is ${outcome.type}: ${notes.join("; ")}`);
  return { definition: outcome.draft.definition, notes };
};

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

const COMMANDS = ["shell", "test", "git", "git_diff", "git_commit"];

const withFields = (fields: string) => {
  const { read: outcome, notes } = read(`---\ndescription: d\n${fields}\n---\nPrompt.\n`);
  return { definition: outcome.type === "agent" ? outcome.draft.definition : undefined, type: outcome.type, notes };
};

describe("the opencode fixtures", () => {
  test("the older switches of tools are read", async () => {
    const { definition, notes } = await readFixture("review");
    expect(definition).toEqual({
      ...PLAIN,
      name: "review",
      description: "Reviews code for quality and best practices",
      model: "anthropic/claude-sonnet-4-20250514",
      temperature: 0.1,
      tools: ["*"],
      deniedTools: ["write", "edit", ...COMMANDS],
      prompt: expect.stringMatching(/^You are in code review mode\..*direct changes\.$/s) as string,
    });
    expect(notes).toEqual([]);
  });

  test("a primary agent that may do little itself and start some others is read", async () => {
    const { definition, notes } = await readFixture("orchestrator");
    expect(definition).toEqual({
      ...PLAIN,
      name: "orchestrator",
      description: "Plans the work and hands it to the other agents",
      tools: ["read", "grep", "overview", "plan_files", "docs_coverage", "todo"],
      delegates: ["work-*", "!work-secret", "!review"],
      grant: "session",
      expose: "none",
      limits: { iterations: 40 },
      thinking: "high",
      prompt: "You plan. Others work.",
    });
    expect(notes).toEqual([
      `5 notice: "top_p" has no effect here: the randomness of a model is set by temperature alone`,
      `6 notice: "color" has no effect here: agents have icons`,
      `16 warning: nobody is asked before an agent is started, so that it may not start "review"`,
    ]);
  });

  test("paths that may be written and commands that may be run in part are held to", async () => {
    const { definition, notes } = await readFixture("docs-only");
    expect(definition).toEqual({
      ...PLAIN,
      name: "docs-only",
      description: "Writes documentation and nothing else",
      tools: ["*"],
      rules: [
        { tools: ["write", "edit"], effect: "deny" },
        { tools: ["write", "edit"], like: "docs/*", effect: "allow" },
        { tools: ["write", "edit"], like: "*.md", effect: "allow" },
        { tools: COMMANDS, effect: "ask" },
        { tools: COMMANDS, like: "git push *", effect: "deny" },
        { tools: ["web_fetch"], effect: "ask" },
      ],
      writes: ["docs/**", "**/*.md"],
      limits: { iterations: 12 },
      prompt: "Write documentation.",
    });
    expect(notes).toEqual([
      "7 notice: all that it writes, by whatever tool, is held to docs/**, **/*.md",
      "11 notice: what it wants asked about is put to a human in every approve mode",
      `14 notice: "external_directory" has no effect here: files outside the workspace are never touched`,
    ]);
  });

  test("Windows newlines, tabs, a tool of a server and no prompt are read", async () => {
    const { definition, notes } = await readFixture("work-lab");
    expect(definition).toEqual({
      ...PLAIN,
      name: "work-lab",
      description: "Tries things out",
      tools: ["*"],
      deniedTools: ["mymcp_*", "mymcp.*"],
      prompt: "You are work-lab. Tries things out",
    });
    expect(notes).toEqual([
      "6 warning: it is indented by tabs, which YAML does not allow; they were taken as two spaces each",
      `4 notice: "hidden" has no effect here: every agent is listed`,
      `8 warning: "temperature" is a number from 0 to 2; 3 is ignored`,
      "10 warning: it has no prompt after the front matter; its description stands in",
    ]);
  });

  test("the newest form of rules is read", async () => {
    const { definition, notes } = await readFixture("work-release");
    expect(definition).toEqual({
      ...PLAIN,
      name: "work-release",
      description: "Builds and tags releases",
      tools: ["read", "overview", "plan_files", "docs_coverage", "write", "edit", ...COMMANDS],
      rules: [
        { tools: ["write", "edit"], effect: "deny" },
        { tools: ["write", "edit"], like: "CHANGELOG.md", effect: "allow" },
      ],
      writes: ["CHANGELOG.md"],
      prompt: "Build the release and tag it.",
    });
    expect(notes).toEqual(["5 notice: all that it writes, by whatever tool, is held to CHANGELOG.md"]);
  });

  test("an agent that is disabled is none", async () => {
    const text = await readFile(path.join(FIXTURES, "opencode", "old-helper.md"), "utf8");
    expect(read(text, "old-helper").read).toEqual({ type: "disabled", name: "old-helper", line: 3 });
  });
});

describe("what an opencode agent may use", () => {
  test.each<[string, string, readonly string[]]>([
    ["nothing said", "mode: all", []],
    ["a tool that is off", "tools: { bash: false }", COMMANDS],
    ["edits that are off under any of their names", "tools: { patch: false, write: true }", ["write", "edit"]],
    ["a permission", "permission: { edit: deny }", ["write", "edit"]],
    ["a permission under a name that it is not asked by", "permission: { edit: deny, write: allow }", ["write", "edit"]],
    ["a permission in place of a switch", "tools: { webfetch: false }\npermission: { webfetch: allow }", []],
    ["the last rule", 'permission: { webfetch: deny, "web*": allow }', []],
    ["the last rule, the other way round", 'permission: { "web*": allow, webfetch: deny }', ["web_fetch"]],
    ["a rule for all after a rule for one", 'permission: { bash: { "git *": allow, "*": deny } }', COMMANDS],
    [
      "a denial of a part of what no rule of ours is about",
      'permission: { websearch: { "*": allow, "x*": deny } }',
      ["web_search"],
    ],
    ["questions only", 'permission: { bash: { "*": ask, "git *": allow }, edit: ask }', []],
    ["a tool of a server that is denied", "permission: { github_push: deny }", ["github_push", "github.push"]],
  ])("by %s", (_, fields, deniedTools) => {
    expect(withFields(fields).definition).toMatchObject({ tools: ["*"], deniedTools });
  });

  test.each<[string, string, readonly string[], readonly string[]]>([
    ["one word", "permission: deny", [], []],
    ["what is allowed by name", 'permission: { "*": deny, glob: allow, list: allow }', ["ls", "glob"], []],
    ["a tool of a server", 'permission: { "*": deny, github_read: allow }', ["github_read", "github.read"], []],
    ["a rule for all that comes last", 'permission: { read: allow, "*": deny }', [], []],
  ])("is nothing else by %s", (_, fields, tools, deniedTools) => {
    expect(withFields(fields).definition).toMatchObject({ tools, deniedTools });
  });

  test("a glob that allows never brings back what another rule denies", () => {
    const { definition } = withFields('permission: { "*": deny, "web*": allow, webfetch: deny }');
    expect(definition?.tools).toEqual(["web_search", "web*"]);
    expect(definition?.deniedTools).toContain("web_fetch");
  });

  test.each<[string, string, readonly string[] | undefined, readonly string[]]>([
    ["paths", 'permission: { edit: { "*": deny, "docs/*": allow, "src/*.md": ask } }', ["docs/**", "src/**/*.md"], []],
    ["paths with a part taken out", 'permission: { edit: { "*": deny, "docs/*": allow, "docs/x/*": deny } }', undefined, []],
    ["paths out of the workspace", 'permission: { edit: { "*": deny, "~/x/*": allow, "../y": allow } }', undefined, []],
    ["a denial that changes nothing", 'permission: { edit: { "*": deny, "a/*": deny, "b/*": allow } }', ["b/**"], []],
  ])("writes by %s", (_, fields, writes, deniedTools) => {
    const { definition } = withFields(fields);
    expect(definition?.writes).toEqual(writes);
    expect(definition?.deniedTools).toEqual(deniedTools);
  });

  test.each<[string, string, RuledCall, RuleEffect]>([
    ["all but this", 'bash: { "*": allow, "rm *": deny }', { tool: "shell", command: "ls" }, "allow"],
    ["this of all", 'bash: { "*": allow, "rm *": deny }', { tool: "shell", command: "cd x && rm -rf y" }, "deny"],
    ["this by its path", 'bash: { "*": allow, "rm *": deny }', { tool: "shell", command: "/bin/rm y" }, "deny"],
    ["this by a wrapper", 'bash: { "*": allow, "rm *": deny }', { tool: "shell", command: "timeout 5 rm y" }, "deny"],
    ["this by a shell", 'bash: { "*": allow, "rm *": deny }', { tool: "shell", command: "sh -c 'rm y'" }, "deny"],
    ["this in quotes", 'bash: { "*": allow, "rm *": deny }', { tool: "shell", command: "'rm' y" }, "deny"],
    ["nothing but this", 'bash: { "*": deny, "git *": allow }', { tool: "shell", command: "git log | cat" }, "deny"],
    ["the later one", 'bash: { "*": deny, "git *": allow, "git push *": ask }', { tool: "shell", command: "git push" }, "ask"],
    ["this, read otherwise", 'bash: { "*": deny, "git *": allow }', { tool: "git", texts: ["git log -5"] }, "allow"],
    ["paths but these", 'edit: { "*": allow, "src/gen/*": deny }', { tool: "edit", paths: ["src/gen/a/b.ts"] }, "deny"],
    ["other paths", 'edit: { "*": allow, "src/gen/*": deny }', { tool: "write", paths: ["src/a.ts"] }, "allow"],
    ["an absolute path", 'edit: { "/w/x/*": deny }', { tool: "edit", paths: ["x/a"], roots: ["/w"] }, "deny"],
    ["every call", '"*": ask', { tool: "github.push", paths: [] }, "ask"],
    ["all but reading", '"*": ask, read: allow', { tool: "read", paths: ["a"] }, "allow"],
    [
      "an address",
      'webfetch: { "*": allow, "https://evil.com/*": deny }',
      { tool: "web_fetch", texts: ["https://EVIL.com/x"] },
      "deny",
    ],
    ["a skill", 'skill: { "*": allow, "internal-*": deny }', { tool: "load_skill", texts: ["internal-x"] }, "deny"],
    ["a part of what is read", 'read: { "*": allow, "*.sql": deny }', { tool: "read", paths: ["db/a.sql"] }, "deny"],
  ])("is held to %s", (_, permission, call, effect) => {
    const { definition } = withFields(`permission: { ${permission} }`);
    expect(definition?.tools).toEqual(["*"]);
    expect(judgeRules([{ from: "a", rules: definition?.rules ?? [] }], call).effect).toBe(effect);
  });

  test.each<[string, string, readonly string[]]>([
    ["nobody as a sub-agent", "mode: subagent", []],
    ["nobody by default", "temperature: 0.5", []],
    ["all as a primary agent", "mode: primary", ["*"]],
    ["nobody as a primary agent that may do nothing", "mode: primary\npermission: deny", []],
    ["all where tasks are on", "tools: { task: true }", ["*"]],
    ["nobody where tasks are off", "mode: primary\ntools: { task: false }", []],
    ["some", 'permission: { task: { "*": deny, "a-*": allow, a-b: deny } }', ["a-*", "!a-b"]],
    ["nobody that must be asked about", "mode: primary\npermission: { task: ask }", []],
    ["all of those the newest form allows", "permissions: [{action: subagent, resource: explore, effect: allow}]", ["explore"]],
  ])("may start %s", (_, fields, delegates) => {
    expect(withFields(fields).definition?.delegates).toEqual(delegates);
  });

  test.each<[string, string, string]>([
    ["a switch is no switch", "tools: { bash: maybe }", `3 error: tools.bash is true or false, and not "maybe"`],
    ["switches are a list", "tools: [bash]", `3 error: "tools" is a map of names to true or false`],
    ["a rule is no rule", "permission: { bash: never }", `3 error: permission.bash: "never" is not allow, ask or deny`],
    ["the rules are no rules", "permission: sometimes", `3 error: "permission" is a map, or one of allow, ask and deny`],
    [
      "a rule in the newest form has no effect",
      "permissions: [{action: read, resource: x}]",
      "3 error: a rule has an action, a resource and an effect, which is allow, ask or deny",
    ],
    ["a denial names no agent", 'permission: { task: { "../x": deny } }', `3 error: "../x" is no name of an agent`],
    [
      "a denial is no glob that we take",
      'permission: { "*a*b*c*d": deny }',
      `3 error: "*a*b*c*d" is no glob that we take, so that what it says cannot be kept`,
    ],
    ["its limit is none", "steps: -1", `3 error: "steps" is a whole number above zero, and not -1`],
  ])("is not loaded where %s", (_, fields, note) => {
    const { type, notes } = withFields(fields);
    expect(type).toBe("broken");
    expect(notes).toContain(note);
  });

  test("has the limit that is not the older one", () => {
    expect(withFields("steps: 5\nmaxSteps: 50").definition?.limits).toEqual({ iterations: 5 });
  });

  test("has the prompt of its field only where nothing follows the front matter", () => {
    expect(withFields("prompt: Other.").definition?.prompt).toBe("Prompt.");
    const { read: outcome } = read("---\ndescription: d\nprompt: Other.\n---\n");
    expect(outcome).toMatchObject({ draft: { definition: { prompt: "Other." } } });
    const fromFile = read('---\ndescription: d\nprompt: "{file:./x.txt}"\n---\n');
    expect(fromFile.notes).toContain(`3 notice: "prompt" has no effect here: the prompt is what follows the front matter`);
  });
});

test.each([
  ["reasoningEffort: low", "low"],
  ["options:\n  reasoningEffort: xhigh", "max"],
  ["thinking:\n  type: enabled\n  budgetTokens: 12000", 12_000],
  ["options:\n  thinking: { type: disabled }", "off"],
])("%j is how hard its model thinks", (fields, thinking) => {
  const { read: outcome, notes } = read(`---\ndescription: Thinks.\nmode: subagent\n${fields}\n---\nThink.`);
  expect(notes).toEqual([]);
  expect(outcome).toMatchObject({ type: "agent", draft: { definition: { thinking } } });
});
