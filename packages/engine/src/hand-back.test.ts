/** What a sub-agent hands back, as its parent's model reads it. */
import type { ModelRequest } from "@retinue/model/contract";
import type { JsonObject, RunResult } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { defineTool } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { TestEngine, TestEngineOptions } from "./testing/test-engine.ts";
import { askedOf, createTestEngine, delegateTo, testAgent } from "./testing/test-engine.ts";

const STEPS = Array.from(
  { length: 12 },
  (_, index) =>
    `${index + 1}. Change src/module-${index + 1}.ts: ${"make it do what the goal asks for, carefully; ".repeat(11)}done.`,
);
const PLAN = STEPS.join("\n");

const parent = testAgent("lead", { delegates: ["planner", "helper"], tools: [], grant: "session" });

/** The model's latest message as the parent read it. */
const lastRead = (requests: readonly ModelRequest[], agent = "lead"): string => {
  const last = requests.filter((request) => askedOf(request).agent === agent).at(-1);
  const [part] = last?.messages.at(-1)?.content ?? [];
  return part?.type === "text" ? part.text : "";
};

const lastReport = (requests: readonly ModelRequest[], agent?: string): JsonObject =>
  JSON.parse(lastRead(requests, agent)) as JsonObject;

const textAt = (report: JsonObject, key: string): string => {
  const text = report[key];
  return typeof text === "string" ? text : "";
};

type Handing = {
  readonly child?: Partial<AgentDefinition>;
  readonly answer: string;
  readonly call?: JsonObject;
  readonly more?: Partial<TestEngineOptions>;
};

const handOver = async ({
  child = {},
  answer,
  call = {},
  more = {},
}: Handing): Promise<TestEngine & { readonly result: RunResult }> => {
  const tried = createTestEngine({
    agents: [parent, testAgent("planner", { tools: [], ...child })],
    script: (request, answered) => {
      const { agent } = askedOf(request);
      if (agent === "planner") return { text: answer };
      if (agent === "lead") return answered === 0 ? { toolCalls: [delegateTo("planner", "plan it", call)] } : { text: "Done." };
      return { text: "A short summary by the cheap model." };
    },
    ...more,
  });
  return { ...tried, result: await (await tried.start("go")).result };
};

