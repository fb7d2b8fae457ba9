import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { readBuiltinAgents } from "../builtin-agents.ts";
import { createNotes } from "../problem.ts";
import { FIXTURES } from "../testing/agent-folders.ts";
import { readAgentRoles } from "./agent-roles.ts";

let builtins: ReadonlyMap<string, AgentDefinition>;

beforeAll(async () => {
  builtins = await readBuiltinAgents();
});

const read = async (text: string) => {
  const { note, problems } = createNotes("appsettings.json");
  const roles = await readAgentRoles(text, {
    note,
    modelNames: new Set(),
    findBuiltin: (name) => builtins.get(name === "coder" ? "executor" : name),
    readPromptFile: async (file) => {
      if (file.includes("missing")) throw new Error("it does not exist");
      return `Prompt of ${file}.`;
    },
  });
  return { roles, notes: problems.map(({ line, severity, message }) => `${line} ${severity}: ${message}`) };
};

const withRole = (role: string, section = ""): string => `{"AgentRoles": {${section} "Roles": [${role}]}}`;

describe("AgentRoles", () => {
  test("of the third design behave as its table says", async () => {
    const { roles, notes } = await read(await readFile(path.join(FIXTURES, "agent-roles/appsettings.json"), "utf8"));
    expect(notes).toEqual([]);
    expect(roles?.maxDepth).toBe(2);
    expect(
      roles?.drafts.map(({ definition: { name, icon, model, limits, delegates, tools, expose, prompt } }) => ({
        name,
        icon,
        model,
        limits,
        delegates,
        tools,
        expose,
        prompt,
      })),
    ).toEqual([
      // S2 2.1
      {
        name: "main",
        icon: "🤖",
        model: "qwen/qwen3-coder-30b",
        limits: { iterations: 50, durationMs: 600_000 },
        delegates: ["planner", "coder", "tester", "reviewer", "debugger"],
        tools: ["*"],
        expose: "none",
        prompt: "Prompt of prompts/roles/main.md.",
      },
      {
        name: "coder",
        icon: "👨‍💻",
        model: "qwen/qwen3-coder-30b",
        limits: { iterations: 30, durationMs: 300_000 },
        delegates: ["tester"],
        tools: ["*"],
        expose: "delegate",
        prompt: "Prompt of prompts/roles/coder.md.",
      },
      {
        name: "tester",
        icon: "🧪",
        model: "deepseek-chat",
        limits: { iterations: 20, durationMs: 180_000 },
        delegates: [],
        tools: ["*"],
        expose: "delegate",
        prompt: "Prompt of prompts/roles/tester.md.",
      },
      {
        name: "reviewer",
        icon: "👀",
        model: "anthropic/claude-opus-4.5",
        limits: { iterations: 10, durationMs: 120_000 },
        delegates: [],
        tools: ["*"],
        expose: "delegate",
        prompt: "Prompt of prompts/roles/reviewer.md.",
      },
      {
        name: "planner",
        icon: "📋",
        model: "deepseek-reasoner",
        limits: { iterations: 15, durationMs: 180_000 },
        delegates: ["coder", "tester", "reviewer"],
        tools: ["*"],
        expose: "delegate",
        prompt: "Prompt of prompts/roles/planner.md.",
      },
      {
        name: "debugger",
        icon: "🔧",
        model: "qwen/qwen3-coder-30b",
        limits: { iterations: 25, durationMs: 240_000 },
        delegates: [],
        tools: ["*"],
        expose: "delegate",
        prompt: "Prompt of prompts/roles/debugger.md.",
      },
    ]);
  });

  test("have the limits of all of them where they give none", async () => {
    const { roles } = await read(
      withRole(`{"RoleId": "a", "SystemPromptFile": "a.md"}`, `"DefaultMaxIterations": 20, "DefaultMaxDurationMs": 300000,`),
    );
    expect(roles?.drafts[0]?.definition).toMatchObject({
      limits: { iterations: 20, durationMs: 300_000 },
      description: "The a agent.",
      delegates: [],
    });
  });

  test("are read with comments, trailing commas and keys in any case", async () => {
    const { roles, notes } = await read(`{
      // Our roles
      "agentRoles": { /* two
        lines */ "roles": [ { "roleId": "a", "displayName": "A // no comment", "systemPromptFile": "a.md", }, ] }
    }`);
    expect(notes).toEqual([]);
    expect(roles?.drafts[0]?.definition.description).toBe("A // no comment");
  });

  test.each<[string, string, readonly string[]]>([
    ["to all the others where it names none", `"CanDelegate": true`, ["b"]],
    ["to those it names", `"CanDelegate": true, "AllowedDelegations": ["b", "c"]`, ["b", "c"]],
    ["to nobody where it names nobody", `"CanDelegate": true, "AllowedDelegations": []`, []],
    ["to nobody where it may not", `"CanDelegate": false, "AllowedDelegations": ["b"]`, []],
    ["to nobody where nothing is said", `"AllowedDelegations": ["b"]`, []],
  ])("delegate %s", async (_, fields, delegates) => {
    const { roles } = await read(
      withRole(`{"RoleId": "a", "SystemPromptFile": "a.md", ${fields}}, {"RoleId": "b", "SystemPromptFile": "b.md"}`),
    );
    expect(roles?.drafts[0]?.definition.delegates).toEqual(delegates);
  });

  test("that are broken do not take the others down", async () => {
    const { roles, notes } = await read(`{
      "AgentRoles": { "Roles": [
        { "RoleId": "a", "SystemPromptFile": "missing.md" },
        { "RoleId": "../b", "SystemPromptFile": "b.md" },
        { "RoleId": "c" },
        { "RoleId": "d", "SystemPromptFile": "d.md", "MaxIterations": "many" },
        "e",
        { "RoleId": "f", "SystemPromptFile": "f.md", "Colour": "red" }
      ] }
    }`);
    expect(roles?.drafts.map(({ definition }) => definition.name)).toEqual(["f"]);
    expect(notes.toSorted()).toEqual([
      `3 error: the prompt file "missing.md": it does not exist`,
      `4 error: "../b" cannot be made the name of an agent: letters, digits and dashes, 64 at most`,
      `5 error: the role has no "SystemPromptFile"`,
      `6 error: "MaxIterations" is a whole number above zero, and not "many"`,
      "7 error: a role is an object",
      `8 warning: unknown field "Colour"; it is ignored`,
    ]);
  });

  test("are none of them loaded where the limits of all of them cannot be read", async () => {
    const { roles } = await read(withRole(`{"RoleId": "a", "SystemPromptFile": "a.md"}`, `"DefaultMaxIterations": "x",`));
    expect(roles).toEqual({ drafts: [] });
  });

  test.each([`{"Logging": {}}`, "{}", "", "[]", "{", `{"AgentRoles": 1}`, `{"AgentRoles": {"Roles": 1}}`])(
    "are not there in %s",
    async (text) => {
      expect((await read(text)).roles).toBeUndefined();
    },
  );
});

