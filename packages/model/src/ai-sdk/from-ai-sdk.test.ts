import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import type { ModelChunk, ModelRequest } from "../contract.ts";
import { createGate } from "../gate.ts";
import { fromAiSdk, isAiSdkModel } from "./from-ai-sdk.ts";
import type { FromAiSdkOptions } from "./from-ai-sdk.ts";

type Part = LanguageModelV4StreamPart;
type Turn = readonly Part[] | ((options: LanguageModelV4CallOptions) => ReadableStream<Part> | Promise<ReadableStream<Part>>);

const USAGE: LanguageModelV4Usage = {
  inputTokens: { total: 100, noCache: 60, cacheRead: 40, cacheWrite: 0 },
  outputTokens: { total: 20, text: 15, reasoning: 5 },
};

const finish = (unified: LanguageModelV4FinishReason["unified"] = "stop"): Part => ({
  type: "finish",
  usage: USAGE,
  finishReason: { unified, raw: `raw-${unified}` },
});

const say = (text: string): Part[] => [
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: text },
  { type: "text-end", id: "0" },
];

/** A model by hand: each call streams the next turn and then ends. */
const handmade = (turns: readonly Turn[], provider = "acme.chat") => {
  const calls: LanguageModelV4CallOptions[] = [];
  const model: LanguageModelV4 = {
    specificationVersion: "v4",
    provider,
    modelId: "m-1",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("not used")),
    doStream: async (options) => {
      const turn = turns[calls.length];
      calls.push(options);
      if (!turn) throw new Error("no turn left");
      if (typeof turn === "function") return { stream: await turn(options) };
      return { stream: ReadableStream.from(turn) };
    },
  };
  return { model, calls };
};

const never = new AbortController().signal;

const ask = (request: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "Be brief.",
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  tools: [],
  toolChoice: "auto",
  ...request,
});