describe("an answer", () => {
  test("of 6,000 characters reaches the parent whole", async () => {
    expect(PLAN.length).toBeGreaterThan(6_000);
    const { model } = await handOver({ answer: PLAN });
    const report = lastReport(model.requests);
    expect(report["details"]).toBe(PLAN);
    expect(report["summary"]).toBeUndefined();
  });

  test("that is longer than may enter is cut in its middle, and the whole of it can be read as an artifact", async () => {
    const { model, log } = await handOver({ answer: PLAN, more: { engine: { resultTokens: 500 } } });
    const details = textAt(lastReport(model.requests), "details");
    expect(details.length).toBeLessThan(2_200);
    expect(details).toContain(STEPS[0]?.slice(0, 60));
    expect(details).toContain(PLAN.slice(-100));
    const [, artifactId = ""] = /"artifact:(art_[^"]+)"/.exec(details) ?? [];
    expect(log.readArtifact("ses_1", artifactId as "art_x")).toBe(PLAN);
  });

  test("enters by what the agent says, and a call may only ask for less", async () => {
    const lengthOf = async (child: Partial<AgentDefinition>, call: JsonObject): Promise<number> =>
      lastRead((await handOver({ child, call, answer: PLAN })).model.requests).length;
    expect(await lengthOf({ resultTokens: 300 }, {})).toBeLessThan(1_800);
    expect(await lengthOf({}, { result_tokens: 300 })).toBeLessThan(1_800);
    expect(await lengthOf({ resultTokens: 300 }, { result_tokens: 10_000 })).toBeLessThan(1_800);
    expect(await lengthOf({ resultTokens: 20_000 }, {})).toBeGreaterThan(PLAN.length);
  });

  test("of several children in one turn takes no more than half of the parent's context", async () => {
    const lead = testAgent("lead", { delegates: ["planner"], tools: [], grant: "session", limits: { contextTokens: 4_000 } });
    const { start, model } = createTestEngine({
      agents: [lead, testAgent("planner", { tools: [] })],
      script: (request, answered) => {
        const { agent } = askedOf(request);
        if (agent === "planner") return { text: PLAN };
        return answered === 0 ? { toolCalls: [delegateTo("planner", "one"), delegateTo("planner", "two")] } : { text: "Done." };
      },
    });
    await (
      await start("go")
    ).result;
    const read = model.requests.findLast((request) => askedOf(request).agent === "lead")?.messages.slice(-2) ?? [];
    for (const message of read) expect(JSON.stringify(message).length).toBeLessThan(4_600);
  });

  test("with the sections that were asked for fills the fields, and no text of it stands in the report twice", async () => {
    const answer = [
      "## Summary",
      "Implemented JWT middleware.",
      "",
      "## Details",
      "`ValidateToken()` and `RefreshToken()` are there.",
      "",
      "## Warnings",
      "- The secret is read from the environment.",
      "",
      "## Suggestions",
      "- Consider adding rate limiting.",
      "- Add unit tests for edge cases.",
    ].join("\n");
    const { model } = await handOver({ answer });
    const report = lastReport(model.requests);
    expect(report).toMatchObject({
      status: "completed",
      agent: "planner",
      summary: "Implemented JWT middleware.",
      warnings: ["The secret is read from the environment."],
      suggestions: ["Consider adding rate limiting.", "Add unit tests for edge cases."],
      iterations: 1,
      toolCalls: 0,
      contextTokens: 110,
      depth: 1,
    });
    const text = JSON.stringify(report);
    for (const said of ["Implemented JWT", "RefreshToken", "secret is read", "rate limiting", "edge cases"])
      expect(text.split(said)).toHaveLength(2);
  });

  test("by a schema is handed over as the value alone", async () => {
    const output = { type: "object", properties: { steps: { type: "array" }, warnings: { type: "array" } } };
    const { model } = await handOver({ child: { output }, answer: '{"steps": ["a1b2"], "warnings": ["w9"]}' });
    const text = lastRead(model.requests);
    expect(JSON.parse(text)).toMatchObject({ output: { steps: ["a1b2"], warnings: ["w9"] } });
    for (const said of ["a1b2", "w9"]) expect(text.split(said)).toHaveLength(2);
  });
});

describe("what was done below", () => {
  const check = defineTool({
    name: "check",
    description: "Runs tests.",
    input: z.object({ passed: z.number() }),
    effect: "execute",
    execute: ({ passed }) => ({ content: [{ type: "text", text: "ran" }], tests: { run: 5, passed } }),
  });

  test("counts for everybody above, so that what is said of it is not marked", async () => {
    const agents = [
      testAgent("lead", { delegates: ["executor"], tools: [], grant: "session" }),
      testAgent("executor", { delegates: ["tester"], tools: [], grant: "session" }),
      testAgent("tester", { tools: ["check"] }),
    ];
    const { start, model } = createTestEngine({
      agents,
      tools: [check],
      script: (request, answered) => {
        switch (askedOf(request).agent) {
          case "lead":
            return answered === 0 ? { toolCalls: [delegateTo("executor", "do it")] } : { text: "Done: all tests pass." };
          case "executor":
            return answered === 0 ? { toolCalls: [delegateTo("tester", "test it")] } : { text: "All 5 tests pass." };
          default:
            return answered < 2
              ? { toolCalls: [{ tool: "check", input: { passed: answered === 0 ? 3 : 5 } }] }
              : { text: "3 of 5 passed at first, now all 5 tests pass." };
        }
      },
    });
    const result = await (await start("go")).result;
    expect(lastReport(model.requests)).toMatchObject({ testsRun: 10, testsPassed: 8, latestTests: { run: 5, passed: 5 } });
    expect(result).toMatchObject({ testsRun: 10, testsPassed: 8, unverified: [] });
    for (const agent of ["lead", "executor"]) expect(lastReport(model.requests, agent)["unverified"]).toBeUndefined();
  });
});

