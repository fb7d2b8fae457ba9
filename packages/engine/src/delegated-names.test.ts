/** Names of agents and tools as models write them in a delegation. */
import type { Json, RecordedEvent } from "@retinue/protocol";
import { defineTool } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { askedOf, createTestEngine, testAgent } from "./testing/test-engine.ts";

const tools = ["read", "grep"].map((name) =>
  defineTool({ name, description: "Looks.", input: z.object({}), effect: "read", execute: () => "seen" }),
);
const AGENTS = [
  testAgent("lead", { delegates: ["code-search", "summarize-document", "executor"], tools: [], grant: "session" }),
  testAgent("code-search", { tools: ["read", "grep"] }),
  testAgent("summarize-document", { tools: ["read"] }),
  testAgent("executor", { aliases: ["coder"], tools: ["read"] }),
];

const delegateWith = async (input: Record<string, Json>, tool = "delegate_to_agent") => {
  const { start, log } = createTestEngine({
    agents: AGENTS,
    tools,
    script: (request, answered) =>
      askedOf(request).agent === "lead" && answered === 0 ? { toolCalls: [{ tool, input }] } : { text: "Done." },
  });
  const { sessionId, result } = await start("go");
  await result;
  const events = log.read(sessionId);
  const child = events.find(
    (event): event is Extract<RecordedEvent, { type: "run.requested" }> => event.type === "run.requested" && event.depth === 1,
  );
  const settled = events.find(
    (event): event is Extract<RecordedEvent, { type: "tool.settled" }> => event.type === "tool.settled",
  );
  const [part] = settled?.content ?? [];
  return { child, error: settled?.error?.code, said: part?.type === "text" ? part.text : "" };
};

describe("an agent is started by whatever name a model has for it", () => {
  for (const [input, name] of [
    [{ agent: "CodeSearch" }, "code-search"],
    [{ skill_name: "summarize_document" }, "summarize-document"],
    [{ role: "Coder" }, "executor"],
    [{ agent: "subagents/executor" }, "executor"],
    [{ subagent_type: "code_search" }, "code-search"],
  ] as const)
    test(JSON.stringify(input), async () => {
      expect((await delegateWith({ ...input, task: "x" })).child?.agent).toBe(name);
    });

  test("also as a tool of its own", async () => {
    expect((await delegateWith({ task: "x" }, "CodeSearch")).child?.agent).toBe("code-search");
  });
});

describe("the tools of a delegation", () => {
  test("are named as on the command line", async () => {
    expect((await delegateWith({ agent: "code-search", task: "x", tools: ["Read", "search"] })).child?.spec.tools).toEqual([
      "read",
      "grep",
    ]);
  });

  test("are answered, and nothing is run, where they leave nothing", async () => {
    for (const list of [["bash"], []]) {
      const { child, error, said } = await delegateWith({ agent: "code-search", task: "x", tools: list });
      expect(child).toBeUndefined();
      expect(error).toBe("tool_unknown");
      expect(JSON.parse(said)).toMatchObject({ error: expect.stringContaining("It has: read, grep."), currentDepth: 0 });
    }
  });
});
