/** How thinking is asked for, and what of it goes back, in the words of each protocol. */
import type { JsonObject, Message, Thinking } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { findTraits } from "../catalogue/to-traits.ts";
import type { ModelRequest } from "../contract.ts";
import { createEndpoint } from "../transport/endpoint.ts";
import { createAnthropicBody } from "./anthropic-request.ts";
import { createOpenAiReader } from "./openai-answer.ts";
import { createOpenAiBody } from "./openai-request.ts";

const HELLO: Message = { role: "user", content: [{ type: "text", text: "hello" }] };
const request = (given: Partial<ModelRequest>): ModelRequest => ({
  system: "",
  messages: [HELLO],
  tools: [],
  toolChoice: "auto",
  ...given,
});

const bodyOf = async (id: string, given: Partial<ModelRequest>): Promise<JsonObject> => {
  const [provider = "", ...rest] = id.split("/");
  const model = rest.join("/");
  const traits = await findTraits(provider, model);
  const make =
    provider === "anthropic"
      ? createAnthropicBody({ model, traits })
      : createOpenAiBody({ model, provider, traits, maxTokensField: "max_tokens" });
  return JSON.parse(make(request(given))) as JsonObject;
};

describe("thinking is asked for in the words of its model", () => {
  test.each<[string, Thinking, JsonObject]>([
    ["anthropic/claude-sonnet-5", "max", { thinking: { type: "adaptive" }, output_config: { effort: "max" } }],
    ["anthropic/claude-sonnet-5", "off", { thinking: { type: "disabled" } }],
    ["anthropic/claude-haiku-4-5", "high", { thinking: { type: "enabled", budget_tokens: 16_384 } }],
    ["anthropic/claude-haiku-4-5", 5_000, { thinking: { type: "enabled", budget_tokens: 5_000 } }],
    ["openrouter/openai/gpt-6-sol", "high", { reasoning: { effort: "high" } }],
    ["groq/openai/gpt-oss-120b", "max", { reasoning_effort: "high" }],
    ["zai/glm-5.3", "low", { thinking: { type: "enabled" } }],
  ])("%s with %s", async (id, thinking, fields) => {
    expect(await bodyOf(id, { thinking })).toMatchObject(fields);
  });

  test("nothing is said where nobody asked", async () => {
    for (const id of ["anthropic/claude-sonnet-5", "openrouter/openai/gpt-6-sol", "groq/openai/gpt-oss-120b"]) {
      const body = await bodyOf(id, {});
      for (const field of ["thinking", "output_config", "reasoning", "reasoning_effort"]) expect(body).not.toHaveProperty(field);
    }
  });

  test("a budget leaves room for the answer, and no temperature goes with it", async () => {
    const body = await bodyOf("anthropic/claude-haiku-4-5", { thinking: "max", maxOutputTokens: 4_096, temperature: 0.1 });
    expect(body).toMatchObject({ max_tokens: 4_096, thinking: { budget_tokens: 3_072 } });
    expect(body).not.toHaveProperty("temperature");
  });

  test("a budget waits where results go back for calls that were made without thoughts", async () => {
    const messages: Message[] = [
      HELLO,
      { role: "assistant", content: [{ type: "tool-call", callId: "c1", tool: "read", arguments: "{}" }] },
      { role: "tool", callId: "c1", tool: "read", isError: false, content: [{ type: "text", text: "x" }] },
    ];
    expect(await bodyOf("anthropic/claude-haiku-4-5", { thinking: "high", messages })).not.toHaveProperty("thinking");
  });
});

describe("thoughts of Chat Completions", () => {
  const endpoint = createEndpoint({ provider: "acme", url: "http://acme.test/v1/chat/completions", headers: {} });

  const answerTo = (deltas: readonly JsonObject[]) => {
    const reader = createOpenAiReader({ endpoint, request: request({}), bodyChars: 0, price: () => null });
    for (const delta of deltas) reader.onEvent("", JSON.stringify({ choices: [{ index: 0, delta }] }));
    reader.onEvent("", JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
    const answer = reader.finish("");
    if (answer.type !== "answer") throw new Error("no answer");
    return answer.content;
  };

  const sentBack = (provider: string, deltas: readonly JsonObject[]): JsonObject => {
    const body = createOpenAiBody({ model: "m", provider, maxTokensField: "max_tokens" });
    const messages: Message[] = [HELLO, { role: "assistant", content: answerTo(deltas) }, HELLO];
    const sent = JSON.parse(body(request({ messages }))) as { messages: JsonObject[] };
    return sent.messages[1] ?? {};
  };

  test("in details, as of OpenRouter, go back as they came, put together, and to nobody else", () => {
    const deltas = [
      { reasoning: "I ", reasoning_details: [{ type: "reasoning.text", index: 0, text: "I " }] },
      { reasoning: "see", reasoning_details: [{ type: "reasoning.text", index: 0, text: "see" }] },
      { reasoning_details: [{ type: "reasoning.text", index: 0, signature: "sig" }] },
      { content: "Yes." },
    ];
    expect(sentBack("acme", deltas)).toEqual({
      role: "assistant",
      content: "Yes.",
      reasoning_details: [{ type: "reasoning.text", index: 0, text: "I see", signature: "sig" }],
    });
    expect(sentBack("other", deltas)).toEqual({ role: "assistant", content: "Yes." });
  });

  test("in the content, as of Mistral, go back in the content", () => {
    const deltas = [{ content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }] }] }, { content: "Yes." }];
    expect(sentBack("acme", deltas)).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
        { type: "text", text: "Yes." },
      ],
    });
    expect(sentBack("other", deltas)).toEqual({ role: "assistant", content: "Yes." });
  });

  test("go back empty where the server wants the field on every answer", () => {
    const body = createOpenAiBody({
      model: "m",
      provider: "acme",
      maxTokensField: "max_tokens",
      traits: { sendsBack: "reasoning_content" },
    });
    const messages: Message[] = [HELLO, { role: "assistant", content: [{ type: "text", text: "Yes." }] }, HELLO];
    expect(JSON.parse(body(request({ messages })))).toMatchObject({
      messages: [{}, { role: "assistant", content: "Yes.", reasoning_content: "" }, {}],
    });
  });
});
