import { createScriptedModel } from "@retinue/model/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { runTest, toLines, toRecordedLines } from "../testing/index.ts";
import { defineTool } from "./tool.ts";

const echo = defineTool({
  name: "echo",
  description: "Says it back.",
  input: z.object({ text: z.string() }),
  effect: "read",
  execute: ({ text }) => `echo: ${text}`,
});

const fails = defineTool({
  name: "fails",
  description: "Always fails.",
  input: z.object({}),
  effect: "read",
  execute: () => {
    throw new Error("the disk is on fire");
  },
});

const store = defineTool({
  name: "store",
  description: "Writes.",
  input: z.object({ path: z.string() }),
  effect: "write",
  touches: ({ path }) => ({ paths: [path] }),
  execute: ({ path }) => ({ content: [{ type: "text", text: "stored" }], files: { created: [path], modified: [] } }),
});

const call = (text: string, callId?: string) => ({ tool: "echo", input: { text }, ...(callId === undefined ? {} : { callId }) });

describe("the loop says exactly what it does", () => {
  test("a plain answer", async () => {
    const model = createScriptedModel([{ text: "Hello.", usage: { input: 10, output: 2 } }]);
    const { events, result } = await runTest({ models: [model] });
    expect(toLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      'model.delta text "Hello."',
      "model.answered 1 scripted/model stop",
      "run.settled completed",
    ]);
    expect(result).toEqual({
      status: "completed",
      agent: "main",
      summary: "Hello.",
      details: "Hello.",
      filesModified: [],
      filesCreated: [],
      testsRun: 0,
      testsPassed: 0,
      warnings: [],
      unverified: [],
      suggestions: [],
      findings: [],
      iterations: 1,
      toolCalls: 0,
      contextTokens: 12,
      durationMs: 0,
      usage: { input: 10, output: 2, cached: 0, reasoning: 0 },
      costUsd: 0,
      total: { usage: { input: 10, output: 2, cached: 0, reasoning: 0 }, costUsd: 0, iterations: 1, toolCalls: 0 },
      depth: 0,
    });
    model.assertDone();
  });

  test("every event carries who speaks, and recorded ones are numbered without gaps", async () => {
    const model = createScriptedModel([{ toolCalls: [call("a")] }, { text: "Done." }]);
    const { events, log } = await runTest({ models: [model], tools: [echo] });
    for (const event of events)
      expect(event).toMatchObject({
        sessionId: "ses_test",
        runId: "run_test",
        parentRunId: null,
        depth: 0,
        agent: "main",
        at: expect.stringMatching(/^2026-/),
      });
    expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
  });

  test("one tool", async () => {
    const model = createScriptedModel([
      { toolCalls: [call("a", "c1")] },
      { text: "Done.", expect: ({ messages }) => messages.at(-1)?.content[0] !== undefined && messages.length === 3 },
    ]);
    const { events } = await runTest({ models: [model], tools: [echo] });
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      "model.answered 1 scripted/model tool-calls",
      "tool.started c1 echo",
      "tool.settled c1 echo ok",
      "model.requested 2 scripted/model",
      "model.answered 2 scripted/model stop",
      "run.settled completed",
    ]);
    expect(model.requests[1]?.messages.at(-1)).toEqual({
      role: "tool",
      callId: "c1",
      tool: "echo",
      content: [{ type: "text", text: "echo: a" }],
      isError: false,
    });
    model.assertDone();
  });

  test("three parallel tools run side by side, and their results stand in the order of the calls", async () => {
    const gates = new Map(["a", "b", "c"].map((name) => [name, Promise.withResolvers<void>()]));
    const slow = defineTool({
      name: "slow",
      description: "Waits.",
      input: z.object({ text: z.string() }),
      effect: "read",
      execute: async ({ text }) => {
        await gates.get(text)?.promise;
        return text;
      },
    });
    const model = createScriptedModel([
      { toolCalls: ["a", "b", "c"].map((text) => ({ tool: "slow", input: { text }, callId: text })) },
      { text: "Done." },
    ]);
    const { events } = await runTest({
      models: [model],
      tools: [slow],
      onEvent: (event) => {
        if (event.type === "tool.started" && event.callId === "c") gates.get("c")?.resolve();
        if (event.type === "tool.settled" && event.callId === "c") gates.get("a")?.resolve();
        if (event.type === "tool.settled" && event.callId === "a") gates.get("b")?.resolve();
      },
    });
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      "model.answered 1 scripted/model tool-calls",
      "tool.started a slow",
      "tool.started b slow",
      "tool.started c slow",
      "tool.settled c slow ok",
      "tool.settled a slow ok",
      "tool.settled b slow ok",
      "model.requested 2 scripted/model",
      "model.answered 2 scripted/model stop",
      "run.settled completed",
    ]);
    expect(model.requests[1]?.messages.slice(-3).map((message) => message.role === "tool" && message.callId)).toEqual([
      "a",
      "b",
      "c",
    ]);
  });

  test("writes of one turn run one after the other, in the order of the answer", async () => {
    const model = createScriptedModel([
      {
        toolCalls: [
          call("x", "r1"),
          { tool: "store", input: { path: "a" }, callId: "w1" },
          { tool: "store", input: { path: "b" }, callId: "w2" },
        ],
      },
      { text: "Done." },
    ]);
    const { events, result } = await runTest({ models: [model], tools: [echo, store] });
    expect(toRecordedLines(events).slice(3, 9)).toEqual([
      "tool.started r1 echo",
      "tool.settled r1 echo ok",
      "tool.started w1 store",
      "tool.settled w1 store ok",
      "tool.started w2 store",
      "tool.settled w2 store ok",
    ]);
    expect(result.filesCreated).toEqual(["a", "b"]);
  });

  test("a failing tool is answered and the run goes on", async () => {
    const model = createScriptedModel([{ toolCalls: [{ tool: "fails", input: {}, callId: "c1" }] }, { text: "It failed." }]);
    const { events } = await runTest({ models: [model], tools: [fails] });
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      "model.answered 1 scripted/model tool-calls",
      "tool.started c1 fails",
      "tool.settled c1 fails error tool_failed",
      "model.requested 2 scripted/model",
      "model.answered 2 scripted/model stop",
      "run.settled completed",
    ]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      isError: true,
      content: [{ text: 'Error (tool_failed): "fails" failed: the disk is on fire' }],
    });
  });

  const bad = [
    {
      name: "invalid JSON arguments",
      call: { tool: "echo", arguments: '{"text": oops}', callId: "c1" },
      code: "tool_arguments_not_json",
    },
    {
      name: "arguments that do not fit the schema",
      call: { tool: "echo", input: { text: 7 }, callId: "c1" },
      code: "tool_arguments_invalid",
    },
    { name: "an unknown tool", call: { tool: "ecko", input: { text: "a" }, callId: "c1" }, code: "tool_unknown" },
  ];
  for (const { name, call: badCall, code } of bad)
    test(`${name}: answered, never executed`, async () => {
      const model = createScriptedModel([{ toolCalls: [badCall] }, { text: "Sorry." }]);
      const { events, result } = await runTest({ models: [model], tools: [echo] });
      expect(toRecordedLines(events)).toEqual([
        "run.started",
        "model.requested 1 scripted/model",
        "model.answered 1 scripted/model tool-calls",
        `tool.settled c1 ${badCall.tool} error ${code}`,
        "model.requested 2 scripted/model",
        "model.answered 2 scripted/model stop",
        "run.settled completed",
      ]);
      expect(result.toolCalls).toBe(0);
    });

  test("an unknown tool is told which tools there are", async () => {
    const model = createScriptedModel([{ toolCalls: [{ tool: "nope", input: {} }] }, { text: "Sorry." }]);
    await runTest({ models: [model], tools: [echo, store] });
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("The tools of this run are: echo, store.");
  });

  test("arguments that were cut off are never executed, even where the cut leaves the rest of the turn intact", async () => {
    const model = createScriptedModel([
      { toolCalls: [call("whole", "c1"), { tool: "echo", arguments: '{"text":"cu', callId: "c2" }], finishReason: "length" },
      { text: "Sorry." },
    ]);
    const { events } = await runTest({ models: [model], tools: [echo] });
    expect(toRecordedLines(events)).toContain("tool.settled c2 echo error tool_arguments_truncated");
    expect(toRecordedLines(events)).not.toContain("tool.started c2 echo");
  });

  test("duplicate and missing call ids are made unique, and every call gets its own result", async () => {
    const model = createScriptedModel([{ toolCalls: [call("a", "x"), call("b", "x"), call("c", "")] }, { text: "Done." }]);
    const { events } = await runTest({ models: [model], tools: [echo] });
    const settled = events.flatMap((event) => (event.type === "tool.settled" ? [[event.callId, event.content[0]]] : []));
    expect(new Set(settled.map(([id]) => id)).size).toBe(3);
    expect(settled.map(([, part]) => part)).toEqual(["a", "b", "c"].map((text) => ({ type: "text", text: `echo: ${text}` })));
  });

  test("a provider that fails is followed by its fallback, which stays", async () => {
    const first = createScriptedModel([{ error: "model_overloaded" }], { id: "one/a" });
    const second = createScriptedModel([{ toolCalls: [call("a", "c1")] }, { text: "Done." }], { id: "two/b" });
    const { events } = await runTest({ models: [first, second], tools: [echo] });
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 one/a",
      "model.failed 1 one/a model_overloaded then two/b",
      "model.requested 1 two/b",
      "model.answered 1 two/b tool-calls",
      "tool.started c1 echo",
      "tool.settled c1 echo ok",
      "model.requested 2 two/b",
      "model.answered 2 two/b stop",
      "run.settled completed",
    ]);
    first.assertDone();
    second.assertDone();
  });

  test("when the last fallback fails too, the run fails with its error", async () => {
    const first = createScriptedModel([{ error: "model_auth" }], { id: "one/a" });
    const second = createScriptedModel([{ error: "model_unreachable" }], { id: "two/b" });
    const { events, result } = await runTest({ models: [first, second] });
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 one/a",
      "model.failed 1 one/a model_auth then two/b",
      "model.requested 1 two/b",
      "model.failed 1 two/b model_unreachable",
      "run.settled failed error",
    ]);
    expect(result).toMatchObject({ status: "failed", error: { code: "model_unreachable" } });
  });

  test("a retry inside the model layer is shown live and is not recorded", async () => {
    const model = createScriptedModel([{ retries: [{ text: "Hel", error: "model_stream_incomplete" }], text: "Hello." }]);
    const { events } = await runTest({ models: [model] });
    expect(toLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      'model.delta text "Hel"',
      "model.retrying 2 model_stream_incomplete",
      'model.delta text "Hello."',
      "model.answered 1 scripted/model stop",
      "run.settled completed",
    ]);
  });

  test("a model that breaks its contract by ending without an answer has failed", async () => {
    const model = { id: "broken/model", price: () => 0, stream: async function* () {} };
    const { result } = await runTest({ models: [model] });
    expect(result).toMatchObject({ status: "failed", error: { code: "model_stream_incomplete" } });
  });

  test("an empty answer is asked for once more, then the run fails", async () => {
    const model = createScriptedModel([{}, {}]);
    const { result } = await runTest({ models: [model] });
    expect(result).toMatchObject({ status: "failed", error: { code: "model_empty_answer" } });
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("Your last answer was empty");
    model.assertDone();
  });

  test("an answer that the provider withheld fails the run", async () => {
    const model = createScriptedModel([{ finishReason: "filtered" }]);
    const { result } = await runTest({ models: [model] });
    expect(result).toMatchObject({ status: "failed", error: { code: "model_filtered" } });
  });

  test("a provider that finds the request too large is asked again with less", async () => {
    const big = "x".repeat(8_000);
    const model = createScriptedModel([
      { toolCalls: [call(big, "c1")], usage: { input: 100, output: 2_000 } },
      { toolCalls: [call("b", "c2")], usage: { input: 4_100, output: 10 } },
      { toolCalls: [call("c", "c3")], usage: { input: 4_200, output: 10 } },
      { error: "model_context_overflow" },
      { text: "Done.", expect: ({ messages }) => JSON.stringify(messages).includes("was cleared to save context") },
    ]);
    const { events, result } = await runTest({ models: [model], tools: [echo] });
    expect(toRecordedLines(events).slice(-5)).toEqual([
      "model.failed 4 scripted/model model_context_overflow then scripted/model",
      "context.fitted cleared 1",
      "model.requested 4 scripted/model",
      "model.answered 4 scripted/model stop",
      "run.settled completed",
    ]);
    expect(result.status).toBe("completed");
    model.assertDone();
  });
});

