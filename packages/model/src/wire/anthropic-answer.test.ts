import type { Json, JsonObject } from "@retinue/protocol";
import { describe, expect, it } from "vitest";
import type { ModelAnswer, ModelChunk } from "../contract.ts";
import { createEndpoint } from "../transport/endpoint.ts";
import type { Failure } from "../transport/failure.ts";
import { createAnthropicReader } from "./anthropic-answer.ts";

const endpoint = createEndpoint({ provider: "acme", url: "http://acme.test/v1/messages", headers: {} });

const START: JsonObject = { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } };
const STOP: JsonObject = { type: "message_stop" };
const begin = (index: number, block: Json): JsonObject => ({ type: "content_block_start", index, content_block: block });
const add = (index: number, delta: Json): JsonObject => ({ type: "content_block_delta", index, delta });
const end = (index: number): JsonObject => ({ type: "content_block_stop", index });
const done = (reason: string, usage: Json = { output_tokens: 5 }): JsonObject => ({
  type: "message_delta",
  delta: { stop_reason: reason },
  usage,
});
const text = (value: string): JsonObject[] => [
  begin(0, { type: "text", text: "" }),
  add(0, { type: "text_delta", text: value }),
  end(0),
];

const read = (events: readonly JsonObject[]) => {
  const reader = createAnthropicReader({
    endpoint,
    request: { system: "", messages: [], tools: [], toolChoice: "auto" },
    bodyChars: 400,
    price: () => null,
  });
  let failure: Failure | undefined;
  for (const event of events) failure ??= reader.onEvent("", JSON.stringify(event));
  const chunks: ModelChunk[] = [];
  for (let chunk = reader.takeDelta(); chunk; chunk = reader.takeDelta()) chunks.push(chunk);
  const outcome: ModelAnswer | Failure = failure ?? reader.finish("");
  return { chunks, outcome };
};