const collect = async (chunks: AsyncIterable<ModelChunk>): Promise<ModelChunk[]> => {
  const all: ModelChunk[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
};

const options = (): FromAiSdkOptions => ({ gate: createGate({}), retry: { attempts: 1, maxWaitMs: 0 } });

const run = async (turns: readonly Turn[], given: FromAiSdkOptions = options(), request = ask()) => {
  const { model, calls } = handmade(turns);
  return { chunks: await collect(fromAiSdk(model, given).stream(request, never)), calls };
};

const answerOf = async (...parameters: Parameters<typeof run>) => {
  const last = (await run(...parameters)).chunks.at(-1);
  if (last?.type !== "answer") throw new Error("no answer");
  return last;
};

const failureOf = (turns: readonly Turn[], given?: FromAiSdkOptions): Promise<unknown> =>
  run(turns, given).then(
    () => expect.unreachable("it did not fail"),
    (thrown: unknown) => thrown,
  );

describe("an answer", () => {
  test("is streamed as it comes and whole at the end", async () => {
    const { chunks } = await run(
      [
        [
          { type: "stream-start", warnings: [] },
          { type: "reasoning-start", id: "r" },
          { type: "reasoning-delta", id: "r", delta: "let me " },
          { type: "reasoning-delta", id: "r", delta: "see" },
          { type: "reasoning-end", id: "r", providerMetadata: { acme: { signature: "sig" } } },
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: "Hel" },
          { type: "ping" },
          { type: "text-delta", id: "t", delta: "lo" },
          { type: "text-end", id: "t" },
          { type: "tool-input-start", id: "c1", toolName: "read" },
          { type: "tool-input-delta", id: "c1", delta: '{"path":' },
          { type: "tool-input-delta", id: "c1", delta: '"a"}' },
          { type: "tool-input-end", id: "c1" },
          { type: "tool-call", toolCallId: "c1", toolName: "read", input: '{"path":"a"}', providerMetadata: { acme: { s: 1 } } },
          { type: "tool-call", toolCallId: "c2", toolName: "ls", input: "" },
          finish("tool-calls"),
        ],
      ],
      { ...options(), price: (usage) => usage.input / 100 },
    );
    expect(chunks).toEqual([
      { type: "reasoning", text: "let me " },
      { type: "reasoning", text: "see" },
      { type: "text", text: "Hel" },
      { type: "text", text: "lo" },
      { type: "tool-input", tool: "read", text: '{"path":' },
      { type: "tool-input", tool: "read", text: '"a"}' },
      {
        type: "answer",
        content: [
          { type: "reasoning", text: "let me see", opaque: { aiSdk: "acme.chat", metadata: { acme: { signature: "sig" } } } },
          { type: "text", text: "Hello" },
          {
            type: "tool-call",
            callId: "c1",
            tool: "read",
            arguments: '{"path":"a"}',
            opaque: { aiSdk: "acme.chat", metadata: { acme: { s: 1 } } },
          },
          { type: "tool-call", callId: "c2", tool: "ls", arguments: "{}" },
        ],
        finishReason: "tool-calls",
        usage: { input: 100, output: 20, cached: 40, reasoning: 5 },
        costUsd: 1,
      },
    ]);
  });

  test("keeps what the provider attached to a text, and merges what came in pieces", async () => {
    const { content } = await answerOf([
      [
        { type: "text-start", id: "0", providerMetadata: { acme: { item: "i" } } },
        { type: "text-delta", id: "0", delta: "Hi" },
        { type: "text-delta", id: "0", delta: "", providerMetadata: { acme: { signature: "s", nothing: undefined } } },
        { type: "text-end", id: "0" },
        finish(),
      ],
    ]);
    expect(content).toStrictEqual([
      { type: "text", text: "Hi", opaque: { aiSdk: "acme.chat", metadata: { acme: { item: "i", signature: "s" } } } },
    ]);
  });

  test("has call ids that are unique in it and in the conversation", async () => {
    const call = (toolCallId: string): Part => ({ type: "tool-call", toolCallId, toolName: "ls", input: "{}" });
    const { content } = await answerOf([[call("a"), call("a"), call(""), call(""), call("old"), finish()]], options(), {
      ...ask(),
      messages: [{ role: "assistant", content: [{ type: "tool-call", callId: "old", tool: "ls", arguments: "{}" }] }],
    });
    const ids = content.map((part) => part.type === "tool-call" && part.callId);
    expect(ids).toEqual(["a", "call_2", "call_3", "call_4", "call_5"]);
  });

  test("that was cut inside a call holds the call with what there was of it", async () => {
    const { content, finishReason } = await answerOf([
      [
        { type: "tool-input-start", id: "c", toolName: "write" },
        { type: "tool-input-delta", id: "c", delta: '{"text":"lo' },
        { type: "tool-input-start", id: "d", toolName: "ls" },
        finish("length"),
      ],
    ]);
    expect(finishReason).toBe("length");
    expect(content).toEqual([
      { type: "tool-call", callId: "c", tool: "write", arguments: '{"text":"lo' },
      { type: "tool-call", callId: "d", tool: "ls", arguments: "" },
    ]);
  });

  test("leaves out what the provider executed itself", async () => {
    const { content, finishReason } = await answerOf([
      [
        { type: "tool-input-start", id: "s", toolName: "search", providerExecuted: true },
        { type: "tool-input-delta", id: "s", delta: "{}" },
        { type: "tool-call", toolCallId: "s", toolName: "search", input: "{}", providerExecuted: true },
        { type: "tool-result", toolCallId: "s", toolName: "search", result: {} },
        ...say("found"),
        finish(),
      ],
    ]);
    expect(content).toEqual([{ type: "text", text: "found" }]);
    expect(finishReason).toBe("stop");
  });

  test.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content-filter", "filtered"],
    ["other", "other"],
  ] as const)("that ended by %s says %s", async (unified, expected) => {
    expect((await answerOf([[...say("x"), finish(unified)]])).finishReason).toBe(expected);
  });
});

