/** What a model reads when it delegates at the greatest depth, or to nobody, by whatever way it asks. */
import type { Json } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { askedOf, createTestEngine, testAgent } from "./testing/test-engine.ts";

const AGENTS = [
  testAgent("lead", { delegates: ["helper"], tools: [], grant: "session" }),
  testAgent("helper", { delegates: ["code-search", "executor"], tools: [], grant: "session" }),
  testAgent("code-search", { tools: [] }),
  testAgent("executor", { aliases: ["coder"], tools: [] }),
];

/** What the helper reads of its one call. */
const ask = async (tool: string, input: Record<string, Json>, maxDepth = 1) => {
  const { start, model } = createTestEngine({
    agents: AGENTS,
    grant: { maxDepth },
    script: (request, answered) => {
      if (answered > 0) return { text: "Done." };
      return askedOf(request).agent === "lead"
        ? { toolCalls: [{ tool: "delegate_to_agent", input: { agent: "helper", task: "help" } }] }
        : { toolCalls: [{ tool, input }] };
    },
  });
  await (
    await start("go")
  ).result;
  const read = model.requests
    .filter((request) => askedOf(request).agent === "helper")
    .flatMap(({ messages }) => messages)
    .findLast((message) => message.role === "tool");
  const [part] = read?.content ?? [];
  const offered = model.requests.find((request) => askedOf(request).agent === "helper")?.tools.map(({ name }) => name);
  return { text: part?.type === "text" ? part.text : "", offered };
};

describe("at the greatest depth the model reads a value, and never that there is no tool", () => {
  for (const [tool, input] of [
    ["delegate_to_agent", { agent: "code-search", task: "x" }],
    ["delegate_to_agent", { role: "Coder", task: "x" }],
    ["delegate_to_agent", { skill_name: "code_search", task: "x" }],
    ["delegate_to_skill", { skill_name: "code_search", task: "x" }],
    ["delegate", { agent: "nobody", task: "x" }],
    ["spawn", { role: "executor", task: "x" }],
    ["spawn_subagent", { role: "executor", task: "x" }],
    ["Task", { subagent_type: "executor", prompt: "x" }],
    ["code-search", { task: "x" }],
    ["CodeSearch", { query: "x" }],
    ["code_search_agent/code-search", { query: "x" }],
    ["coder", { task: "x" }],
  ] as const)
    test(`${tool} ${JSON.stringify(input)}`, async () => {
      const { text, offered } = await ask(tool, input);
      const error: unknown = expect.stringMatching(/^depth_exceeded: .*depth 1, and 1 is the deepest/);
      expect(JSON.parse(text)).toEqual(
        "skill_name" in input ? { error, current_depth: 1 } : { status: "failed", error, currentDepth: 1 },
      );
      expect(text).not.toContain("no tool");
      expect(offered).toEqual([]);
    });

  test("a tool that is no agent is told of as before", async () => {
    expect((await ask("fly", {})).text).toContain('There is no tool "fly"');
  });
});

describe("an agent that there is not, or that may not be started", () => {
  for (const [tool, input] of [
    ["delegate_to_agent", { agent: "nobody", task: "x" }],
    ["delegate_to_skill", { skill_name: "nobody", task: "x" }],
    ["spawn", { role: "lead", task: "x" }],
  ] as const)
    test(`${tool} ${JSON.stringify(input)}`, async () => {
      const { text } = await ask(tool, input, 3);
      const error: unknown = expect.stringMatching(/^agent_unknown: .*code-search, executor/);
      expect(JSON.parse(text)).toEqual(
        "skill_name" in input ? { error, current_depth: 1 } : { status: "failed", error, currentDepth: 1 },
      );
    });
});
