import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json, JsonObject } from "@retinue/protocol";
import { afterEach, expect, test } from "vitest";
import type { ModelAnswer, ModelRequest } from "../contract.ts";
import { createModels } from "../models.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** A server that answers with these lines, cut into pieces of seven bytes. */
const serve = async (lines: readonly Json[], end = "\n") => {
  const asked: { readonly url: string; readonly body: JsonObject }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      asked.push({ url: request.url ?? "", body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as JsonObject });
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      const bytes = Buffer.from(lines.map((line) => JSON.stringify(line)).join("\n") + end);
      for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
};

const REQUEST: ModelRequest = {
  system: "s",
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "go" },
        { type: "image", mediaType: "image/png", data: "AAAA" },
      ],
    },
    { role: "assistant", content: [{ type: "tool-call", callId: "c1", tool: "look", arguments: '{"path":"a"}' }] },
    { role: "tool", callId: "c1", tool: "look", content: [{ type: "text", text: "found" }], isError: false },
  ],
  tools: [{ name: "look", description: "looks", inputSchema: { type: "object", properties: {} } }],
  toolChoice: "auto",
  maxOutputTokens: 50,
};

const ask = async (baseUrl: string, contextWindow?: number): Promise<ModelAnswer> => {
  const models = createModels({
    providers: { ollama: { type: "ollama", baseUrl, ...(contextWindow === undefined ? {} : { contextWindow }) } },
    env: {},
    retry: { attempts: 1, maxWaitMs: 0 },
    streamIdleMs: 5_000,
  });
  const model = await models.resolve("ollama/qwen3:8b");
  expect(model.contextWindow).toBe(contextWindow);
  for await (const chunk of model.stream(REQUEST, new AbortController().signal)) if (chunk.type === "answer") return chunk;
  throw new Error("there was no answer");
};

test("a window that settings name is asked for by Ollama's own API, and its answer is read", async () => {
  const { asked, baseUrl } = await serve([
    { message: { role: "assistant", content: "", thinking: "hm" }, done: false },
    { message: { role: "assistant", content: "grün " }, done: false },
    {
      message: { role: "assistant", content: "ja", tool_calls: [{ function: { name: "look", arguments: { path: "b" } } }] },
      done: false,
    },
    { message: { role: "assistant", content: "" }, done: true, done_reason: "stop", prompt_eval_count: 120, eval_count: 9 },
  ]);
  expect(await ask(baseUrl, 32_768)).toMatchObject({
    finishReason: "tool-calls",
    content: [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "grün ja" },
      { type: "tool-call", tool: "look", arguments: '{"path":"b"}' },
    ],
    usage: { input: 120, output: 9 },
  });
  expect(asked[0]?.url).toBe("/api/chat");
  expect(asked[0]?.body).toMatchObject({
    options: { num_ctx: 32_768, num_predict: 50 },
    messages: [
      { role: "system", content: "s" },
      { role: "user", content: "go", images: ["AAAA"] },
      { role: "assistant", tool_calls: [{ function: { name: "look", arguments: { path: "a" } } }] },
      { role: "tool", tool_name: "look", content: "found" },
    ],
  });
});

test("an answer that ends before it is done is incomplete, and an error in it is told", async () => {
  const cut = await serve([{ message: { role: "assistant", content: "half" }, done: false }]);
  await expect(ask(cut.baseUrl, 8_192)).rejects.toMatchObject({ code: "model_stream_incomplete" });
  const failed = await serve([{ error: "model runner has unexpectedly stopped" }]);
  await expect(ask(failed.baseUrl, 8_192)).rejects.toMatchObject({
    message: expect.stringContaining("unexpectedly stopped") as string,
  });
});