describe("a request", () => {
  test("is sent in the SDK's words, results of one turn together and what was opaque returned to its provider alone", async () => {
    const { calls } = await run([[finish()]], options(), {
      system: "Be brief.",
      temperature: 0.2,
      maxOutputTokens: 99,
      toolChoice: "none",
      tools: [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "image", mediaType: "image/png", data: "aGk=" },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "mine", opaque: { aiSdk: "acme.chat", metadata: { acme: { signature: "s" } } } },
            { type: "reasoning", text: "of another", opaque: { aiSdk: "other.chat", metadata: { other: { signature: "o" } } } },
            { type: "reasoning", text: "of a wire of ours", opaque: "sig" },
            { type: "text", text: "ok" },
            { type: "text", text: "", opaque: { aiSdk: "other.chat", metadata: { other: { signature: "o" } } } },
            {
              type: "tool-call",
              callId: "1",
              tool: "read",
              arguments: '{"path":"a"}',
              opaque: { aiSdk: "acme.chat", metadata: { acme: { s: 1 } } },
            },
            { type: "tool-call", callId: "2", tool: "read", arguments: "{broken" },
          ],
        },
        { role: "tool", callId: "1", tool: "read", isError: false, content: [{ type: "text", text: "text of a" }] },
        { role: "tool", callId: "2", tool: "read", isError: true, content: [{ type: "text", text: "not JSON" }] },
        { role: "assistant", content: [{ type: "reasoning", text: "of another alone" }] },
      ],
    });
    expect(calls[0]).toMatchObject({
      temperature: 0.2,
      maxOutputTokens: 99,
      toolChoice: { type: "none" },
      tools: [{ type: "function", name: "read", description: "Reads.", inputSchema: { type: "object" } }],
    });
    expect(calls[0]?.prompt).toEqual([
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: "aGk=" } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "mine", providerOptions: { acme: { signature: "s" } } },
          { type: "text", text: "ok" },
          { type: "tool-call", toolCallId: "1", toolName: "read", input: { path: "a" }, providerOptions: { acme: { s: 1 } } },
          { type: "tool-call", toolCallId: "2", toolName: "read", input: { malformed_arguments: "{broken" } },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "1", toolName: "read", output: { type: "text", value: "text of a" } },
          { type: "tool-result", toolCallId: "2", toolName: "read", output: { type: "error-text", value: "not JSON" } },
        ],
      },
    ]);
  });

  test("without tools names none, and takes the user's provider options along", async () => {
    const { calls } = await run([[finish()]], { ...options(), providerOptions: { acme: { effort: "high" } } });
    expect(calls[0]).not.toHaveProperty("tools");
    expect(calls[0]).not.toHaveProperty("toolChoice");
    expect(calls[0]).toMatchObject({ providerOptions: { acme: { effort: "high" } } });
  });

  const screenshot: ModelRequest = ask({
    messages: [
      { role: "assistant", content: [{ type: "tool-call", callId: "1", tool: "shot", arguments: "{}" }] },
      {
        role: "tool",
        callId: "1",
        tool: "shot",
        isError: false,
        content: [{ type: "image", mediaType: "image/png", data: "aGk=" }],
      },
      { role: "user", content: [{ type: "text", text: "and now?" }] },
    ],
  });
  const image = { type: "file", mediaType: "image/png", data: { type: "data", data: "aGk=" } };

  test("moves images of tool results into a user message where the provider would write them out as text", async () => {
    const { calls } = await run([[finish()]], options(), screenshot);
    expect(calls[0]?.prompt.slice(2)).toEqual([
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "1", toolName: "shot", output: { type: "text", value: "The image follows." } },
        ],
      },
      { role: "user", content: [{ type: "text", text: "What shot (1) returned:" }, image] },
      { role: "user", content: [{ type: "text", text: "and now?" }] },
    ]);
  });

  test("leaves them in the result where the provider shows them", async () => {
    const { model, calls } = handmade([[finish()]], "anthropic.messages");
    await collect(fromAiSdk(model, options()).stream(screenshot, never));
    expect(calls[0]?.prompt[2]).toMatchObject({ content: [{ output: { type: "content", value: [image] } }] });
  });
});

