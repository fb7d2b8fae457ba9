import { describe, expect, test } from "vitest";
import type { ModelChunk, ModelRequest } from "../contract.ts";
import { createScriptedModel } from "./scripted-model.ts";

const ask = (text: string, answers = 0): ModelRequest => ({
  system: "",
  messages: [
    { role: "user", content: [{ type: "text", text }] },
    ...Array.from({ length: answers }, () => ({ role: "assistant" as const, content: [] })),
  ],
  tools: [],
  toolChoice: "auto",
});

const never = new AbortController().signal;

const collect = async (chunks: AsyncIterable<ModelChunk>): Promise<ModelChunk[]> => {
  const all: ModelChunk[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
};

const answerOf = async (chunks: AsyncIterable<ModelChunk>) => {
  const last = (await collect(chunks)).at(-1);
  if (last?.type !== "answer") throw new Error("no answer");
  return last;
};

/** All that could happen without the test letting go has happened after it. */
const eventLoopTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

const textOf = async (chunks: AsyncIterable<ModelChunk>) =>
  (await answerOf(chunks)).content.map((part) => (part.type === "tool-call" ? part.callId : part.text)).join("|");

describe("a list", () => {
  test("is streamed turn by turn, in pieces, with the whole answer last", async () => {
    const model = createScriptedModel([
      {
        reasoning: { text: "hm", opaque: { signature: "s" } },
        text: "hello",
        toolCalls: [
          { tool: "read", input: { path: "a" } },
          { tool: "grep", arguments: "{broken", callId: "mine" },
        ],
        usage: { input: 10, output: 5 },
        chunkSize: 3,
      },
      { text: "done", finishReason: "length", costUsd: null },
    ]);
    expect(await collect(model.stream(ask("a"), never))).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "hel" },
      { type: "text", text: "lo" },
      { type: "tool-input", tool: "read", text: '{"p' },
      { type: "tool-input", tool: "read", text: "ath" },
      { type: "tool-input", tool: "read", text: '":"' },
      { type: "tool-input", tool: "read", text: 'a"}' },
      { type: "tool-input", tool: "grep", text: "{br" },
      { type: "tool-input", tool: "grep", text: "oke" },
      { type: "tool-input", tool: "grep", text: "n" },
      {
        type: "answer",
        content: [
          { type: "reasoning", text: "hm", opaque: { signature: "s" } },
          { type: "text", text: "hello" },
          { type: "tool-call", callId: "call_1_1", tool: "read", arguments: '{"path":"a"}' },
          { type: "tool-call", callId: "mine", tool: "grep", arguments: "{broken" },
        ],
        finishReason: "tool-calls",
        usage: { input: 10, output: 5, cached: 0, reasoning: 0 },
        costUsd: 0,
      },
    ]);
    expect(model.remaining()).toBe(1);
    expect(await answerOf(model.stream(ask("b"), never))).toMatchObject({ finishReason: "length", costUsd: null });
    expect(model.requests).toHaveLength(2);
    model.assertDone();
  });

  test("that is at its end refuses the call and says what was asked", async () => {
    const model = createScriptedModel([{ text: "one" }]);
    await collect(model.stream(ask("first"), never));
    const error = await collect(model.stream(ask("second please"), never)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "script_mismatch" });
    expect(String(error)).toContain("turn 2 of 1");
    expect(String(error)).toContain("second please");
    expect(() => model.assertDone()).toThrow("second please");
  });

  test("that is not read to its end fails assertDone", () => {
    expect(() => createScriptedModel([{ text: "one" }, { text: "two" }]).assertDone()).toThrow("2 scripted turn(s)");
  });

  test("goes on at a later turn with the ids that turn would have had", async () => {
    const model = createScriptedModel([{ text: "one" }, { toolCalls: [{ tool: "ls" }] }], { startAt: 1 });
    expect(await textOf(model.stream(ask("again"), never))).toBe("call_2_1");
    model.assertDone();
  });
});

describe("an expectation", () => {
  test("that throws or returns false is a mismatch, which assertDone throws again", async () => {
    const throwing = createScriptedModel([{ expect: (request) => expect(request.messages).toHaveLength(7), text: "" }]);
    await expect(collect(throwing.stream(ask("x"), never))).rejects.toMatchObject({ code: "script_mismatch" });
    expect(() => throwing.assertDone()).toThrow(/length of 7/);
    const refusing = createScriptedModel([{ expect: () => false, text: "" }]);
    await expect(collect(refusing.stream(ask("x"), never))).rejects.toMatchObject({ code: "script_mismatch" });
  });

  test("that holds lets the turn pass", async () => {
    const model = createScriptedModel([{ expect: (request) => expect(request.toolChoice).toBe("auto"), text: "fine" }]);
    expect(await textOf(model.stream(ask("x"), never))).toBe("fine");
  });
});