describe("going in circles ends a run as stuck", () => {
  test("J10 the same failing call three times", async () => {
    const model = createScriptedModel(() => ({ toolCalls: [{ tool: "fails", input: {} }] }));
    const { result } = await runTest({ models: [model], tools: [fails] });
    expect(result).toMatchObject({ status: "failed", bailoutReason: "stuck", iterations: 3, error: { code: "stuck" } });
  });

  test("J10 two calls in turn, three times", async () => {
    const model = createScriptedModel((_, answered) => ({ toolCalls: [call(answered % 2 === 0 ? "a" : "b")] }));
    const { result } = await runTest({ models: [model], tools: [echo] });
    expect(result).toMatchObject({ bailoutReason: "stuck", iterations: 6 });
  });

  test("J10 seventy identical calls in one message run twice at most", async () => {
    const model = createScriptedModel([{ toolCalls: Array.from({ length: 70 }, () => call("same")) }]);
    const { result } = await runTest({ models: [model], tools: [echo] });
    expect(result).toMatchObject({ bailoutReason: "stuck", toolCalls: 2 });
  });

  test("the same call with different outcomes is progress", async () => {
    let count = 0;
    const counter = defineTool({
      name: "counter",
      description: "Counts.",
      input: z.object({}),
      effect: "read",
      execute: () => String(++count),
    });
    const model = createScriptedModel([
      ...Array.from({ length: 5 }, () => ({ toolCalls: [{ tool: "counter", input: {} }] })),
      { text: "Done." },
    ]);
    const { result } = await runTest({ models: [model], tools: [counter] });
    expect(result.status).toBe("completed");
  });
});

