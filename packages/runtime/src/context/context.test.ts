import { createScriptedModel } from "@retinue/model/testing";
import type { Message } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { estimateMessage } from "./estimate.ts";
import { runTest, toRecordedLines } from "../testing/index.ts";
import { defineTool } from "../loop/tool.ts";

const big = defineTool({
  name: "big",
  description: "Says much.",
  input: z.object({ n: z.int(), chars: z.int() }),
  effect: "read",
  execute: ({ n, chars }) => `output ${n} `.padEnd(chars, "x"),
});

const steps =
  (count: number, chars: number) => (request: { readonly tools: readonly unknown[]; readonly messages: readonly Message[] }) => {
    if (request.tools.length === 0) return { text: "Notes: nothing yet." };
    const done = request.messages.filter((message) => message.role === "tool").length + summarised(request.messages);
    return done < count ? { toolCalls: [{ tool: "big", input: { n: done, chars }, callId: `c${done}` }] } : { text: "Done." };
  };

/** The script is a pure function of the request, so that it reads from the summaries how far it was. */
let folded = 0;
const summarised = (messages: readonly Message[]): number =>
  JSON.stringify(messages).includes("[summary of earlier work]") ? folded : 0;

const sizeOf = (messages: readonly Message[]): number => messages.reduce((sum, message) => sum + estimateMessage(message), 0);

describe("a conversation stays inside contextTokens", () => {
  test("by clearing the oldest outputs first; system, task and the latest turns stay whole", async () => {
    const model = createScriptedModel(steps(12, 1_600));
    const { events, result } = await runTest({ models: [model], tools: [big], spec: { limits: { contextTokens: 2_500 } } });
    expect(result.status).toBe("completed");
    const fitted = events.filter((event) => event.type === "context.fitted");
    expect(fitted.length).toBeGreaterThan(0);
    expect(fitted.every((event) => event.summary === undefined)).toBe(true);
    for (const request of model.requests) {
      expect(sizeOf(request.messages)).toBeLessThanOrEqual(2_500);
      expect(request.messages[0]).toEqual({ role: "user", content: [{ type: "text", text: "Do it." }] });
      const outputs = request.messages.filter((message) => message.role === "tool").slice(-2);
      for (const output of outputs) expect(JSON.stringify(output)).not.toContain("was cleared");
    }
  });

  test("or not at all: a summary that is longer than what it would stand for is paid for in the record, too", async () => {
    const model = createScriptedModel((request, answered) => {
      if (request.tools.length === 0) return { text: "Notes ".padEnd(2_000, "z"), usage: { input: 50, output: 500 } };
      const toolCalls = [{ tool: "big", input: { n: answered, chars: 10 }, callId: `c${answered}` }];
      // What was said cannot be cleared.
      return answered === 0 ? { toolCalls } : { text: "Thinking ".padEnd(8_000, "y"), toolCalls };
    });
    const limits = { contextTokens: 3_000, iterations: 9 };
    const { events, result } = await runTest({ models: [model], tools: [big], spec: { limits } });
    expect(result).toMatchObject({ status: "partial", bailoutReason: "max_context" });
    expect(events.filter((event) => event.type === "context.fitted" && event.summary !== undefined)).toHaveLength(1);
    expect(result.usage).toEqual(result.total?.usage);
  });

  test("then by summarising the middle, with a model, and the record says so", async () => {
    const model = createScriptedModel((request, answered) => {
      if (request.tools.length === 0) return { text: "Notes: read much.", usage: { input: 50, output: 5 } };
      const said = JSON.stringify(request.messages);
      if (said.includes("Notes: read much.") && answered >= 3) return { text: "Done." };
      // Long arguments cannot be cleared, so that only a summary helps.
      return {
        text: `Thinking ${said.length} `.padEnd(1_600, "y"),
        toolCalls: [{ tool: "big", input: { n: said.length, chars: 10 } }],
      };
    });
    const { events, result } = await runTest({ models: [model], tools: [big], spec: { limits: { contextTokens: 2_500 } } });
    expect(result.status).toBe("completed");
    const summaries = events.flatMap((event) => (event.type === "context.fitted" && event.summary ? [event.summary] : []));
    expect(summaries.length).toBeGreaterThan(0);
    expect(summaries[0]).toMatchObject({
      text: "[summary of earlier work]\nNotes: read much.",
      model: "scripted/model",
      usage: { input: 50, output: 5 },
    });
    expect(result.usage.input).toBe(50 * summaries.length);
    for (const request of model.requests.filter(({ tools }) => tools.length > 0))
      expect(sizeOf(request.messages)).toBeLessThanOrEqual(2_500);
  });

  test("the summary is written by the cheap model where one is set", async () => {
    const cheap = createScriptedModel(() => ({ text: "Cheap notes." }), { id: "cheap/model" });
    const model = createScriptedModel((request) => {
      const said = JSON.stringify(request.messages);
      return said.includes("Cheap notes.")
        ? { text: "Done." }
        : { text: `T${said.length}`.padEnd(1_600, "y"), toolCalls: [{ tool: "big", input: { n: said.length, chars: 10 } }] };
    });
    const { events, result } = await runTest({
      models: [model, cheap],
      tools: [big],
      spec: { limits: { contextTokens: 2_500 }, summaryModel: "cheap/model", fallbacks: [] },
    });
    expect(result.status).toBe("completed");
    expect(events.find((event) => event.type === "context.fitted")).toMatchObject({ summary: { model: "cheap/model" } });
  });

  test("where no model can summarise, the calls are listed instead and the run goes on", async () => {
    const model = createScriptedModel((request) => {
      if (request.tools.length === 0) return { error: "model_overloaded" as const };
      const said = JSON.stringify(request.messages);
      return said.includes("could not be summarised")
        ? { text: "Done." }
        : { text: `T${said.length}`.padEnd(1_600, "y"), toolCalls: [{ tool: "big", input: { n: said.length, chars: 10 } }] };
    });
    const { events, result } = await runTest({ models: [model], tools: [big], spec: { limits: { contextTokens: 2_500 } } });
    expect(result.status).toBe("completed");
    expect(events.find((event) => event.type === "context.fitted" && event.summary)).toMatchObject({
      summary: { model: "none" },
    });
  });

  test("a task that is too large alone ends the run before anything is asked", async () => {
    const model = createScriptedModel([]);
    const { events, result } = await runTest({
      models: [model],
      task: "x".repeat(20_000),
      spec: { limits: { contextTokens: 1_000 } },
    });
    expect(model.requests).toEqual([]);
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      expect.stringMatching(/^limit.reached contextTokens/),
      "run.settled partial max_context",
    ]);
    expect(result.status).toBe("partial");
  });

  test("what the provider measured corrects the estimate", async () => {
    const model = createScriptedModel([
      { toolCalls: [{ tool: "big", input: { n: 1, chars: 400 }, callId: "c1" }], usage: { input: 5_000, output: 50 } },
      { text: "Done.", usage: { input: 5_200, output: 10 } },
    ]);
    const { events, result } = await runTest({ models: [model], tools: [big] });
    const requested = events.flatMap((event) => (event.type === "model.requested" ? [event.estimatedTokens] : []));
    expect(requested[0]).toBeLessThan(200);
    expect(requested[1]).toBe(5_050 + 4 + 100);
    expect(result.contextTokens).toBe(5_210);
  });

  test("the model's own window counts too", async () => {
    const model = createScriptedModel(steps(12, 1_600), { contextWindow: 6_000 });
    const { events } = await runTest({ models: [model], tools: [big] });
    expect(events.some((event) => event.type === "context.fitted")).toBe(true);
    for (const request of model.requests) expect(sizeOf(request.messages)).toBeLessThanOrEqual(3_000);
  });
});