describe("a failure", () => {
  test("comes after what was streamed before it", async () => {
    const model = createScriptedModel([{ text: "half", error: "model_overloaded" }]);
    const seen: ModelChunk[] = [];
    const run = async () => {
      for await (const chunk of model.stream(ask("x"), never)) seen.push(chunk);
    };
    await expect(run()).rejects.toMatchObject({ code: "model_overloaded", message: expect.stringContaining("could not serve") });
    expect(seen).toEqual([{ type: "text", text: "half" }]);
    model.assertDone();
  });

  test("inside the call is a retry chunk, and the answer holds nothing of it", async () => {
    const model = createScriptedModel([
      { retries: [{ text: "bad", error: "model_stream_incomplete", waitMs: 5 }], text: "good" },
    ]);
    const chunks = await collect(model.stream(ask("x"), never));
    expect(chunks.map((chunk) => chunk.type)).toEqual(["text", "retry", "text", "answer"]);
    expect(chunks[1]).toMatchObject({ attempt: 2, waitMs: 5, error: { code: "model_stream_incomplete" } });
    expect(chunks.at(-1)).toMatchObject({ content: [{ type: "text", text: "good" }] });
  });
});

describe("what the test holds back", () => {
  test("holds the stream until it is let go", async () => {
    const gate = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const model = createScriptedModel([{ before: gate.promise, text: "a", beforeAnswer: () => answer.promise }]);
    const iterator = model.stream(ask("x"), never)[Symbol.asyncIterator]();
    const seen: unknown[] = [];
    const first = iterator.next().then((result) => seen.push(result.value));
    await eventLoopTurn();
    expect(seen).toEqual([]);
    gate.resolve();
    await first;
    expect(seen).toEqual([{ type: "text", text: "a" }]);
    const second = iterator.next().then((result) => seen.push(result.value));
    await eventLoopTurn();
    expect(seen).toHaveLength(1);
    answer.resolve();
    await second;
    expect(seen[1]).toMatchObject({ type: "answer" });
  });

  test("does not outlive an abort", async () => {
    const controller = new AbortController();
    const model = createScriptedModel([{ before: new Promise(() => {}), text: "a" }]);
    const first = model.stream(ask("x"), controller.signal)[Symbol.asyncIterator]().next();
    controller.abort();
    await expect(first).rejects.toThrow();
  });

  test("an abort between two chunks ends the stream by throwing", async () => {
    const controller = new AbortController();
    const model = createScriptedModel([{ text: "ab", chunkSize: 1 }]);
    const iterator = model.stream(ask("x"), controller.signal)[Symbol.asyncIterator]();
    await iterator.next();
    controller.abort();
    await expect(iterator.next()).rejects.toThrow();
  });
});

const key = (request: ModelRequest) => {
  const part = request.messages[0]?.content[0];
  return part?.type === "text" ? part.text : "";
};

describe("scripts for runs at the same time", () => {
  test("a keyed script keeps each conversation's own place, whatever the order of calls", async () => {
    const turns = { a: [{ text: "a1" }, { text: "a2" }], b: [{ text: "b1" }] };
    const model = createScriptedModel({ key, turns });
    const [b1, a1] = await Promise.all([textOf(model.stream(ask("b"), never)), textOf(model.stream(ask("a"), never))]);
    expect([a1, b1]).toEqual(["a1", "b1"]);
    expect(() => model.assertDone()).toThrow("1 scripted turn(s)");
    expect(await textOf(model.stream(ask("a"), never))).toBe("a2");
    model.assertDone();
    const resumed = createScriptedModel({ key, turns }, { startAt: { a: 1 } });
    expect(await textOf(resumed.stream(ask("a"), never))).toBe("a2");
  });

  test("a key without a script is a mismatch that names it, also where objects have such a member", async () => {
    const model = createScriptedModel({ key: () => "constructor", turns: {} });
    await expect(collect(model.stream(ask("x"), never))).rejects.toThrow('no script for the key "constructor"');
  });

  test("a function is told how far the conversation is, and undefined is a mismatch", async () => {
    const model = createScriptedModel((request, answered) =>
      answered < 2 ? { toolCalls: [{ tool: `${key(request)}${answered}` }] } : undefined,
    );
    expect(await answerOf(model.stream(ask("t", 1), never))).toMatchObject({ content: [{ tool: "t1", callId: "call_2_1" }] });
    expect(await answerOf(model.stream(ask("t", 0), never))).toMatchObject({ content: [{ tool: "t0", callId: "call_1_1" }] });
    await expect(collect(model.stream(ask("t", 2), never))).rejects.toMatchObject({ code: "script_mismatch" });
  });
});

test("usage, price, id and window are as the options say", async () => {
  const model = createScriptedModel([{ text: "a", usage: { output: 2 } }], {
    id: "test/priced",
    contextWindow: 100,
    usage: { input: 7 },
    price: (usage) => usage.input + usage.output,
  });
  expect(model).toMatchObject({ id: "test/priced", contextWindow: 100 });
  expect(await answerOf(model.stream(ask("x"), never))).toMatchObject({ usage: { input: 7, output: 2 }, costUsd: 9 });
});