describe("summarize", () => {
  test("model: the parent reads a summary by the cheap model, and the original is an artifact", async () => {
    const { model, log, result } = await handOver({ child: { summarize: "model" }, answer: PLAN });
    const report = lastReport(model.requests);
    expect(report["summary"]).toBe("A short summary by the cheap model.");
    expect(report["details"]).toBeUndefined();
    const [, artifactId = ""] = /artifact:(art_\S+)/.exec(textAt(report, "whole")) ?? [];
    expect(log.readArtifact("ses_1", artifactId as "art_x")).toBe(PLAN);
    expect(result.usage.input).toBe(300);
  });

  test("a function: the parent reads what it makes of the result", async () => {
    const summarize = (result: RunResult): string => `${result.details.split("\n").length} steps`;
    const { model } = await handOver({ child: { summarize }, answer: PLAN });
    expect(lastReport(model.requests)["summary"]).toBe("12 steps");
  });

  test("a function that throws leaves the answer as it is", async () => {
    const summarize = (): string => {
      throw new Error("no");
    };
    const { model } = await handOver({ child: { summarize }, answer: PLAN });
    expect(lastReport(model.requests)["details"]).toBe(PLAN);
  });
});

describe("the form of S4", () => {
  test("is what the caller of a skill reads", async () => {
    const { model } = await handOver({ child: { reportAs: "skill" }, answer: "agent response" });
    expect(lastReport(model.requests)).toEqual({ status: "ok", skill: "planner", result: "agent response", depth: 1 });
  });

  test("is what whoever names a skill_name reads", async () => {
    const { start, model } = createTestEngine({
      agents: [parent, testAgent("planner", { tools: [] })],
      script: (request, answered) => {
        if (askedOf(request).agent === "planner") return { text: "agent response" };
        const input = { skill_name: "Planner", task: "x" };
        return answered === 0 ? { toolCalls: [{ tool: "delegate_to_agent", input }] } : { text: "Done." };
      },
    });
    await (
      await start("go")
    ).result;
    expect(lastReport(model.requests)).toEqual({ status: "ok", skill: "Planner", result: "agent response", depth: 1 });
  });
});

describe("what cannot be delegated is a value with error and currentDepth", () => {
  test("an agent that there is not", async () => {
    const { start, model } = createTestEngine({
      agents: [parent, testAgent("planner")],
      script: (_, answered) => (answered === 0 ? { toolCalls: [delegateTo("nobody", "x")] } : { text: "Done." }),
    });
    await (
      await start("go")
    ).result;
    const report = lastReport(model.requests);
    expect(report["error"]).toMatch(/^agent_unknown: .*planner/);
    expect(report["currentDepth"]).toBe(0);
  });

  test("beyond the deepest depth, where the model does not read that there is no such tool", async () => {
    const helper = testAgent("helper", { delegates: ["planner"], tools: [] });
    const { start, model } = createTestEngine({
      agents: [parent, helper, testAgent("planner", { tools: [] })],
      grant: { maxDepth: 1 },
      script: (request, answered) => {
        const target = askedOf(request).agent === "lead" ? "helper" : "planner";
        return answered === 0 ? { toolCalls: [delegateTo(target, `to ${target}`)] } : { text: "Done." };
      },
    });
    await (
      await start("go")
    ).result;
    const text = lastRead(model.requests, "helper");
    expect(JSON.parse(text)).toEqual({ status: "failed", error: expect.stringMatching(/^depth_exceeded: /), currentDepth: 1 });
    expect(text).not.toContain("no tool");
  });
});
