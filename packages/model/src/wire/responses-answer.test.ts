import type { Json, JsonObject } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import type { ModelAnswer, ModelChunk } from "../contract.ts";
import { createEndpoint } from "../transport/endpoint.ts";
import type { Failure } from "../transport/failure.ts";
import { createResponsesReader } from "./responses-answer.ts";

const endpoint = createEndpoint({ provider: "openai", url: "http://acme.test/v1/responses", headers: {} });

const added = (index: number, item: Json): JsonObject => ({ type: "response.output_item.added", output_index: index, item });
const done = (index: number, item: Json): JsonObject => ({ type: "response.output_item.done", output_index: index, item });
const delta = (kind: string, index: number, piece: string): JsonObject => ({
  type: `response.${kind}.delta`,
  output_index: index,
  item_id: `id_${Math.random()}`,
  delta: piece,
  obfuscation: "x7f",
});
const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 80 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 30 },
};
const completed: JsonObject = { type: "response.completed", response: { status: "completed", output: [], usage: USAGE } };
const CREATED: JsonObject = { type: "response.created", response: { status: "in_progress", output: [] } };

const message = (text: string): JsonObject => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});

const read = (events: readonly JsonObject[]): { chunks: ModelChunk[]; outcome: ModelAnswer | Failure } => {
  const reader = createResponsesReader({
    endpoint,
    request: { system: "", messages: [], tools: [], toolChoice: "auto" },
    bodyChars: 400,
    price: () => null,
  });
  let failure: Failure | undefined;
  for (const event of events) failure ??= reader.onEvent("", JSON.stringify(event));
  const chunks: ModelChunk[] = [];
  for (let chunk = reader.takeDelta(); chunk; chunk = reader.takeDelta()) chunks.push(chunk);
  return { chunks, outcome: failure ?? reader.finish("") };
};

describe("an answer of Responses", () => {
  test("has its text, thoughts and usage, in the order in which they came", () => {
    const thought = {
      id: "rs_1",
      type: "reasoning",
      encrypted_content: "gAAA",
      summary: [{ type: "summary_text", text: "Hm." }],
    };
    const { chunks, outcome } = read([
      CREATED,
      added(0, { id: "rs_1", type: "reasoning", encrypted_content: "g", summary: [] }),
      delta("reasoning_summary_text", 0, "Hm."),
      done(0, { ...thought, status: "completed" }),
      added(1, { type: "message", content: [] }),
      delta("output_text", 1, "Hel"),
      delta("output_text", 1, "lo"),
      done(1, { ...message("Hello"), phase: "final_answer" }),
      completed,
    ]);
    expect(chunks).toEqual([
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Hello" },
    ]);
    expect(outcome).toEqual({
      type: "answer",
      content: [
        { type: "reasoning", text: "Hm.", opaque: { responses: "openai", item: thought } },
        { type: "text", text: "Hello", opaque: { responses: "openai", phase: "final_answer" } },
      ],
      finishReason: "stop",
      usage: { input: 100, output: 50, cached: 80, reasoning: 30 },
      costUsd: null,
    });
  });

  test("has parallel calls, told apart by their place even where ids change with every event", () => {
    const call = (id: string, text: string) => ({
      id: `fc_${id}`,
      type: "function_call",
      call_id: id,
      name: "read",
      arguments: text,
    });
    const { outcome } = read([
      CREATED,
      added(0, call("a", "")),
      added(1, call("b", "")),
      delta("function_call_arguments", 1, '{"path":'),
      delta("function_call_arguments", 0, '{"path":"x"}'),
      delta("function_call_arguments", 1, '"y"}'),
      done(0, call("a", '{"path":"x"}')),
      done(1, call("b", '{"path":"y"}')),
      completed,
    ]);
    expect(outcome).toMatchObject({
      content: [
        { type: "tool-call", callId: "a", tool: "read", arguments: '{"path":"x"}' },
        { type: "tool-call", callId: "b", tool: "read", arguments: '{"path":"y"}' },
      ],
      finishReason: "tool-calls",
    });
  });

  test("that was not streamed piece by piece is shown when it is whole", () => {
    const { chunks, outcome } = read([done(0, message("all at once")), completed]);
    expect(chunks).toEqual([{ type: "text", text: "all at once" }]);
    expect(outcome).toMatchObject({ content: [{ type: "text", text: "all at once" }] });
  });

  test("may be a refusal, which is what the model says", () => {
    const refusal = { type: "message", content: [{ type: "refusal", refusal: "No." }] };
    const { outcome } = read([
      added(0, { type: "message", content: [] }),
      delta("refusal", 0, "No."),
      done(0, refusal),
      completed,
    ]);
    expect(outcome).toMatchObject({ content: [{ type: "text", text: "No." }], finishReason: "stop" });
  });

  test.each([
    ["max_output_tokens", "length"],
    ["content_filter", "filtered"],
  ])("that was cut for %s ends with %s", (reason, finishReason) => {
    const cut = { type: "response.incomplete", response: { status: "incomplete", incomplete_details: { reason }, usage: USAGE } };
    const { outcome } = read([added(0, { type: "message", content: [] }), delta("output_text", 0, "par"), cut]);
    expect(outcome).toMatchObject({ content: [{ type: "text", text: "par" }], finishReason });
  });

  test("is not whole before the response is", () => {
    expect(read([CREATED, done(0, message("x"))]).outcome).toMatchObject({ error: { code: "model_stream_incomplete" } });
  });

  test.each([
    [
      "an error event",
      { type: "error", error: { type: "insufficient_quota", code: "insufficient_quota", message: "no" } },
      "model_rate_limited",
    ],
    ["a flat error event", { type: "error", code: "rate_limit_exceeded", message: "slow down" }, "model_rate_limited"],
    [
      "a failed response",
      { type: "response.failed", response: { error: { code: "server_error", message: "oops" } } },
      "model_server_error",
    ],
    [
      "a context that is too long",
      {
        type: "response.failed",
        response: { error: { code: "context_length_exceeded", message: "Your input exceeds the context window." } },
      },
      "model_context_overflow",
    ],
  ])("fails with %s", (_, event, code) => {
    expect(read([CREATED, event]).outcome).toMatchObject({ type: "failure", error: { code } });
  });
});