describe("a failure", () => {
  test("is a stream that ends without its finish part", async () => {
    expect(await failureOf([say("half")])).toMatchObject({ code: "model_stream_incomplete" });
  });

  test.each(["interrupted", "error"] as const)("is a stream that finishes as %s", async (unified) => {
    const error = await failureOf([[...say("half"), finish(unified)]]);
    expect(error).toMatchObject({ code: "model_stream_incomplete", message: expect.stringContaining(`raw-${unified}`) });
  });

  test("is an error part, even if a finish follows", async () => {
    const error = await failureOf([
      [...say("half"), { type: "error", error: { message: "Overloaded", statusCode: 529 } }, finish()],
    ]);
    expect(error).toMatchObject({ code: "model_overloaded", message: expect.stringContaining("Overloaded") });
  });

  test("is a socket that breaks in the middle, which the SDK reports with status 200", async () => {
    const cut = new APICallError({
      message: "terminated",
      url: "",
      requestBodyValues: {},
      statusCode: 200,
      isRetryable: true,
      cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }),
    });
    const broken = async function* (): AsyncGenerator<Part> {
      yield* say("half");
      throw cut;
    };
    const error = await failureOf([() => ReadableStream.from(broken())]);
    expect(error).toMatchObject({ code: "model_stream_incomplete", message: expect.stringContaining("other side closed") });
  });

  const status =
    (statusCode: number, responseBody: string, responseHeaders = {}) =>
    () =>
      Promise.reject<ReadableStream<Part>>(
        new APICallError({ message: "m", url: "", requestBodyValues: {}, statusCode, responseBody, responseHeaders }),
      );

  test.each([
    [401, "{}", "model_auth"],
    [400, '{"error":{"message":"API key not valid. Please pass a valid API key."}}', "model_auth"],
    [404, "{}", "model_not_found"],
    [429, "{}", "model_rate_limited"],
    [500, "{}", "model_server_error"],
    [
      400,
      '{"error":{"message":"The input token count (9) exceeds the maximum number of tokens allowed (8)."}}',
      "model_context_overflow",
    ],
    [400, "{}", "model_bad_request"],
  ] as const)("by status %i %s is %s", async (code, body, expected) => {
    expect(await failureOf([status(code, body)])).toMatchObject({ code: expected });
  });

  test("of a socket before any answer is an unreachable server", async () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const error = await failureOf([
      () =>
        Promise.reject(
          new APICallError({ message: "Cannot connect", url: "", requestBodyValues: {}, cause: refused, isRetryable: true }),
        ),
    ]);
    expect(error).toMatchObject({ code: "model_unreachable", message: expect.stringContaining("ECONNREFUSED") });
  });

  test("that nobody foresaw is told with its words", async () => {
    const error = await failureOf([() => Promise.reject(new TypeError("x is not a function"))]);
    expect(error).toMatchObject({ code: "model_bad_request", message: expect.stringContaining("x is not a function") });
  });

  test("does not repeat the secrets of which it was told", async () => {
    const error = await failureOf([status(400, '{"error":{"message":"no canary-key please"}}')], {
      ...options(),
      secrets: ["canary-key"],
    });
    expect(String(error)).not.toContain("canary-key");
    expect(String(error)).toContain("please");
  });

  test("is tried again by our rules, what was streamed before made void", async () => {
    const { chunks, calls } = await run([[...say("half")], [...say("whole"), finish()]], {
      gate: createGate({}),
      retry: { attempts: 2, maxWaitMs: 0 },
    });
    expect(chunks.map((chunk) => chunk.type)).toEqual(["text", "retry", "text", "answer"]);
    expect(chunks[3]).toMatchObject({ content: [{ type: "text", text: "whole" }] });
    expect(calls).toHaveLength(2);
  });

  test("that says how long to wait longer than we may is final at once", async () => {
    const limited = status(429, '{"error":{"message":"slow down","details":[{"retryDelay":"34s"}]}}');
    const { model, calls } = handmade([limited, limited]);
    const stream = fromAiSdk(model, { gate: createGate({}), retry: { attempts: 5, maxWaitMs: 1_000 } }).stream(ask(), never);
    await expect(collect(stream)).rejects.toMatchObject({ code: "model_rate_limited" });
    expect(calls).toHaveLength(1);
  });

  test("is silence, and the SDK is told to stop, whether or not it listens", async () => {
    const silent: Turn = () => new ReadableStream<Part>({ start: (controller) => controller.enqueue({ type: "ping" }) });
    const { model, calls } = handmade([silent]);
    const stream = fromAiSdk(model, { ...options(), streamIdleMs: 20 }).stream(ask(), never);
    await expect(collect(stream)).rejects.toMatchObject({ code: "model_stream_stalled" });
    expect(calls[0]?.abortSignal?.aborted).toBe(true);
    const deaf = handmade([() => new Promise(() => {})]);
    const other = fromAiSdk(deaf.model, { ...options(), streamIdleMs: 20 }).stream(ask(), never);
    await expect(collect(other)).rejects.toThrow(/before its answer began/);
  });
});

test("a stream that the SDK opens after it was given up is closed again", async () => {
  const opened = Promise.withResolvers<ReadableStream<Part>>();
  const cancelled = Promise.withResolvers<void>();
  const { model } = handmade([() => opened.promise]);
  const stream = fromAiSdk(model, { ...options(), streamIdleMs: 20 }).stream(ask(), never);
  await expect(collect(stream)).rejects.toMatchObject({ code: "model_stream_stalled" });
  opened.resolve(new ReadableStream<Part>({ cancel: () => cancelled.resolve() }));
  await cancelled.promise;
});