describe("a long output never enters the context whole", () => {
  test("head and tail stay, the whole is kept as an artifact that the model is told of", async () => {
    const model = createScriptedModel([
      { toolCalls: [{ tool: "big", input: { n: 1, chars: 100_000 }, callId: "c1" }] },
      { text: "Done." },
    ]);
    const { events, artifacts } = await runTest({ models: [model], tools: [big] });
    const settled = events.find((event) => event.type === "tool.settled");
    expect(settled).toMatchObject({ artifact: { artifactId: "art_1", chars: 100_000, lines: 1 } });
    expect(artifacts.get("art_1")).toHaveLength(100_000);
    const [part] = model.requests[1]?.messages.at(-1)?.content ?? [];
    const text = part?.type === "text" ? part.text : "";
    expect(text.length).toBeLessThan(16_000);
    expect(text).toMatch(/^output 1 x+/);
    expect(text).toContain('"artifact:art_1"');
  });

  test("a cut never breaks a surrogate pair", async () => {
    const emoji = defineTool({
      name: "emoji",
      description: "",
      input: z.object({}),
      effect: "read",
      execute: () => "a" + "😀".repeat(20_000),
    });
    const model = createScriptedModel([{ toolCalls: [{ tool: "emoji", input: {} }] }, { text: "Done." }]);
    const { events } = await runTest({ models: [model], tools: [emoji] });
    const settled = events.find((event) => event.type === "tool.settled");
    const [part] = settled?.content ?? [];
    expect(part?.type === "text" && part.text.isWellFormed()).toBe(true);
  });
});
