import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@retinue/protocol";
import { afterEach, describe, expect, test } from "vitest";
import type { ModelAnswer, ModelChunk, ModelRequest } from "../contract.ts";
import { createGate } from "../gate.ts";
import { google } from "./google.ts";

/** Answers one request to `streamGenerateContent`. */
type Answer = (response: ServerResponse) => void;

type Asked = { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: JsonObject };

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** A server that speaks Gemini's stream of server-sent events, by script. */
const startGemini = async (answers: readonly Answer[]): Promise<{ baseUrl: string; asked: Asked[] }> => {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const answer = answers[asked.length];
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as JsonObject;
      asked.push({ url: request.url ?? "", headers: request.headers, body });
      if (answer) answer(response);
      else response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1beta`, asked };
};

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\r\n\r\n`;

const candidate = (parts: readonly unknown[], finishReason?: string): unknown => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason === undefined ? {} : { finishReason }) }],
});

const USAGE = {
  usageMetadata: { promptTokenCount: 12, cachedContentTokenCount: 4, candidatesTokenCount: 5, thoughtsTokenCount: 3 },
};

const stream =
  (...events: readonly unknown[]): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const one of events) response.write(event(one));
    response.end();
  };

const refuse =
  (status: number, error: JsonObject): Answer =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));

const never = new AbortController().signal;
const KEY = "AIza-canary-0123456789";

