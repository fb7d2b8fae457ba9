import { createScriptedModel } from "@retinue/model/testing";
import { RetinueError } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createManualClock, runTest, toRecordedLines } from "../testing/index.ts";
import { defineTool } from "./tool.ts";

const echo = defineTool({ name: "echo", description: "Echo.", input: z.object({}), effect: "read", execute: () => "ok" });
const reason = new RetinueError("cancelled", "Stopped by the user.");

describe("a cancelled run ends at once, with every call settled and a result", () => {
  test("before it begins", async () => {
    const { events, result } = await runTest({ models: [createScriptedModel([])], signal: AbortSignal.abort(reason) });
    expect(toRecordedLines(events)).toEqual(["run.started", "run.settled cancelled cancelled"]);
    expect(result).toMatchObject({ status: "cancelled", error: { code: "cancelled", message: "Stopped by the user." } });
  });

  test("while the model is silent", async () => {
    const stop = new AbortController();
    const model = createScriptedModel([{ before: () => new Promise(() => queueMicrotask(() => stop.abort(reason))) }]);
    const { events } = await runTest({ models: [model], signal: stop.signal });
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      "run.settled cancelled cancelled",
    ]);
  });

  test("in the middle of a stream", async () => {
    const stop = new AbortController();
    const model = createScriptedModel([{ text: "abcdef", chunkSize: 2 }]);
    const { events } = await runTest({
      models: [model],
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === "model.delta") stop.abort(reason);
      },
    });
    expect(events.filter((event) => event.type === "model.delta")).toHaveLength(1);
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      "run.settled cancelled cancelled",
    ]);
  });

  test("between the answer and its calls", async () => {
    const stop = new AbortController();
    const model = createScriptedModel([
      {
        toolCalls: [{ tool: "echo", input: {}, callId: "c1" }],
        beforeAnswer: async () => queueMicrotask(() => stop.abort(reason)),
      },
    ]);
    const { events } = await runTest({ models: [model], tools: [echo], signal: stop.signal });
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      "model.answered 1 scripted/model tool-calls",
      "tool.settled c1 echo cancelled cancelled",
      "run.settled cancelled cancelled",
    ]);
  });

  test("while tools work", async () => {
    const stop = new AbortController();
    const wait = defineTool({
      name: "wait",
      description: "Waits.",
      input: z.object({ n: z.int() }),
      effect: "read",
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
    });
    const model = createScriptedModel([{ toolCalls: [1, 2].map((n) => ({ tool: "wait", input: { n }, callId: `c${n}` })) }]);
    const { events } = await runTest({
      models: [model],
      tools: [wait],
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === "tool.started" && event.callId === "c2") setImmediate(() => stop.abort(reason));
      },
    });
    expect(toRecordedLines(events).slice(3)).toEqual([
      "tool.started c1 wait",
      "tool.started c2 wait",
      "tool.settled c1 wait cancelled cancelled",
      "tool.settled c2 wait cancelled cancelled",
      "run.settled cancelled cancelled",
    ]);
  });

  for (const [effect, outcome] of [
    ["read", "cancelled"],
    ["write", "unknown"],
  ] as const)
    test(`a tool with effect ${effect} that ignores the stop is left behind, and its outcome is ${outcome}`, async () => {
      const stop = new AbortController();
      const clock = createManualClock();
      const deaf = defineTool({
        name: "deaf",
        description: "Does not listen.",
        input: z.object({}),
        effect,
        execute: () => {
          queueMicrotask(() => {
            stop.abort(reason);
            clock.advance(3_000);
          });
          return new Promise(() => undefined);
        },
      });
      const model = createScriptedModel([{ toolCalls: [{ tool: "deaf", input: {}, callId: "c1" }] }]);
      const { events } = await runTest({ models: [model], tools: [deaf], clock, signal: stop.signal });
      expect(toRecordedLines(events).slice(3)).toEqual([
        "tool.started c1 deaf",
        `tool.settled c1 deaf ${outcome} cancelled`,
        "run.settled cancelled cancelled",
      ]);
    });

  test("while a human is asked: the act does not happen, and a late answer has no effect", async () => {
    const stop = new AbortController();
    let acted = 0;
    const act = defineTool({
      name: "act",
      description: "Acts.",
      input: z.object({}),
      effect: "execute",
      execute: () => String(++acted),
    });
    const model = createScriptedModel([{ toolCalls: [{ tool: "act", input: {}, callId: "c1" }] }]);
    const { events } = await runTest({
      models: [model],
      tools: [act],
      approveMode: "ask",
      signal: stop.signal,
      approve: async () => {
        stop.abort(reason);
        return { allowed: true };
      },
    });
    expect(toRecordedLines(events).slice(3)).toEqual([
      "approval.requested act",
      "tool.settled c1 act cancelled cancelled",
      "run.settled cancelled cancelled",
    ]);
    expect(acted).toBe(0);
  });

  test("a tool that takes longer than its time is ended and answered, and the run goes on", async () => {
    const clock = createManualClock();
    const slow = defineTool({
      name: "slow",
      description: "Slow.",
      input: z.object({}),
      effect: "read",
      timeoutMs: 100,
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("stopped")));
          queueMicrotask(() => clock.advance(100));
        }),
    });
    const model = createScriptedModel([{ toolCalls: [{ tool: "slow", input: {}, callId: "c1" }] }, { text: "Too slow." }]);
    const { events, result } = await runTest({ models: [model], tools: [slow], clock });
    expect(toRecordedLines(events)).toContain("tool.settled c1 slow error tool_timeout");
    expect(result.status).toBe("completed");
  });
});
