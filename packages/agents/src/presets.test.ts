import { beforeAll, describe, expect, test } from "vitest";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { readBuiltinAgents } from "./builtin-agents.ts";
import { loadAgents } from "./load-agents.ts";
import type { PresetName } from "./presets.ts";
import { applyPreset, isPresetName, PRESET_NAMES, PRESETS } from "./presets.ts";

let agents: ReadonlyMap<string, AgentDefinition>;

beforeAll(async () => {
  agents = await readBuiltinAgents();
});

describe("presets", () => {
  test.each<[PresetName, string, Partial<AgentDefinition["limits"]>, Partial<AgentDefinition>]>([
    // S0
    [
      "s0",
      "qa-orchestrator",
      { contextTokens: 32_000 },
      { temperature: 0.1, maxOutputTokens: 4_096, tools: [], delegates: ["qa-step"] },
    ],
    [
      "s0",
      "qa-step",
      { contextTokens: 8_000, iterations: 15, durationMs: 180_000 },
      { temperature: 0.1, maxOutputTokens: 2_048 },
    ],
    // S1: budget, characters / 4, 300 s, can_spawn_subagents
    ["s1", "researcher", { toolCalls: 15, contextTokens: 12_500, durationMs: 300_000 }, { delegates: [] }],
    ["s1", "planner", { toolCalls: 10, contextTokens: 7_500, durationMs: 300_000 }, { delegates: [] }],
    ["s1", "executor", { toolCalls: 30, contextTokens: 20_000, durationMs: 300_000 }, { delegates: ["reviewer"] }],
    ["s1", "reviewer", { toolCalls: 15, contextTokens: 12_500, durationMs: 300_000 }, { delegates: [] }],
    ["s1", "tester", { toolCalls: 20, contextTokens: 12_500, durationMs: 300_000 }, { delegates: ["reviewer"] }],
    // S2, configuration summary; coder is executor here
    [
      "s2",
      "main",
      { iterations: 50, durationMs: 600_000 },
      { delegates: ["planner", "executor", "tester", "reviewer", "debugger"] },
    ],
    ["s2", "executor", { iterations: 30, durationMs: 300_000 }, { delegates: ["tester"] }],
    ["s2", "tester", { iterations: 20, durationMs: 180_000 }, { delegates: [] }],
    ["s2", "reviewer", { iterations: 10, durationMs: 120_000 }, { delegates: [] }],
    [
      "s2",
      "planner",
      { iterations: 15, durationMs: 180_000 },
      { delegates: ["executor", "tester", "reviewer"], grant: "session" },
    ],
    ["s2", "debugger", { iterations: 25, durationMs: 240_000 }, { delegates: [] }],
    // S3
    ["s3", "code-search", { iterations: 8 }, { tools: ["read", "glob", "grep", "ls"], delegates: [] }],
    ["s3", "code-review", { iterations: 6 }, { tools: ["read", "glob", "grep"], delegates: [] }],
    ["s3", "planner", { iterations: 6 }, { tools: ["read", "glob", "grep", "ls"], delegates: [] }],
    // S4
    [
      "s4",
      "project-manager",
      {},
      { temperature: 0.3, tools: [], delegates: ["general-assistant", "summarize-document"], grant: "session" },
    ],
  ])("%s puts the numbers of its design for %s in effect", (preset, name, limits, rest) => {
    const agent = applyPreset(agents, preset).get(name);
    expect(agent?.limits).toMatchObject(limits);
    expect(agent).toMatchObject(rest);
  });

  test("name only agents that there are", () => {
    const names = PRESET_NAMES.flatMap((preset) => Object.keys(PRESETS[preset]));
    expect(names.filter((name) => !agents.has(name))).toEqual([]);
  });

  test("leave alone what they do not name", () => {
    const before = agents.get("planner");
    const after = applyPreset(agents, "s2").get("planner");
    expect(after?.limits).toEqual({ ...before?.limits, iterations: 15 });
    expect(after?.prompt).toBe(before?.prompt);
    expect(applyPreset(agents, "s4").get("planner")).toEqual(before);
  });

  test("leave out the tool budget of another design that their iterations cannot reach", () => {
    expect(applyPreset(agents, "s2").get("reviewer")?.limits).toMatchObject({ iterations: 10 });
    expect(applyPreset(agents, "s2").get("reviewer")?.limits).not.toHaveProperty("toolCalls");
    expect(applyPreset(applyPreset(agents, "s2"), "s1").get("reviewer")?.limits).toMatchObject({ iterations: 16, toolCalls: 15 });
  });

  test("are switched on when agents are loaded, before any others are found", async () => {
    const { agents: loaded } = await loadAgents({ presets: ["s2"] });
    expect(loaded.get("planner")).toMatchObject({ limits: { iterations: 15 }, delegates: ["executor", "tester", "reviewer"] });
  });

  test("have names", () => {
    expect(isPresetName("s3")).toBe(true);
    expect(isPresetName("constructor")).toBe(false);
  });
});
