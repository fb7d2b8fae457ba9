import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject, Message } from "@retinue/protocol";
import { afterEach, describe, expect, test } from "vitest";
import type { ModelAnswer, ModelRequest } from "../contract.ts";
import { createModels } from "../models.ts";
import { speaksResponses } from "./openai-responses.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Asked = { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: JsonObject };

const TEXT: readonly JsonObject[] = [
  {
    type: "response.output_item.done",
    output_index: 0,
    item: { type: "message", content: [{ type: "output_text", text: "ok" }] },
  },
  { type: "response.completed", response: { usage: { input_tokens: 1_000, output_tokens: 10 } } },
];

/** A server that answers every request with these events. */
const serve = async (events: readonly JsonObject[]): Promise<{ baseUrl: string; asked: Asked[] }> => {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      asked.push({
        url: request.url ?? "",
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as JsonObject,
      });
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
};

const ask = async (
  given: Partial<ModelRequest>,
  model = "gpt-6-sol",
  events = TEXT,
): Promise<{ answer: ModelAnswer; asked: Asked }> => {
  const { baseUrl, asked } = await serve(events);
  const models = createModels({
    providers: { openai: { type: "openai", baseUrl, protocol: "responses" } },
    retry: { attempts: 1, maxWaitMs: 0 },
    streamIdleMs: 10_000,
    env: { OPENAI_API_KEY: "a-key" },
  });
  const request: ModelRequest = {
    system: "Be brief.",
    messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
    tools: [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }],
    toolChoice: "auto",
    ...given,
  };
  let answer: ModelAnswer | undefined;
  const resolved = await models.resolve(`openai/${model}`);
  for await (const chunk of resolved.stream(request, new AbortController().signal)) if (chunk.type === "answer") answer = chunk;
  const [first] = asked;
  if (!answer || !first) throw new Error("no answer");
  return { answer, asked: first };
};

describe("a request by Responses", () => {
  test("has the prompt, the tools and the cache key, and stores nothing", async () => {
    const { answer, asked } = await ask({ cacheKey: "ses_1 main", temperature: 0.1, maxOutputTokens: 4 });
    expect(answer).toMatchObject({ content: [{ type: "text", text: "ok" }], leftOut: ["temperature"] });
    expect(asked).toMatchObject({ url: "/v1/responses", headers: { authorization: "Bearer a-key" } });
    expect(asked.body).toEqual({
      model: "gpt-6-sol",
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "ses_1 main",
      instructions: "Be brief.",
      tools: [
        { type: "function", name: "read", description: "Reads.", parameters: { type: "object", properties: {} }, strict: false },
      ],
      max_output_tokens: 16,
      input: [{ role: "user", content: [{ type: "input_text", text: "hello" }] }],
    });
  });

  test("does not ask a model that never thinks for its thoughts", async () => {
    const { asked, answer } = await ask({ thinking: "high", temperature: 0.1 }, "gpt-4o");
    expect(asked.body).not.toHaveProperty("include");
    expect(asked.body).not.toHaveProperty("reasoning");
    expect(asked.body).toMatchObject({ temperature: 0.1 });
    expect(answer.leftOut).toEqual(["thinking"]);
  });

  test.each([
    ["max", { effort: "max", summary: "auto" }],
    ["low", { effort: "low", summary: "auto" }],
    [10_000, { effort: "high", summary: "auto" }],
    ["off", { effort: "none" }],
  ] as const)("says thinking %s in the model's own words", async (thinking, reasoning) => {
    expect((await ask({ thinking })).asked.body).toMatchObject({ reasoning });
  });

  test("sends its own thoughts back before what they led to, and nobody else's", async () => {
    const item = { type: "reasoning", id: "rs_1", encrypted_content: "gAAA", summary: [] };
    const messages: Message[] = [
      { role: "user", content: [{ type: "text", text: "look" }] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "of another", opaque: { type: "anthropic", signature: "s" } },
          { type: "reasoning", text: "", opaque: { responses: "openai", item } },
          { type: "text", text: "I look.", opaque: { responses: "openai", phase: "commentary" } },
          { type: "tool-call", callId: "call_1", tool: "read", arguments: '{"path":"x"}' },
          { type: "tool-call", callId: "call_2", tool: "read", arguments: "{broken" },
          { type: "reasoning", text: "", opaque: { responses: "openai", item: { ...item, id: "rs_2" } } },
        ],
      },
      { role: "tool", callId: "call_1", tool: "read", isError: false, content: [{ type: "text", text: "x is" }] },
      {
        role: "tool",
        callId: "call_2",
        tool: "read",
        isError: false,
        content: [
          { type: "text", text: "a picture" },
          { type: "image", mediaType: "image/png", data: "aGk=" },
        ],
      },
    ];
    const { asked } = await ask({ messages });
    expect(asked.body["input"]).toEqual([
      { role: "user", content: [{ type: "input_text", text: "look" }] },
      item,
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "I look.", annotations: [] }],
        phase: "commentary",
      },
      { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"x"}' },
      { type: "function_call", call_id: "call_2", name: "read", arguments: "{broken" },
      { type: "function_call_output", call_id: "call_1", output: "x is" },
      {
        type: "function_call_output",
        call_id: "call_2",
        output: [
          { type: "input_text", text: "a picture" },
          { type: "input_image", image_url: "data:image/png;base64,aGk=" },
        ],
      },
    ]);
  });
});

test("Responses is spoken at OpenAI and at Azure's v1, Chat Completions at compatible servers", () => {
  expect(speaksResponses("https://api.openai.com/v1")).toBe(true);
  expect(speaksResponses("https://mine.openai.azure.com/openai/v1")).toBe(true);
  expect(speaksResponses("https://mine.openai.azure.com/openai/deployments/x")).toBe(false);
  expect(speaksResponses("http://127.0.0.1:4000/v1")).toBe(false);
});
