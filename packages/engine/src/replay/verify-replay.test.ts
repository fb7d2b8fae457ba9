import { createScriptedModel } from "@retinue/model/testing";
import type { ModelRequest } from "@retinue/model/contract";
import type { RecordedEvent } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import { createManualClock, defineTool } from "@retinue/runtime";
import type { TestRunOptions } from "@retinue/runtime/testing";
import { runTest } from "@retinue/runtime/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { verifyReplay } from "./verify-replay.ts";

let executed = 0;
const look = defineTool({
  name: "look",
  description: "Looks.",
  input: z.object({ n: z.int() }),
  effect: "read",
  execute: async ({ n }) => {
    executed += 1;
    // Later calls come back earlier.
    for (let turns = 10 - n; turns > 0; turns -= 1) await Promise.resolve();
    return `saw ${n} `.padEnd(n === 7 ? 40_000 : 10, "x");
  },
});
const put = defineTool({
  name: "put",
  description: "Puts.",
  input: z.object({ path: z.string() }),
  effect: "write",
  touches: ({ path }) => ({ paths: [path] }),
  execute: ({ path }) => {
    executed += 1;
    if (path === "bad") throw new Error("no such place");
    return { content: [{ type: "text", text: "put" }], files: { created: [path], modified: [] } };
  },
});
const tools: readonly AnyTool[] = [look, put];
const byName: ReadonlyMap<string, AnyTool> = new Map(tools.map((tool) => [tool.name, tool]));
const toolsOf = () => byName;

const many = (request: ModelRequest, answered: number) => {
  if (request.tools.length === 0) return { text: "Notes." };
  if (request.toolChoice === "none") return { text: "Handed in." };
  if (answered === 0)
    return { text: "Looking.", toolCalls: [1, 2, 3].map((n) => ({ tool: "look", input: { n }, callId: `a${n}` })) };
  if (answered === 1)
    return {
      toolCalls: [
        { tool: "nope", input: {}, callId: "b1" },
        { tool: "look", arguments: "{", callId: "b2" },
        { tool: "put", input: { path: "bad" }, callId: "b3" },
      ],
    };
  if (answered === 2)
    return {
      toolCalls: [
        { tool: "put", input: { path: "out.txt" }, callId: "c1" },
        { tool: "put", input: { path: "../x" }, callId: "c2" },
      ],
    };
  if (answered === 3) return { toolCalls: [{ tool: "look", input: { n: 7 }, callId: "d1" }] };
  return { text: "All done." };
};

const record = async (options: Partial<TestRunOptions> = {}): Promise<readonly RecordedEvent[]> => {
  const { log } = await runTest({ models: [createScriptedModel(many)], tools, ...options });
  executed = 0;
  return log;
};

const endless = () =>
  createScriptedModel(
    (request: ModelRequest, answered: number) =>
      request.toolChoice === "none"
        ? { text: "Handed in." }
        : { toolCalls: [{ tool: "look", input: { n: answered }, callId: `c${answered}` }], usage: { input: 100, output: 10 } },
    { price: () => 0.1 },
  );

/** Never summarises. Its answers are long, and so are the arguments of its calls, which a list of the calls repeats. */
const failingSummary = (argumentChars: number) =>
  createScriptedModel((request: ModelRequest, answered: number) => {
    if (request.tools.length === 0) return { error: "model_auth" };
    return answered < 8 && request.toolChoice !== "none"
      ? {
          text: `T${answered}`.padEnd(1_600, "y"),
          toolCalls: [{ tool: "look", arguments: `{"n":${answered}${" ".repeat(argumentChars)}}`, callId: `c${answered}` }],
        }
      : { text: "Done." };
  });

