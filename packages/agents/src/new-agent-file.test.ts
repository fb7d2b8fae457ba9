import { RetinueError } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { readBuiltinAgents } from "./builtin-agents.ts";
import { formatAgent } from "./format-agent.ts";
import { newAgentFile } from "./new-agent-file.ts";
import { parseAgent } from "./parse-agent.ts";

describe("newAgentFile", () => {
  test("gives a file that is an agent", () => {
    const agent = parseAgent(newAgentFile("release-notes"), "release-notes.md");
    expect(agent).toMatchObject({
      name: "release-notes",
      tools: ["read", "ls", "glob", "grep"],
      limits: { iterations: 20, durationMs: 300_000 },
      delegates: [],
    });
    expect(agent.prompt).toContain("Hand back:");
  });

  test("shows what else may stand in it, and every field that it shows is one", () => {
    const text = newAgentFile("a", { model: "m/n" });
    expect(text).not.toContain("# model:");
    const shown = text.replaceAll(/^# (?=\w+: )/gm, "");
    expect(shown).not.toBe(text);
    expect(parseAgent(shown, "a.md")).toMatchObject({
      model: "m/n",
      writes: ["docs/**"],
      delegates: ["code-search"],
      output: { type: "object" },
    });
  });

  test("takes what it is given", () => {
    const agent = parseAgent(
      newAgentFile("a", { description: "x: y # z", model: "m/n", tools: ["*"], writes: ["docs/**"], prompt: "---\nDo it." }),
      "a.md",
    );
    expect(agent).toMatchObject({
      description: "x: y # z",
      model: "m/n",
      tools: ["*"],
      writes: ["docs/**"],
      prompt: "---\nDo it.",
    });
  });

  test.each(["", "A", "../a", "a b", "a/b", "x".repeat(65)])("refuses the name %j", (name) => {
    expect(() => newAgentFile(name)).toThrow(RetinueError);
  });
});

describe("formatAgent", () => {
  test("gives for every built-in agent a file that is the same agent", async () => {
    for (const agent of (await readBuiltinAgents()).values()) expect(parseAgent(formatAgent(agent), "a.md")).toEqual(agent);
  });
});