const ask = (messages?: ModelRequest["messages"]): ModelRequest => ({
  system: "Be brief.",
  messages: messages ?? [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  tools: [{ name: "read", description: "Reads.", inputSchema: { type: "object", properties: { path: { type: "string" } } } }],
  toolChoice: "auto",
});

const createModel = (baseUrl: string, retry = { attempts: 1, maxWaitMs: 0 }, streamIdleMs = 10_000) =>
  google.createModel({
    id: "google/gemini-test",
    model: "gemini-test",
    provider: "google",
    baseUrl,
    apiKey: KEY,
    headers: { "x-team": "red" },
    gate: createGate({}),
    retry,
    streamIdleMs,
    price: (usage) => usage.output,
  });

const collect = async (chunks: AsyncIterable<ModelChunk>): Promise<ModelChunk[]> => {
  const all: ModelChunk[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
};

const lastOf = (chunks: readonly ModelChunk[]): ModelAnswer => {
  const last = chunks.at(-1);
  if (last?.type !== "answer") throw new Error("no answer");
  return last;
};

const failureOf = async (answers: readonly Answer[], streamIdleMs?: number): Promise<unknown> => {
  const { baseUrl } = await startGemini(answers);
  const model = await createModel(baseUrl, undefined, streamIdleMs);
  return collect(model.stream(ask(), never)).then(
    () => expect.unreachable("it did not fail"),
    (thrown: unknown) => thrown,
  );
};

describe("Gemini", () => {
  test("streams its text, with usage and cost", async () => {
    const { baseUrl, asked } = await startGemini([
      stream(candidate([{ text: "Hel" }]), { ...(candidate([{ text: "lo" }], "STOP") as object), ...USAGE }),
    ]);
    const chunks = await collect((await createModel(baseUrl)).stream(ask(), never));
    expect(chunks).toEqual([
      { type: "text", text: "Hel" },
      { type: "text", text: "lo" },
      {
        type: "answer",
        content: [{ type: "text", text: "Hello" }],
        finishReason: "stop",
        usage: { input: 12, output: 8, cached: 4, reasoning: 3 },
        costUsd: 8,
      },
    ]);
    expect(asked[0]?.url).toBe("/v1beta/models/gemini-test:streamGenerateContent?alt=sse");
    expect(asked[0]?.headers).toMatchObject({ "x-goog-api-key": KEY, "x-team": "red" });
    expect(asked[0]?.body).toMatchObject({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      tools: [{ functionDeclarations: [{ name: "read" }] }],
    });
  });

  test("gets its thought signatures back with the calls and texts they came with", async () => {
    const { baseUrl, asked } = await startGemini([
      stream(
        candidate([{ text: "thinking", thought: true }]),
        candidate([{ functionCall: { name: "read", args: { path: "a" } }, thoughtSignature: "c2lnLWNhbGw=" }], "STOP"),
      ),
      stream(candidate([{ text: "It says hi." }]), candidate([{ text: "", thoughtSignature: "c2lnLXRleHQ=" }], "STOP")),
      stream(candidate([{ text: "bye" }], "STOP")),
    ]);
    const model = await createModel(baseUrl);
    const first = ask();
    const called = lastOf(await collect(model.stream(first, never)));
    const call = called.content.find((part) => part.type === "tool-call");
    if (!call) throw new Error("no call");
    expect(called.finishReason).toBe("tool-calls");
    expect(call).toMatchObject({ tool: "read", arguments: '{"path":"a"}' });
    const history: ModelRequest["messages"] = [
      ...first.messages,
      { role: "assistant", content: called.content },
      { role: "tool", callId: call.callId, tool: "read", isError: false, content: [{ type: "text", text: "hi" }] },
    ];
    const said = lastOf(await collect(model.stream(ask(history), never)));
    expect(said.content).toMatchObject([{ type: "text", text: "It says hi." }]);
    await collect(
      model.stream(
        ask([
          ...history,
          { role: "assistant", content: said.content },
          { role: "user", content: [{ type: "text", text: "thanks" }] },
        ]),
        never,
      ),
    );
    expect(asked[2]?.body["contents"]).toMatchObject([
      { role: "user", parts: [{ text: "hello" }] },
      {
        role: "model",
        parts: [
          { text: "thinking", thought: true },
          { functionCall: { name: "read", args: { path: "a" } }, thoughtSignature: "c2lnLWNhbGw=" },
        ],
      },
      { role: "user", parts: [{ functionResponse: { name: "read", response: { content: "hi" } } }] },
      { role: "model", parts: [{ text: "It says hi.", thoughtSignature: "c2lnLXRleHQ=" }] },
      { role: "user", parts: [{ text: "thanks" }] },
    ]);
  });

  test("is shown images of tool results inside the result", async () => {
    const { baseUrl, asked } = await startGemini([stream(candidate([{ text: "a cat" }], "STOP"))]);
    await collect(
      (await createModel(baseUrl)).stream(
        ask([
          { role: "assistant", content: [{ type: "tool-call", callId: "1", tool: "shot", arguments: "{}" }] },
          {
            role: "tool",
            callId: "1",
            tool: "shot",
            isError: false,
            content: [{ type: "image", mediaType: "image/png", data: "aGk=" }],
          },
        ]),
        never,
      ),
    );
    const sent = JSON.stringify(asked[0]?.body["contents"]);
    expect(sent).toContain('"inlineData":{"mimeType":"image/png","data":"aGk="}');
    expect(asked[0]?.body["contents"]).toHaveLength(2);
  });
});

describe("a failure of Gemini", () => {
  test("before the stream has its code, and never shows the key", async () => {
    const error = await failureOf([
      refuse(400, {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: `API key not valid: ${KEY}`,
        details: [{ reason: "API_KEY_INVALID" }],
      }),
    ]);
    expect(error).toMatchObject({ code: "model_auth" });
    expect(String(error)).toContain("API key not valid");
    expect(String(error)).not.toContain(KEY);
  });

  test("inside the stream is not taken for an end", async () => {
    const error = await failureOf([
      stream(candidate([{ text: "half" }]), { error: { code: 503, status: "UNAVAILABLE", message: "The model is overloaded." } }),
    ]);
    expect(error).toMatchObject({ code: "model_overloaded", message: expect.stringContaining("The model is overloaded.") });
  });

  test("is a stream that ends without a finish reason", async () => {
    expect(await failureOf([stream(candidate([{ text: "half" }]))])).toMatchObject({ code: "model_stream_incomplete" });
  });

  test("is a socket that is cut in the middle", async () => {
    const error = await failureOf([
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(event(candidate([{ text: "half" }])), () => response.destroy());
      },
    ]);
    expect(error).toMatchObject({ code: "model_stream_incomplete" });
  });

  test("is a stream that falls silent", async () => {
    const error = await failureOf(
      [
        (response) => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.write(event(candidate([{ text: "half" }])));
        },
      ],
      100,
    );
    expect(error).toMatchObject({ code: "model_stream_stalled" });
  });

  test("is a page where the stream should be, or an event that is not JSON", async () => {
    const page = await failureOf([
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html></html>"),
    ]);
    expect(page).toMatchObject({ code: "model_stream_garbage" });
    const broken = await failureOf([
      (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end("data: {oops\n\n"),
    ]);
    expect(broken).toMatchObject({ code: "model_stream_garbage" });
  });

  test("is a call that Gemini itself finds malformed", async () => {
    expect(await failureOf([stream(candidate([], "MALFORMED_FUNCTION_CALL"))])).toMatchObject({
      code: "model_stream_incomplete",
      message: expect.stringContaining("MALFORMED_FUNCTION_CALL"),
    });
  });

  test("that nobody listens is an unreachable server", async () => {
    const { baseUrl } = await startGemini([]);
    await closers.pop()?.();
    const model = await createModel(baseUrl);
    await expect(collect(model.stream(ask(), never))).rejects.toMatchObject({ code: "model_unreachable" });
  });

  test("is tried again until it answers", async () => {
    const { baseUrl, asked } = await startGemini([
      refuse(503, { code: 503, status: "UNAVAILABLE", message: "later" }),
      stream(candidate([{ text: "half" }])),
      stream(candidate([{ text: "whole" }], "STOP")),
    ]);
    const model = await createModel(baseUrl, { attempts: 3, maxWaitMs: 0 });
    const chunks = await collect(model.stream(ask(), never));
    expect(chunks.map((chunk) => chunk.type)).toEqual(["retry", "text", "retry", "text", "answer"]);
    expect(asked).toHaveLength(3);
  });
});

test("an abort ends the request to Gemini by throwing", async () => {
  const left = Promise.withResolvers<void>();
  const { baseUrl } = await startGemini([
    (response) => {
      response.on("close", () => left.resolve());
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(event(candidate([{ text: "half" }])));
    },
  ]);
  const model = await createModel(baseUrl, { attempts: 3, maxWaitMs: 0 });
  const controller = new AbortController();
  const iterator = model.stream(ask(), controller.signal)[Symbol.asyncIterator]();
  await iterator.next();
  controller.abort("enough");
  await expect(iterator.next()).rejects.toBeDefined();
  await left.promise;
});
