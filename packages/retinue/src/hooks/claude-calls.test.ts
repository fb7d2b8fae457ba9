import type { HookedCall } from "@retinue/runtime";
import type { Json } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { readClaudeAnswer } from "./claude-answer.ts";
import { toClaudeCalls } from "./claude-calls.ts";

const toCalls = (tool: string, input: Json, more: Partial<HookedCall> = {}) =>
  toClaudeCalls(
    {
      run: { sessionId: "ses_1", runId: "run_1", parentRunId: null, depth: 0, agent: "main" },
      callId: "c1",
      tool,
      effect: "execute",
      input,
      workspace: "/w",
      ...more,
    },
    (name) => name === "planner",
  );

describe("a call as hooks of Claude Code know it", () => {
  test.each<[string, Json, string, Json]>([
    ["shell", { command: "ls", timeoutMs: 5 }, "Bash", { command: "ls", timeout: 5 }],
    ["read", { path: "a.ts", offset: 3 }, "Read", { file_path: "/w/a.ts", offset: 3 }],
    ["write", { path: "b/a.ts", content: "x" }, "Write", { file_path: "/w/b/a.ts", content: "x" }],
    ["glob", { pattern: "*.ts" }, "Glob", { pattern: "*.ts" }],
    ["grep", { pattern: "x", path: "src" }, "Grep", { pattern: "x", path: "/w/src" }],
    ["web_fetch", { url: "https://a.com" }, "WebFetch", { url: "https://a.com", prompt: "" }],
    ["github.push", { ref: "x" }, "mcp__github__push", { ref: "x" }],
    ["todo", { items: [{ text: "a", status: "pending" }] }, "TodoWrite", { todos: [{ content: "a", status: "pending" }] }],
    [
      "delegate_to_agent",
      { agent: "tester", task: "test it" },
      "Task",
      { description: "test it", prompt: "test it", subagent_type: "tester" },
    ],
    ["planner", { task: "plan" }, "Task", { description: "plan", prompt: "plan", subagent_type: "planner" }],
    ["screenshot", {}, "screenshot", {}],
  ])("%s is told in the fields of its tool", (tool, input, tool_name, tool_input) => {
    expect(toCalls(tool, input)).toMatchObject([{ tool_name, tool_input }]);
  });

  test("git and its like are commands", () => {
    expect(toCalls("git_commit", { message: "m", paths: ["a"] }, { commands: ["git commit a"] })).toMatchObject([
      { tool_name: "Bash", tool_input: { command: "git commit a" } },
    ]);
    expect(toCalls("test", {})).toMatchObject([{ tool_name: "Bash", tool_input: { command: "test" } }]);
  });

  test("an edit of several files is one call for each, with all of its changes", () => {
    const edits = [
      { old: "a", new: "b" },
      { old: "c", new: "d", all: true },
    ];
    expect(
      toCalls("edit", {
        files: [
          { path: "x", edits },
          { path: "y", edits: [] },
        ],
      }),
    ).toMatchObject([
      { tool_name: "Edit", tool_input: { file_path: "/w/x", old_string: "a\nc", new_string: "b\nd", replace_all: true } },
      { tool_name: "Edit", tool_input: { file_path: "/w/y" } },
    ]);
  });
});

describe("the answer of a hook", () => {
  const answer = (exitCode: number | null, out: unknown = "", event: Parameters<typeof readClaudeAnswer>[0] = "PreToolUse") =>
    readClaudeAnswer(event, {
      exitCode,
      out: typeof out === "string" ? out : JSON.stringify(out),
      err: "said",
      ended: `x ended with ${exitCode}`,
    });
  const own = (fields: object) => ({ hookSpecificOutput: fields });

  test("denies by exit code 2, and no other code does", () => {
    expect(answer(2)).toEqual({ decision: "deny", reason: "said" });
    expect(answer(1)).toEqual({ context: "x ended with 1 (only exit code 2 denies)" });
  });

  test("is none where the hook was not run", () => {
    for (const code of [126, 127, null]) expect(() => answer(code)).toThrow("ended with");
  });

  test("allows nothing, and changes no input", () => {
    expect(answer(0, own({ permissionDecision: "allow", permissionDecisionReason: "fine" }))).toEqual({ reason: "fine" });
    expect(answer(0, { decision: "approve" })).toEqual({});
    expect(answer(0, own({ permissionDecision: "allow", updatedInput: { command: "ls" } })).decision).toBe("deny");
  });

  test("denies, asks and adds by JSON", () => {
    expect(answer(0, own({ permissionDecision: "deny", permissionDecisionReason: "no" }))).toEqual({
      decision: "deny",
      reason: "no",
    });
    expect(answer(0, own({ permissionDecision: "ask", additionalContext: "c" }))).toEqual({ decision: "ask", context: "c" });
    expect(answer(0, { decision: "block", reason: "old" })).toEqual({ decision: "deny", reason: "old" });
    expect(answer(0, { continue: false, stopReason: "halt" })).toEqual({ decision: "deny", reason: "halt" });
    expect(answer(0, { continue: false, decision: "block", reason: "r" }, "Stop")).toEqual({ reason: "r" });
  });

  test("is told to the model as plain text only where something is asked", () => {
    expect(answer(0, "today is Monday\n", "UserPromptSubmit")).toEqual({ context: "today is Monday" });
    expect(answer(0, "noise")).toEqual({});
  });
});
