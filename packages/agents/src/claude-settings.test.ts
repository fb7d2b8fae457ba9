import { symlink } from "node:fs/promises";
import path from "node:path";
import type { RuleEffect } from "@retinue/protocol";
import type { RuledCall } from "@retinue/runtime";
import { judgeRules } from "@retinue/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { matchesClaude } from "./claude-hooks.ts";
import { loadClaudeSettings, toSessionRules } from "./claude-settings.ts";
import type { AgentFolders } from "./testing/agent-folders.ts";
import { createAgentFolders } from "./testing/agent-folders.ts";
import { UNREAD_RULES } from "./read-settings-files.ts";

let folders: AgentFolders;
beforeEach(async () => {
  folders = await createAgentFolders();
});
afterEach(() => folders.dispose());

const PROJECT = "project/.claude/settings.json";

const load = () => loadClaudeSettings({ projectDir: folders.projectDir, homeDir: folders.homeDir });

const write = (file: string, permissions: unknown, more: object = {}) =>
  folders.write(file, JSON.stringify({ permissions, ...more }, null, 2));

describe("the permissions of Claude Code's settings", () => {
  test.each<[string, object, RuledCall, RuleEffect]>([
    ["a command", { deny: ["Bash(curl:*)"] }, { tool: "shell", command: "ls && curl x" }, "deny"],
    ["a command with a comma", { deny: ["Bash(echo a, b)"] }, { tool: "shell", command: "echo a, b" }, "deny"],
    ["other commands", { deny: ["Bash(curl:*)"] }, { tool: "shell", command: "ls" }, "allow"],
    ["the shell", { deny: ["Bash"] }, { tool: "git", texts: ["git log"] }, "deny"],
    ["a question", { ask: ["Bash(git push:*)"] }, { tool: "shell", command: "git push" }, "ask"],
    ["a denial over a question", { ask: ["Bash"], deny: ["Bash(rm:*)"] }, { tool: "shell", command: "rm x" }, "deny"],
    ["a denial over what is allowed", { allow: ["Bash"], deny: ["Bash(rm:*)"] }, { tool: "shell", command: "rm x" }, "deny"],
    ["a file", { deny: ["Read(./secrets/**)"] }, { tool: "read", paths: ["secrets/a"] }, "deny"],
    ["a file that is searched", { deny: ["Read(./secrets/**)"] }, { tool: "grep", paths: ["secrets"] }, "deny"],
    ["a file of that name anywhere", { deny: ["Edit(*.lock)"] }, { tool: "write", paths: ["a/b.lock"] }, "deny"],
    ["a folder with what is in it", { deny: ["Edit(gen)"] }, { tool: "edit", paths: ["src/gen/x.ts"] }, "deny"],
    [
      "a host",
      { deny: ["WebFetch(domain:evil.com)"] },
      { tool: "web_fetch", texts: ["https://a.evil.com/"], hosts: ["a.evil.com"] },
      "deny",
    ],
    ["a tool of a server", { deny: ["mcp__github__delete"] }, { tool: "github.delete" }, "deny"],
    ["a server", { deny: ["mcp__github"] }, { tool: "github.list" }, "deny"],
    ["nothing that is only allowed", { allow: ["Bash(ls:*)"] }, { tool: "shell", command: "rm x" }, "allow"],
  ])("hold to %s", async (_, permissions, call, effect) => {
    await write(PROJECT, permissions);
    const { rules } = toSessionRules(await load(), () => false);
    expect(judgeRules(rules, call).effect).toBe(effect);
  });

  test("of all three files hold, those of the user and the project's own", async () => {
    await write("home/.claude/settings.json", { deny: ["WebSearch"] });
    await write(PROJECT, { deny: ["Bash(curl:*)"] });
    await write("project/.claude/settings.local.json", { ask: ["Edit"] });
    const { rules } = toSessionRules(await load(), () => false);
    expect(rules.map(({ from }) => path.basename(from))).toEqual(["settings.json", "settings.json", "settings.local.json"]);
    expect(judgeRules(rules, { tool: "web_search", texts: ["x"] }).effect).toBe("deny");
    expect(judgeRules(rules, { tool: "edit", paths: ["a"] }).effect).toBe("ask");
  });

  test("I3: spare questions where they are the user's, and of a project only once it is trusted", async () => {
    await write("home/.claude/settings.json", { allow: ["Bash(npm test:*)"] });
    await write(PROJECT, { allow: ["Bash(make:*)"] });
    const settings = await load();
    const allowedBy = (isTrusted: boolean) =>
      toSessionRules(settings, () => isTrusted).preapproved.flatMap(({ rules }) => rules.map(({ like }) => like));
    expect(allowedBy(false)).toEqual(["npm test *"]);
    expect(allowedBy(true)).toEqual(["npm test *", "make *"]);
  });

  test("spare no question about every command at once", async () => {
    await write("home/.claude/settings.json", { allow: ["Bash", "Bash(*)", "*", "WebSearch"] });
    const settings = await load();
    expect(toSessionRules(settings, () => true).preapproved.flatMap(({ rules }) => rules)).toEqual([
      { tools: ["web_search"], effect: "allow" },
    ]);
    expect(settings.problems.map(({ message }) => message)).toEqual(
      ["Bash", "Bash(*)", "*"].map(
        (written) => `"${written}" has no effect here: only commands that are named are spared a question`,
      ),
    );
  });

  test("name the agents that nobody may start", async () => {
    await write(PROJECT, { deny: ["Agent(Explore)", "Task(code_review)"] });
    expect((await load()).files[0]?.deniedAgents).toEqual(["explore", "code-review"]);
  });

  test("say what is not honoured, and what is wrong, at its line", async () => {
    await write(PROJECT, { denny: ["Bash"], defaultMode: "plan", deny: ["Agent(../x)", "R\u00e9ad"] }, { env: {} });
    const { problems } = await load();
    expect(problems.map(({ line, severity, message }) => `${line} ${severity}: ${message}`)).toEqual([
      `12 notice: "env" has no effect here: of these settings "permissions" and "hooks" count`,
      `3 error: "permissions.denny" is not known (did you mean "deny"?); what it says is not kept`,
      `6 notice: "permissions.defaultMode" has no effect here: what must be approved is decided by the session`,
      `8 error: "Agent(../x)" names no agent; what it says is not kept`,
      `9 error: "R\u00e9ad" is no name of a tool; what it says is not kept`,
    ]);
  });

  test("tell hooks of moments that runs have here, and name the others", async () => {
    const run = (command: unknown, more: object = {}) => ({ type: "command", command, ...more });
    await folders.write(
      PROJECT,
      JSON.stringify({
        hooks: {
          PreToolUse: [
            { matcher: "Edit|Write", hooks: [run("a", { timeout: 5 })] },
            { matcher: "[", hooks: [run("b")] },
            { matcher: "*", hooks: [run("c"), { type: "prompt", prompt: "ok?" }, run("")] },
          ],
          Stop: [{ hooks: [run("d", { async: true })] }, "x"],
          Notification: [{ hooks: [run("e")] }],
        },
      }),
    );
    const { files, problems } = await load();
    expect(files[0]).toMatchObject({ held: [], allowed: [], disablesHooks: false });
    expect(files[0]?.hooks).toEqual([
      { event: "PreToolUse", matcher: "Edit|Write", command: "a", timeoutMs: 5_000 },
      { event: "PreToolUse", command: "b" },
      { event: "PreToolUse", command: "c" },
      { event: "Stop", command: "d" },
    ]);
    expect(problems.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      `error: the matcher "[" of "hooks.PreToolUse" is no pattern; its hooks are run for every tool`,
      `warning: a hook of the type "prompt" in "hooks.PreToolUse" is not run here: only commands are; what it would check is not checked`,
      `error: a hook in "hooks.PreToolUse" has no "command"; it is not run`,
      `notice: "async" of a hook in "hooks.Stop" has no effect here: it is waited for`,
      `error: an entry of "hooks.Stop" has no list "hooks"; it is not run`,
      `notice: "hooks.Notification" has no effect here: hooks are run for PreToolUse, PostToolUse, UserPromptSubmit, Stop, SubagentStop`,
    ]);
  });

  test.each<[string | undefined, readonly string[], boolean]>([
    [undefined, ["Bash"], true],
    ["Bash", ["Bash"], true],
    ["Bash", ["BashOutput"], false],
    ["Edit|Write", ["Write"], true],
    ["Edit, Write", ["Edit", "MultiEdit"], true],
    ["mcp__github__.*", ["mcp__github__push"], true],
    ["^Notebook", ["Edit"], false],
  ])("have a matcher %j that means one of %j: %j", (matcher, names, does) => {
    expect(matchesClaude(matcher, names)).toBe(does);
  });

  test.each(["{", "[]", `{"permissions": []}`, `{"permissions": {"deny": "Bash"}}`, `{"permissions": {"deny": [1]}}`])(
    "that cannot be read are told, and all but reading is asked about: %s",
    async (text) => {
      await folders.write(PROJECT, text);
      const { files, problems } = await load();
      expect(files).toMatchObject([{ held: UNREAD_RULES, allowed: [] }]);
      expect(problems[0]).toMatchObject({
        severity: "error",
        message: expect.stringMatching(/^it cannot be read, so that/) as string,
      });
    },
  );

  test("are not read through a link that leads out of the project", async () => {
    const outside = await write("elsewhere/settings.json", { allow: ["Bash"] });
    await folders.write("project/.claude/x", "");
    await symlink(outside, path.join(folders.projectDir, ".claude/settings.json"));
    const { files, problems } = await load();
    expect(files).toMatchObject([{ held: UNREAD_RULES, allowed: [] }]);
    expect(problems[0]?.message).toContain("it leads out of the project");
  });

  test("are none where there are none", async () => {
    expect(await load()).toEqual({ files: [], problems: [] });
    await folders.write(PROJECT, "{}");
    expect(await load()).toEqual({ files: [], problems: [] });
  });
});