describe("policy", () => {
  test("what needs an approval is denied and said so when nobody is there", async () => {
    const model = createScriptedModel([
      { toolCalls: [{ tool: "store", input: { path: "a" }, callId: "c1" }] },
      { text: "Denied." },
    ]);
    const { events } = await runTest({ models: [model], tools: [store], approveMode: "ask" });
    expect(toRecordedLines(events).slice(2, 4)).toEqual([
      "model.answered 1 scripted/model tool-calls",
      "tool.settled c1 store denied approval_unavailable",
    ]);
  });

  test("an approval is asked, recorded, and followed", async () => {
    const model = createScriptedModel([
      { toolCalls: [{ tool: "store", input: { path: "a" }, callId: "c1" }] },
      { toolCalls: [{ tool: "store", input: { path: "b" }, callId: "c2" }] },
      { text: "Done." },
    ]);
    const { events, result } = await runTest({
      models: [model],
      tools: [store],
      approveMode: "ask",
      approve: async ({ act }) => (act.callId === "c1" ? { allowed: true } : { allowed: false, reason: "not that one" }),
    });
    expect(toRecordedLines(events).filter((line) => /approval|tool/.test(line) && !line.startsWith("model"))).toEqual([
      "approval.requested store",
      "approval.answered allowed",
      "tool.started c1 store",
      "tool.settled c1 store ok",
      "approval.requested store",
      "approval.answered denied",
      "tool.settled c2 store denied act_denied",
    ]);
    expect(result.filesCreated).toEqual(["a"]);
    expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain("not that one");
  });

  test("a read-only run denies writes without asking", async () => {
    const model = createScriptedModel([
      { toolCalls: [{ tool: "store", input: { path: "a" }, callId: "c1" }] },
      { text: "Denied." },
    ]);
    const { events } = await runTest({
      models: [model],
      tools: [store],
      approveMode: "read-only",
      approve: async () => ({ allowed: true }),
    });
    expect(toRecordedLines(events)).toContain("tool.settled c1 store denied act_denied");
  });

  for (const [id, path] of [
    ["A1", "../outside"],
    ["A2", "/etc/passwd"],
    ["A3", "/work-evil/x"],
    ["A4", "link/x"],
  ] as const)
    test(`${id} ${path} is outside the workspace, even when everything is approved`, async () => {
      const model = createScriptedModel([{ toolCalls: [{ tool: "store", input: { path }, callId: "c1" }] }, { text: "Denied." }]);
      const { events } = await runTest({ models: [model], tools: [store], links: { "/work/link/x": "/elsewhere/x" } });
      expect(toRecordedLines(events)).toContain("tool.settled c1 store denied path_outside_workspace");
    });
});
