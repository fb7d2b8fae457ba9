import type { RuleEffect } from "@retinue/protocol";
import type { RuledCall } from "@retinue/runtime";
import { judgeRules } from "@retinue/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { toSessionRules } from "./claude-settings.ts";
import { loadOpencodeSettings } from "./opencode-settings.ts";
import type { AgentFolders } from "./testing/agent-folders.ts";
import { createAgentFolders } from "./testing/agent-folders.ts";

let folders: AgentFolders;
beforeEach(async () => {
  folders = await createAgentFolders();
});
afterEach(() => folders.dispose());

const load = () => loadOpencodeSettings({ projectDir: folders.projectDir, homeDir: folders.homeDir });

describe("the permissions of opencode's settings", () => {
  test.each<[object, RuledCall, RuleEffect]>([
    [{ permission: { edit: "deny" } }, { tool: "write", paths: ["a"] }, "deny"],
    [{ permission: { edit: "deny" } }, { tool: "read", paths: ["a"] }, "allow"],
    [{ permission: { bash: { "*": "allow", "git push *": "ask" } } }, { tool: "shell", command: "git push x" }, "ask"],
    [{ permission: { bash: { "*": "allow", "git push *": "ask" } } }, { tool: "shell", command: "ls" }, "allow"],
    [{ permission: { "*": "deny", read: "allow" } }, { tool: "shell", command: "ls" }, "deny"],
    [{ permission: { "*": "deny", read: "allow" } }, { tool: "read", paths: ["a"] }, "allow"],
    [{ permission: { "*": "deny", read: "allow" } }, { tool: "github.push" }, "deny"],
    [{ permission: "ask" }, { tool: "github.push" }, "ask"],
    [{ tools: { webfetch: false } }, { tool: "web_fetch", hosts: ["a.com"], texts: ["https://a.com"] }, "deny"],
    [{ permission: { webfetch: "allow" } }, { tool: "web_fetch", hosts: ["a.com"], texts: ["https://a.com"] }, "allow"],
  ])("%j: %j is %s", async (settings, call, effect) => {
    await folders.write("project/opencode.json", JSON.stringify(settings));
    const { rules, preapproved } = toSessionRules(await load(), () => true);
    expect(judgeRules(rules, call).effect).toBe(effect);
    expect(preapproved).toEqual([]);
  });

  test("of the user and of the project hold, with comments and commas as opencode takes them", async () => {
    await folders.write("home/.config/opencode/opencode.jsonc", `{ // mine\n  "permission": { "bash": "deny", /* all */ },\n}`);
    await folders.write(
      "project/opencode.json",
      `{"$schema": "https://opencode.ai/config.json", "permission": {"task": {"x": "deny"}}}`,
    );
    const { files, problems } = await load();
    expect(problems).toEqual([]);
    expect(Object.fromEntries(files.map(({ origin, deniedAgents }) => [origin, deniedAgents]))).toEqual({
      project: ["x"],
      user: [],
    });
  });

  test("that say nothing of rights, or allow, are no rules; that cannot be read are told", async () => {
    await folders.write("project/opencode.json", `{"theme": "x", "permission": {"bash": "allow"}}`);
    expect(await load()).toEqual({ files: [], problems: [] });
    await folders.write("project/opencode.json", `{\n  "mcp": {"x": {}},\n  "instructions": ["a.md"]\n}`);
    expect((await load()).problems.map(({ line, message }) => `${line} ${message}`)).toEqual([
      `2 "mcp" has no effect here: servers of tools are read from .mcp.json and "mcpServers" of retinue.yaml`,
      `3 "instructions" has no effect here: instructions are read from AGENTS.md, which imports others by @path`,
    ]);
    await folders.write("project/opencode.json", "{");
    expect((await load()).problems[0]).toMatchObject({
      severity: "error",
      message: expect.stringMatching(/^it cannot be read/) as string,
    });
    await folders.write("project/opencode.json", `{\n  "permission": {"bash": "never"}}`);
    expect((await load()).problems).toMatchObject([{ line: 2, severity: "error" }]);
  });
});
