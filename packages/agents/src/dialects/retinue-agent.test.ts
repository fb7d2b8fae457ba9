import { RetinueError } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { parseAgent } from "../parse-agent.ts";
import { createNotes } from "../problem.ts";
import { readSafely } from "./dialect.ts";
import { readRetinueAgent } from "./retinue-agent.ts";

const read = (text: string) => {
  const { note, problems } = createNotes("a.md");
  const outcome = readSafely({ fallbackName: "", note, modelNames: new Set() }, (context) => readRetinueAgent(text, context));
  return {
    type: outcome.type,
    draft: outcome.type === "agent" ? outcome.draft : undefined,
    notes: problems.map(({ line, severity, message }) => `${line} ${severity}: ${message}`),
  };
};

const withFields = (fields: string) => read(`---\nname: a\ndescription: d\n${fields}\n---\nPrompt.\n`);

const FULL = `---
name: release-notes
aliases: [notes]
description: Writes release notes.
icon: "🗞️"
model: openai/gpt-5
fallbacks: [anthropic/claude, cheap]
temperature: 0.2
maxOutputTokens: 2000
tools: [read, "browser_*", Bash]
deniedTools: Write, execute_command
hiddenTools: Grep, browser_close
writes:
  - ./CHANGELOG.md
  - docs/
hosts: [api.github.com]
delegates: ["*", "!main", code-search]
grant: session
limits:
  iterations: 5
  costUsd: 0.5
input: { type: object, properties: { version: { type: string } }, required: [version] }
output: { type: object }
contextMode: summary
expose: tool
skills: [release]
mcpServers: [github]
isolation: worktree
accept: { command: npm test }
---

Write the notes.
`;