describe("a replay without models and tools gives the same events", () => {
  const cases: Record<string, () => Promise<readonly RecordedEvent[]>> = {
    "parallel calls, bad calls, failing and denied calls, long outputs": () => record(),
    "approvals, given and refused": () =>
      record({
        approveMode: "ask",
        approve: async ({ act }) => (act.callId === "c1" ? { allowed: true } : { allowed: false, reason: "no" }),
      }),
    "nobody to ask": () => record({ approveMode: "ask" }),
    iterations: () => record({ models: [endless()], spec: { limits: { iterations: 3 } } }),
    "tool calls": () => record({ spec: { limits: { toolCalls: 2 } } }),
    tokens: () => record({ models: [endless()], spec: { limits: { tokens: 2_000 } } }),
    cost: () => record({ models: [endless()], spec: { limits: { costUsd: 1 } } }),
    "a fallback": () =>
      record({ models: [createScriptedModel([{ error: "model_auth" }], { id: "one/a" }), createScriptedModel(many)] }),
    "a failure": () => record({ models: [createScriptedModel([{ error: "model_auth" }])] }),
    "a fitted context": () =>
      record({
        models: [
          createScriptedModel((request: ModelRequest, answered: number) => {
            if (request.tools.length === 0) return { text: "Notes." };
            return answered < 8 && !JSON.stringify(request.messages).includes("Notes.")
              ? {
                  text: `T${JSON.stringify(request.messages).length}`.padEnd(1_600, "y"),
                  toolCalls: [{ tool: "look", input: { n: answered }, callId: `c${answered}` }],
                }
              : { text: "Done." };
          }),
        ],
        spec: { limits: { contextTokens: 2_500 } },
      }),
    "a summary that failed, and the calls listed in its place": () =>
      record({
        models: [failingSummary(8)],
        spec: { limits: { contextTokens: 2_500, iterations: 10 } },
      }),
    "a summary that failed where nothing else would fit": () =>
      record({ models: [failingSummary(40_000)], spec: { limits: { contextTokens: 12_000, iterations: 10 } } }),
    "a deadline": async () => {
      const clock = createManualClock();
      return record({
        clock,
        models: [
          createScriptedModel([
            { before: () => new Promise(() => queueMicrotask(() => clock.advance(800))) },
            { text: "Handed in." },
          ]),
        ],
        spec: { limits: { durationMs: 1_000 } },
      });
    },
    "cancelled while a model was asked": async () => {
      const stop = new AbortController();
      return record({
        models: [
          createScriptedModel([
            { before: () => new Promise(() => queueMicrotask(() => stop.abort(new RetinueError("cancelled", "Enough.")))) },
          ]),
        ],
        signal: stop.signal,
      });
    },
    "cancelled before it began": () => record({ signal: AbortSignal.abort() }),
    "cancelled while a tool worked": async () => {
      const stop = new AbortController();
      return record({ signal: stop.signal, onEvent: (event) => event.type === "tool.started" && stop.abort() });
    },
  };
  for (const [name, make] of Object.entries(cases))
    test(name, async () => {
      const log = await make();
      expect(await verifyReplay(log, toolsOf)).toEqual({ verified: log.length, divergence: null });
      expect(executed).toBe(0);
    });

  test("after every cut and its resumption too", async () => {
    const whole = await record();
    for (let cut = 2; cut < whole.length; cut += 1) {
      const { log } = await runTest({ models: [createScriptedModel(many)], tools, log: whole.slice(0, cut) });
      expect(await verifyReplay(log, toolsOf), `cut after ${cut}`).toEqual({ verified: log.length, divergence: null });
    }
  });
});

describe("a replay that differs says where and in what", () => {
  test("another tool description changes the request", async () => {
    const log = await record();
    const changed = { ...look, description: "Looks closely." };
    const verdict = await verifyReplay(log, () => new Map(byName).set("look", changed));
    const first = log.find((event) => event.type === "model.requested");
    expect(verdict.divergence).toMatchObject({
      seq: first?.seq,
      message: expect.stringContaining("the declarations of the tools"),
    });
  });

  test("an edited answer changes what follows", async () => {
    const log = await record();
    const edited = log.map((event) =>
      event.type === "tool.settled" && event.callId === "a2"
        ? { ...event, content: [{ type: "text", text: "saw nothing" }] as const }
        : event,
    );
    const verdict = await verifyReplay(edited, toolsOf);
    const second = log.find((event) => event.type === "model.requested" && event.step === 2);
    expect(verdict.divergence).toMatchObject({ seq: second?.seq, message: expect.stringContaining("the conversation") });
  });

  test("an event that was taken out", async () => {
    const log = await record();
    const verdict = await verifyReplay(
      log.filter((event) => event.type !== "tool.started" || event.callId !== "c1"),
      toolsOf,
    );
    expect(verdict.divergence?.message).toContain("tool.started would be written now");
  });
});
