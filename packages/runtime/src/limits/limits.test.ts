import { createScriptedModel } from "@retinue/model/testing";
import type { Limits } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createManualClock, runTest, toRecordedLines } from "../testing/index.ts";
import { defineTool } from "../loop/tool.ts";

let calls = 0;
const step = defineTool({
  name: "step",
  description: "One more step.",
  input: z.object({ n: z.int() }),
  effect: "read",
  execute: ({ n }) => {
    calls += 1;
    return `step ${n}`;
  },
});

/** A model that would go on for ever, and hands in when it is told to. */
const endless = (usage = { input: 100, output: 10 }, price = () => 0 as number | null) =>
  createScriptedModel(
    (request, answered) =>
      request.toolChoice === "none"
        ? { text: "This is what I have.", usage }
        : { toolCalls: [{ tool: "step", input: { n: answered }, callId: `c${answered}` }], usage },
    { price },
  );

const runEndless = (limits: Limits, model = endless()) => {
  calls = 0;
  return runTest({ models: [model], tools: [step], spec: { limits } });
};

describe("every limit is hard, and a run that reaches one hands in what it has", () => {
  test("iterations", async () => {
    const { events, result } = await runEndless({ iterations: 2 });
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      "model.answered 1 scripted/model tool-calls",
      "tool.started c0 step",
      "tool.settled c0 step ok",
      "model.requested 2 scripted/model",
      "model.answered 2 scripted/model tool-calls",
      "tool.started c1 step",
      "tool.settled c1 step ok",
      "limit.reached iterations 2/2",
      "model.requested 3 scripted/model hand-in",
      "model.answered 3 scripted/model stop",
      "run.settled partial max_iterations",
    ]);
    expect(result).toMatchObject({
      status: "partial",
      bailoutReason: "max_iterations",
      summary: "This is what I have.",
      iterations: 2,
      toolCalls: 2,
      error: { code: "limit_reached" },
    });
  });

  test("toolCalls: the call that would be one too many is not run", async () => {
    const model = createScriptedModel([
      { toolCalls: [1, 2, 3].map((n) => ({ tool: "step", input: { n }, callId: `c${n}` })) },
      { text: "This is what I have.", expect: ({ toolChoice }) => toolChoice === "none" },
    ]);
    const { events, result } = await runEndless({ toolCalls: 2 }, model);
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      "model.answered 1 scripted/model tool-calls",
      "limit.reached toolCalls 2/2",
      "tool.settled c3 step error tool_not_run",
      "tool.started c1 step",
      "tool.started c2 step",
      "tool.settled c1 step ok",
      "tool.settled c2 step ok",
      "model.requested 2 scripted/model hand-in",
      "model.answered 2 scripted/model stop",
      "run.settled partial max_tool_calls",
    ]);
    expect(calls).toBe(2);
    expect(result).toMatchObject({ status: "partial", bailoutReason: "max_tool_calls", toolCalls: 2 });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "user" });
  });

  test("toolCalls: none at all", async () => {
    const { result } = await runEndless({ toolCalls: 0 });
    expect(calls).toBe(0);
    expect(result).toMatchObject({ status: "partial", bailoutReason: "max_tool_calls", toolCalls: 0 });
  });

  test("tokens: the sum of all calls, the hand-in among them, stays below", async () => {
    const { events, result } = await runEndless({ tokens: 1_000 });
    expect(result).toMatchObject({ status: "partial", bailoutReason: "max_tokens", summary: "This is what I have." });
    expect(result.usage.input + result.usage.output).toBeLessThanOrEqual(1_000);
    expect(result.iterations).toBeGreaterThan(3);
    expect(toRecordedLines(events).slice(-4)).toEqual([
      expect.stringMatching(/^limit.reached tokens \d+\/1000$/),
      expect.stringMatching(/hand-in$/),
      expect.stringMatching(/^model.answered/),
      "run.settled partial max_tokens",
    ]);
  });

  test("tokens: what a call may write is cut to what is left", async () => {
    const model = endless();
    await runEndless({ tokens: 1_000 }, model);
    for (const request of model.requests) expect(request.maxOutputTokens).toBeLessThanOrEqual(500);
  });

  test("tokens: a budget too small for a single call makes none", async () => {
    const model = endless();
    const { events, result } = await runEndless({ tokens: 20 }, model);
    expect(model.requests).toEqual([]);
    expect(toRecordedLines(events)).toEqual(["run.started", "limit.reached tokens 0/20", "run.settled partial max_tokens"]);
    expect(result.summary).toContain("limit tokens");
  });

  test("costUsd: the sum of all calls, the hand-in among them, stays below", async () => {
    const price = ({ input, output }: { input: number; output: number }) => (input + output) / 1_000;
    const { result } = await runEndless({ costUsd: 3 }, createScriptedModel(endlessScript, { price }));
    expect(result).toMatchObject({ status: "partial", bailoutReason: "max_cost", summary: "This is what I have." });
    expect(result.costUsd).toBeLessThanOrEqual(3);
    expect(result.costUsd).toBeGreaterThan(1);
  });

  test("costUsd: with a model of unknown price the run refuses to spend", async () => {
    const model = endless(undefined, () => null);
    const { result } = await runEndless({ costUsd: 3 }, model);
    expect(model.requests).toEqual([]);
    expect(result).toMatchObject({ status: "failed", error: { code: "price_unknown" } });
  });

  test("durationMs: a call under way is stopped, and the hand-in has the time that was kept back", async () => {
    const clock = createManualClock();
    const wait = defineTool({
      name: "wait",
      description: "Waits until told to stop.",
      input: z.object({}),
      effect: "read",
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("stopped")));
          queueMicrotask(() => clock.advance(900));
        }),
    });
    const model = createScriptedModel([
      { toolCalls: [{ tool: "wait", input: {}, callId: "c1" }] },
      { text: "This is what I have.", expect: ({ toolChoice }) => toolChoice === "none" },
    ]);
    const { events, result } = await runTest({ models: [model], tools: [wait], spec: { limits: { durationMs: 1_000 } }, clock });
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      "model.answered 1 scripted/model tool-calls",
      "tool.started c1 wait",
      "tool.settled c1 wait cancelled cancelled",
      "limit.reached durationMs 900/1000",
      "model.requested 2 scripted/model hand-in",
      "model.answered 2 scripted/model stop",
      "run.settled partial timeout",
    ]);
    expect(result).toMatchObject({ status: "partial", bailoutReason: "timeout", durationMs: 900 });
  });

  test("durationMs: a model that never answers is stopped, twice, and the run has timed out", async () => {
    const clock = createManualClock();
    const silentFor = (ms: number) => (): Promise<never> => {
      queueMicrotask(() => clock.advance(ms));
      return new Promise(() => undefined);
    };
    const model = createScriptedModel([{ before: silentFor(800) }, { before: silentFor(200) }]);
    const { events, result } = await runTest({ models: [model], spec: { limits: { durationMs: 1_000 } }, clock });
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      "limit.reached durationMs 800/1000",
      "model.requested 1 scripted/model hand-in",
      "run.settled timeout timeout",
    ]);
    expect(result.durationMs).toBeLessThanOrEqual(1_000);
  });

  test("durationMs: waiting for a human does not count", async () => {
    const clock = createManualClock();
    const act = defineTool({ name: "act", description: "Acts.", input: z.object({}), effect: "execute", execute: () => "done" });
    const model = createScriptedModel([{ toolCalls: [{ tool: "act", input: {} }] }, { text: "Done." }]);
    const { result } = await runTest({
      models: [model],
      tools: [act],
      spec: { limits: { durationMs: 1_000 } },
      approveMode: "ask",
      clock,
      approve: async () => {
        clock.advance(3_600_000);
        return { allowed: true };
      },
    });
    expect(result).toMatchObject({ status: "completed", durationMs: 0 });
  });

  test("a hand-in that fails leaves the run partial, with what was said before", async () => {
    const model = createScriptedModel([
      { text: "So far so good.", toolCalls: [{ tool: "step", input: { n: 1 } }] },
      { error: "model_overloaded" },
    ]);
    const { result } = await runEndless({ iterations: 1 }, model);
    expect(result).toMatchObject({ status: "partial", bailoutReason: "max_iterations", summary: "So far so good." });
  });

  test("tools that are called in the hand-in are not run", async () => {
    const model = createScriptedModel([
      { toolCalls: [{ tool: "step", input: { n: 1 } }] },
      { text: "One more!", toolCalls: [{ tool: "step", input: { n: 2 } }] },
    ]);
    const { result } = await runEndless({ iterations: 1 }, model);
    expect(calls).toBe(1);
    expect(result).toMatchObject({ status: "partial", summary: "One more!" });
  });
});

const endlessScript = ({ toolChoice }: { toolChoice: string }, answered: number) =>
  toolChoice === "none"
    ? { text: "This is what I have.", usage: { input: 100, output: 10 } }
    : { toolCalls: [{ tool: "step", input: { n: answered } }], usage: { input: 100, output: 10 } };