describe("an answer of Messages", () => {
  it("is whole with message_start, closed blocks, a stop reason and message_stop, and not without any of them", () => {
    const events = [START, ...text("x"), done("end_turn"), STOP];
    expect(read(events).outcome).toMatchObject({ type: "answer", content: [{ type: "text", text: "x" }], finishReason: "stop" });
    for (let missing = 0; missing < events.length; missing++) {
      // Without its delta a block is another block, and not a broken one.
      if (missing === 2) continue;
      expect(read(events.toSpliced(missing, 1)).outcome).toMatchObject({ type: "failure" });
    }
  });

  it.each([
    ["a block begun twice", [START, ...text("x"), ...text("y"), done("end_turn"), STOP]],
    ["a message begun twice", [START, START, ...text("x"), done("end_turn"), STOP]],
    ["a delta after the block's end", [START, ...text("x"), add(0, { type: "text_delta", text: "y" }), done("end_turn"), STOP]],
    [
      "a delta without content",
      [START, begin(0, { type: "text", text: "" }), { type: "content_block_delta", index: 0 }, end(0), done("end_turn"), STOP],
    ],
    ["a block without content", [START, { type: "content_block_start", index: 0 }, end(0), done("end_turn"), STOP]],
    ["a call without a name", [START, begin(0, { type: "tool_use", id: "1" }), end(0), done("tool_use"), STOP]],
  ])("takes %s for garbage", (_, events) => {
    expect(read(events).outcome).toMatchObject({ error: { code: "model_stream_garbage" } });
  });

  it("may stand whole in its first event", () => {
    const content = [{ type: "tool_use", id: "toolu_1", name: "read", input: { path: "x" } }];
    const message = { content, stop_reason: "tool_use", usage: { input_tokens: 0, output_tokens: 0 } };
    expect(read([{ type: "message_start", message }, STOP]).outcome).toMatchObject({
      content: [{ type: "tool-call", callId: "toolu_1", tool: "read", arguments: '{"path":"x"}' }],
      finishReason: "tool-calls",
    });
  });

  it("keeps thoughts with their signatures, and those it may not read", () => {
    const { outcome, chunks } = read([
      START,
      begin(0, { type: "thinking", thinking: "h" }),
      add(0, { type: "thinking_delta", thinking: "m" }),
      add(0, { type: "signature_delta", signature: "si" }),
      add(0, { type: "signature_delta", signature: "g" }),
      end(0),
      begin(1, { type: "redacted_thinking", data: "xyz" }),
      end(1),
      done("end_turn"),
      STOP,
    ]);
    expect(outcome).toMatchObject({
      content: [
        { type: "reasoning", text: "hm", opaque: { type: "anthropic", signature: "sig" } },
        { type: "reasoning", text: "", opaque: { type: "anthropic", redacted: "xyz" } },
      ],
    });
    expect(chunks).toEqual([{ type: "reasoning", text: "hm" }]);
  });

  it("takes the input of a call from its deltas, or whole from its start", () => {
    const call = (input: Json, ...parts: string[]) => [
      START,
      begin(0, { type: "tool_use", id: "t1", name: "look", input }),
      ...parts.map((partial) => add(0, { type: "input_json_delta", partial_json: partial })),
      end(0),
      done("tool_use"),
      STOP,
    ];
    expect(read(call({}, '{"a"', ":1}")).outcome).toMatchObject({
      content: [{ callId: "t1", tool: "look", arguments: '{"a":1}' }],
    });
    expect(read(call({ a: 2 })).outcome).toMatchObject({ content: [{ arguments: '{"a":2}' }] });
    expect(read(call({}, "")).outcome).toMatchObject({ content: [{ arguments: "{}" }] });
  });

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool-calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "filtered"],
    ["pause_turn", "other"],
  ])("that stopped by %s finished by %s", (reason, expected) => {
    expect(read([START, ...text("x"), done(reason), STOP]).outcome).toMatchObject({ finishReason: expected });
  });

  it("counts what was read from and written to the cache as input", () => {
    const counts = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 1000, output_tokens: 1 };
    const { outcome } = read([
      { type: "message_start", message: { usage: counts } },
      ...text("x"),
      done("end_turn", { output_tokens: 7 }),
      STOP,
    ]);
    expect(outcome).toMatchObject({ usage: { input: 1110, output: 7, cached: 100, reasoning: 0 } });
  });

  it.each([2 ** 53, 1e18, -1, "9"])("N13 does not count %s tokens", (tokens) => {
    const counts = { input_tokens: tokens, cache_read_input_tokens: tokens, output_tokens: tokens };
    const { outcome } = read([
      { type: "message_start", message: { usage: counts } },
      ...text("x"),
      done("end_turn", { output_tokens: tokens }),
      STOP,
    ]);
    expect(outcome).toMatchObject({ usage: { input: 0, output: 0, cached: 0, reasoning: 0 } });
  });

  it("takes counts that come late, and estimates where none come", () => {
    const late = { input_tokens: 33, output_tokens: 7, cache_read_input_tokens: null };
    expect(read([{ type: "message_start", message: {} }, ...text("x"), done("end_turn", late), STOP]).outcome).toMatchObject({
      usage: { input: 33, output: 7, cached: 0 },
    });
    expect(
      read([{ type: "message_start", message: {} }, ...text("12345678"), done("end_turn", null), STOP]).outcome,
    ).toMatchObject({
      usage: { input: 100, output: 2, cached: 0, reasoning: 0 },
    });
  });

  it("ignores pings, kinds of event, block and delta that it does not know", () => {
    const { outcome } = read([
      START,
      { type: "ping" },
      { type: "yet_to_come", index: 0 },
      begin(7, { type: "server_tool_use", name: "web_search" }),
      add(7, { type: "input_json_delta", partial_json: "{" }),
      end(7),
      begin(8, { type: "text", text: "a" }),
      add(8, { type: "citations_delta", citation: {} }),
      add(8, { type: "text_delta", text: "b" }),
      end(8),
      done("end_turn"),
      STOP,
    ]);
    expect(outcome).toMatchObject({ content: [{ type: "text", text: "ab" }] });
  });
});