describe("tools of a role", () => {
  const role = (more: string): string =>
    withRole(`{"RoleId": "coder", "SystemPromptFile": "a.md", "CanDelegate": true, ${more}}`);

  test("are those of AllowedTools without those of DeniedTools, by the names of any world", async () => {
    const { roles, notes } = await read(role('"AllowedTools": ["Read", "grep", "mcp__docs__*"], "DeniedTools": ["Bash"]'));
    expect(notes).toEqual([]);
    expect(roles?.drafts[0]?.definition).toMatchObject({ tools: ["read", "grep", "docs.*"], deniedTools: ["shell"] });
  });

  test("are all where neither is given, and none where AllowedTools is empty", async () => {
    expect((await read(role('"MaxIterations": 3'))).roles?.drafts[0]?.definition.tools).toEqual(["*"]);
    expect((await read(role('"AllowedTools": []'))).roles?.drafts[0]?.definition.tools).toEqual([]);
  });

  test("a denial that cannot be read refuses the role, and an unknown form of either list too", async () => {
    for (const more of [
      '"DeniedTools": ["Bash(git:*)"]',
      '"DeniedTools": "shell()x"',
      '"DeniedTools": 7',
      '"AllowedTools": {"read": true}',
    ]) {
      const { roles, notes } = await read(role(more));
      expect([more, roles?.drafts, notes.join()]).toEqual([more, [], expect.stringMatching(/error: .*(?:Denied|Allowed)Tools/)]);
    }
  });

  test("delegate_to_agent among the denied ones means that it may not delegate", async () => {
    const { roles } = await read(
      '{"AgentRoles": {"Roles": [{"RoleId": "coder", "SystemPromptFile": "a.md", "CanDelegate": true, "DeniedTools": ["delegate_to_agent"]}, {"RoleId": "tester", "SystemPromptFile": "b.md"}]}}',
    );
    expect(roles?.drafts[0]?.definition.delegates).toEqual([]);
  });
});