describe("an agent file of our own", () => {
  test("has every field of the specification", () => {
    const { draft, notes } = read(FULL);
    expect(notes).toEqual([]);
    expect(draft?.definition).toEqual({
      name: "release-notes",
      aliases: ["notes"],
      description: "Writes release notes.",
      icon: "🗞️",
      model: "openai/gpt-5",
      fallbacks: ["anthropic/claude", "cheap"],
      temperature: 0.2,
      maxOutputTokens: 2_000,
      tools: ["read", "browser_*", "shell"],
      deniedTools: ["write", "shell"],
      hiddenTools: ["grep", "browser_close"],
      writes: ["CHANGELOG.md", "docs/**"],
      hosts: ["api.github.com"],
      delegates: ["*", "!main", "code-search"],
      grant: "session",
      limits: { iterations: 5, costUsd: 0.5 },
      input: { type: "object", properties: { version: { type: "string" } }, required: ["version"] },
      output: { type: "object" },
      contextMode: "summary",
      expose: "tool",
      skills: ["release"],
      mcpServers: ["github"],
      isolation: "worktree",
      accept: { command: "npm test" },
      prompt: "Write the notes.",
    });
    expect(draft?.lines.get("writes:docs/")).toBe(15);
    expect(draft?.lines.get("limits:costUsd")).toBe(21);
  });

  test("says of a field that nobody knows that it is ignored, and which was likely meant", () => {
    const { type, notes } = withFields("iccon: x\nquux: 1");
    expect(type).toBe("agent");
    expect(notes).toEqual([
      `4 warning: unknown field "iccon" (did you mean "icon"?); it is ignored`,
      `5 warning: unknown field "quux"; it is ignored`,
    ]);
  });

  test.each([
    "toolz: [read]",
    "tool: read",
    "allowedTools: [read]",
    "disallowed_tools: [shell]",
    "permissions: none",
    "write: []",
    "read-only: true",
    "limit: 3",
  ])("is left out where an unknown field seems to say what it may do: %s", (field) => {
    const { type, notes } = withFields(field);
    expect(type).toBe("broken");
    expect(notes[0]).toMatch(
      /^4 error: unknown field ".+"(?: \(did you mean ".+"\?\))?; it seems to say what the agent may do, so that it is left out$/,
    );
  });

  test("without tools may use all, and with none of them none", () => {
    expect(withFields("icon: x").draft?.definition.tools).toEqual(["*"]);
    expect(withFields("tools: []").draft?.definition.tools).toEqual([]);
    expect(withFields("tools:").draft?.definition.tools).toEqual([]);
  });

  test.each<[string, string]>([
    ["temperature: 9", "4 error: temperature: must be at most 2"],
    ["limits:\n  iterations: 1\n  iteration: 2", `4 error: limits: unknown key "iteration"`],
    ["limits: { durationMs: -1 }", "4 error: limits.durationMs: must be more than 0"],
    ["expose: everyone", `4 error: expose: must be one of tool, delegate, both, none`],
    ["writes:\n  - src/**\n  - ../x/**", `6 error: writes: "../x/**" is no glob of paths inside the workspace`],
    ["writes: [/etc/passwd]", `4 error: writes: "/etc/passwd" is no glob of paths inside the workspace`],
    ["writes: [~/x]", `4 error: writes: "~/x" is no glob of paths inside the workspace`],
    ['writes: ["+(a|b)+"]', `4 error: writes: "+(a|b)+" is no glob of paths inside the workspace`],
    ['tools: ["a*b*c*d*e"]', `4 error: tools: "a*b*c*d*e" is no name of a tool, nor a glob of at most three stars`],
    ['tools: ["Bash(git:*)"]', `4 error: tools: "Bash(git:*)" is no name of a tool, nor a glob of at most three stars`],
    ["delegates: [../../admin]", `4 error: delegates: "../../admin" is no name of an agent, nor a glob of names`],
    ["delegates: [a/b/c]", `4 error: delegates: "a/b/c" is no name of an agent, nor a glob of names`],
    ["aliases: [../A]", `4 error: aliases: "../A" is no name of an agent`],
    ["input: { type: string }", `4 error: input: it is a JSON Schema of type "object"`],
    ['icon: "\\e[2J"', "4 error: icon: it is one sign, such as an emoji"],
    ['icon: "\\u202e"', "4 error: icon: it is one sign, such as an emoji"],
    ["accept: { command: a, agent: b }", "4 error: accept: Invalid input"],
    ["tools: { read: true }", "4 error: tools: expected array, received object"],
  ])("is not loaded with %s", (fields, note) => {
    const { type, notes } = withFields(fields);
    expect(type).toBe("broken");
    expect(notes).toContain(note);
  });

  test("J4 is not loaded with a pattern that could take very long", () => {
    const { type, notes } = withFields('output: { type: object, properties: { a: { type: string, pattern: "^(a+)+$" } } }');
    expect(type).toBe("broken");
    expect(notes[0]).toMatch(
      /^4 error: output: it is no JSON Schema that we can check: The pattern "\^\(a\+\)\+\$" is not used: /,
    );
  });

  test("is not loaded with a schema that cannot be checked", () => {
    const { type, notes } = withFields("input: { type: object, properties: { a: { type: nonsense } } }");
    expect(type).toBe("broken");
    expect(notes[0]).toMatch(/^4 error: input: it is no JSON Schema that we can check/);
  });

  test("need not list the tool that delegates", () => {
    const { draft, notes } = withFields("tools: [read, delegate_to_agent]");
    expect(draft?.definition.tools).toEqual(["read"]);
    expect(notes).toEqual([`4 notice: "delegate_to_agent" need not stand in "tools": whom it may start stands in "delegates"`]);
  });

  test.each<[string, string, string]>([
    ["is empty", "", "1 error: it does not begin with front matter between two lines of ---, so it is no agent"],
    [
      "has no front matter",
      "Prompt.",
      "1 error: it does not begin with front matter between two lines of ---, so it is no agent",
    ],
    [
      "has front matter without an end",
      "---\nname: a\n",
      "1 error: its front matter is not closed by a line of ---, so it is no agent",
    ],
    ["has no prompt", "---\nname: a\ndescription: d\n---\n\n", "5 error: it has no prompt after the front matter"],
    [
      "is not YAML",
      "---\nname: a\ndescription: [\n---\nP",
      "3 error: it is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
    ["has no name", "---\ndescription: d\n---\nP", "2 error: name: expected string, received undefined"],
    [
      "has a name with a path",
      "---\nname: ../a\ndescription: d\n---\nP",
      "2 error: name: a name is lower case letters, digits and dashes, and begins with a letter",
    ],
    ["has a list in place of fields", "---\n- a\n---\nP", "2 error: it is not a list of fields with their values"],
  ])("that %s says so", (_, text, note) => {
    const { type, notes } = read(text);
    expect(type).toBe("broken");
    expect(notes).toContain(note);
  });

  test("with aliases that multiply is not read to its end", () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `l${level + 1}: &l${level + 1} [${Array.from({ length: 9 }, () => `*l${level}`).join(", ")}]`,
    );
    const { type, notes } = read(`---\nname: a\nl0: &l0 [x]\n${levels.join("\n")}\n---\nP`);
    expect(type).toBe("broken");
    expect(notes).toEqual(["2 error: it has too many aliases"]);
  });

  test("with keys that would reach into objects is an agent like any other", () => {
    const { type } = withFields("__proto__: { tools: [shell] }\nconstructor: 1");
    expect(type).toBe("agent");
    expect(({} as Record<string, unknown>)["tools"]).toBeUndefined();
  });
});

describe("parseAgent", () => {
  test("gives the agent", () => {
    expect(parseAgent("---\r\nname: a\r\ndescription: d\r\n---\r\nP\r\n", "a.md")).toMatchObject({ name: "a", prompt: "P" });
  });

  test("throws what is first wrong, with file and line", () => {
    let thrown: unknown;
    try {
      parseAgent("---\nname: a\ndescription: d\ntemperature: hot\n---\nP", "agents/a.md");
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(RetinueError);
    expect(thrown).toMatchObject({
      code: "agent_invalid",
      message: "agents/a.md:4: temperature: expected number, received string.",
    });
  });
});