describe("an abort", () => {
  test("ends the stream by throwing, cancels the SDK's stream and frees the gate", async () => {
    const gate = createGate({ maxConcurrent: 1 });
    const cancelled = Promise.withResolvers<void>();
    const endless: Turn = () =>
      new ReadableStream<Part>({
        start: (controller) => {
          for (const part of say("x")) controller.enqueue(part);
        },
        cancel: () => cancelled.resolve(),
      });
    const { model, calls } = handmade([endless, [...say("next"), finish()]]);
    const wrapped = fromAiSdk(model, { gate, retry: { attempts: 3, maxWaitMs: 0 } });
    const controller = new AbortController();
    const iterator = wrapped.stream(ask(), controller.signal)[Symbol.asyncIterator]();
    expect(await iterator.next()).toMatchObject({ value: { type: "text" } });
    controller.abort(new Error("the user's own reason"));
    await expect(iterator.next()).rejects.toThrow();
    await cancelled.promise;
    expect(calls[0]?.abortSignal?.aborted).toBe(true);
    expect((await collect(wrapped.stream(ask(), never))).at(-1)).toMatchObject({ type: "answer" });
  });

  test("before the call makes none", async () => {
    const { model, calls } = handmade([[finish()]]);
    await expect(collect(fromAiSdk(model, options()).stream(ask(), AbortSignal.abort()))).rejects.toThrow();
    expect(calls).toEqual([]);
  });

  test("by a reader that leaves cancels the SDK's stream too", async () => {
    const cancelled = Promise.withResolvers<void>();
    const endless: Turn = () =>
      new ReadableStream<Part>({
        start: (controller) => {
          for (const part of say("x")) controller.enqueue(part);
        },
        cancel: () => cancelled.resolve(),
      });
    const { model } = handmade([endless]);
    for await (const _ of fromAiSdk(model, options()).stream(ask(), never)) break;
    await cancelled.promise;
  });
});

describe("the guard", () => {
  test("knows a v4 model from anything else, and fromAiSdk refuses the rest", () => {
    const { model } = handmade([]);
    expect(isAiSdkModel(model)).toBe(true);
    for (const other of [undefined, null, "openai/gpt-4o", {}, { ...model, specificationVersion: "v2" }, { stream: () => {} }])
      expect(isAiSdkModel(other)).toBe(false);
    const old = { ...model, specificationVersion: "v3" } as unknown as LanguageModelV4;
    expect(() => fromAiSdk(old)).toThrow(/specification v4/);
  });

  test("the model is named by the SDK's names unless told otherwise", () => {
    const { model } = handmade([], "google.generative-ai");
    expect(fromAiSdk(model)).toMatchObject({ id: "google/m-1" });
    expect(fromAiSdk(model).price({ input: 1, output: 1, cached: 0, reasoning: 0 })).toBeNull();
    expect(fromAiSdk(model, { id: "work/x", contextWindow: 5 })).toMatchObject({ id: "work/x", contextWindow: 5 });
  });
});

describe("N13 usage that no call can have", () => {
  test.each([2 ** 53, 1e18, Number.NaN, Infinity, -1, "9"])("%s is our own estimate, and so is the price", async (tokens) => {
    // A provider's package may hand on whatever its server said.
    const told = tokens as number;
    const usage: LanguageModelV4Usage = {
      inputTokens: { total: told, noCache: told, cacheRead: told, cacheWrite: told },
      outputTokens: { total: told, text: told, reasoning: told },
    };
    const last: Part = { type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } };
    const answer = await answerOf([[...say("x".repeat(400)), last]], { ...options(), price: ({ output }) => output / 100 });
    expect(answer.usage).toEqual({ input: 4, output: 100, cached: 0, reasoning: 0 });
    expect(answer.costUsd).toBe(1);
  });
});

test("an answer that does not end is cut at a bound, and says that it reached its output limit", async () => {
  const piece = "x".repeat(1024 * 1024);
  let sent = 0;
  const endless = () =>
    new ReadableStream<Part>({
      start: (controller) => controller.enqueue({ type: "text-start", id: "0" }),
      pull: (controller) => {
        sent += 1;
        controller.enqueue({ type: "text-delta", id: "0", delta: piece });
      },
    });
  const answer = await answerOf([endless]);
  expect(answer.finishReason).toBe("length");
  expect(answer.content).toMatchObject([{ type: "text" }]);
  expect(sent).toBeLessThan(20);
});
