/** Every way in which a server is known to misbehave, over both protocols and a real socket. */
import { EventEmitter } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import type { ErrorCode, Json } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { afterEach, describe, expect, it } from "vitest";
import type { ModelAnswer, ModelChunk, ModelRequest } from "../contract.ts";
import { createGate } from "../gate.ts";
import { startMockServer } from "../testing/mock-server.ts";
import type { MockReply, MockRequest, MockServer } from "../testing/mock-server.ts";
import { createManualTiming } from "../transport/manual-timing.ts";
import { createAnthropicModel } from "./anthropic-messages.ts";
import { createOpenAiChatModel } from "./openai-chat.ts";
import type { WireOptions } from "./wire-options.ts";

const KEY = "sk-secret-0123456789";
const TEXT = "Grüße, 世界! 🎉🎉 done";
const REQUEST: ModelRequest = {
  system: "be brief",
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  tools: [{ name: "look", description: "looks", inputSchema: { type: "object" } }],
  toolChoice: "auto",
};

const open: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const serve = async (
  script: readonly MockReply[] | ((request: MockRequest) => MockReply | Promise<MockReply>),
): Promise<MockServer> => {
  const server = await startMockServer(typeof script === "function" ? { reply: script } : { replies: script });
  open.push(server);
  return server;
};

type Outcome = {
  readonly chunks: ModelChunk[];
  readonly answer: ModelAnswer | undefined;
  readonly error: RetinueError | undefined;
  readonly waits: readonly number[];
};

const PROTOCOLS = [
  ["openai", createOpenAiChatModel],
  ["anthropic", createAnthropicModel],
] as const;

describe.each(PROTOCOLS)("over %s", (protocol, create) => {
  const optionsFor = (baseUrl: string, rest: Partial<WireOptions> = {}): WireOptions => ({
    id: "acme/m",
    model: "m",
    provider: "acme",
    baseUrl,
    apiKey: KEY,
    gate: createGate(),
    retry: { attempts: 4, maxWaitMs: 60_000 },
    streamIdleMs: 20_000,
    price: (usage) => usage.input + usage.output * 2,
    ...rest,
  });

  const ask = async (baseUrl: string, rest: Partial<WireOptions> = {}, request = REQUEST): Promise<Outcome> => {
    const timing = createManualTiming({ jumps: true, date: Date.parse("2026-11-15T12:00:00Z") });
    const model = create(optionsFor(baseUrl, { timing, gate: createGate({ timing }), ...rest }));
    const chunks: ModelChunk[] = [];
    let error: RetinueError | undefined;
    try {
      for await (const chunk of model.stream(request, new AbortController().signal)) chunks.push(chunk);
    } catch (thrown) {
      if (!(thrown instanceof RetinueError)) throw thrown;
      error = thrown;
    }
    const answers = chunks.filter((chunk) => chunk.type === "answer");
    expect(answers.length).toBe(error ? 0 : 1);
    return { chunks, answer: answers[0], error, waits: timing.waits };
  };

  const fails = async (
    reply: MockReply,
    code: ErrorCode,
    requests: number,
    rest: Partial<WireOptions> = {},
  ): Promise<Outcome> => {
    const server = await serve(() => reply);
    const outcome = await ask(server.baseUrl, rest);
    expect(outcome.error).toMatchObject({ code });
    expect(server.requests.length).toBe(requests);
    expect(outcome.chunks.filter((chunk) => chunk.type === "retry").length).toBe(requests - 1);
    expect(outcome.error?.message).toContain(`acme (127.0.0.1:`);
    expect(JSON.stringify([outcome.chunks, outcome.error?.message, outcome.error?.stack])).not.toContain("0123456789");
    return outcome;
  };

  it("an answer comes whole, with its deltas, its usage and its price", async () => {
    const usage = { input: 50, output: 7, cached: 20, reasoning: 0 };
    const server = await serve([
      { reasoning: "hm, hm", text: TEXT, toolCalls: [{ name: "look", arguments: '{"at":"ü"}' }], usage },
    ]);
    const { chunks, answer } = await ask(server.baseUrl);
    const said = (type: string) => chunks.map((chunk) => (chunk.type === type && "text" in chunk ? chunk.text : "")).join("");
    expect([said("reasoning"), said("text"), said("tool-input")]).toEqual(["hm, hm", TEXT, '{"at":"ü"}']);
    expect(answer).toMatchObject({
      content: [
        { type: "reasoning", text: "hm, hm" },
        { type: "text", text: TEXT },
        { type: "tool-call", tool: "look", arguments: '{"at":"ü"}' },
      ],
      finishReason: "tool-calls",
      // Not told by this protocol: what can be read of the thoughts.
      usage: { ...usage, reasoning: protocol === "anthropic" ? 2 : 0 },
      costUsd: 64,
    });
    expect(chunks.at(-1)).toBe(answer);
    const sent = server.requests[0]!;
    expect(protocol === "openai" ? sent.headers.authorization : sent.headers["x-api-key"]).toBe(
      protocol === "openai" ? `Bearer ${KEY}` : KEY,
    );
  });

  it("an answer is handed back as it was in the next request, which the provider takes", async () => {
    const server = await serve([
      {
        reasoning: "hm",
        text: TEXT,
        toolCalls: [
          { name: "look", arguments: "{}" },
          { name: "look", arguments: "{" },
        ],
      },
      { text: "done" },
    ]);
    const first = await ask(server.baseUrl);
    const content = first.answer?.content ?? [];
    const second = await ask(
      server.baseUrl,
      {},
      {
        ...REQUEST,
        messages: [
          ...REQUEST.messages,
          { role: "assistant", content },
          ...content.flatMap((part) =>
            part.type === "tool-call"
              ? [
                  {
                    role: "tool",
                    callId: part.callId,
                    tool: part.tool,
                    content: [{ type: "text", text: "r" }],
                    isError: false,
                  } as const,
                ]
              : [],
          ),
        ],
      },
    );
    expect(second.answer?.content).toEqual([{ type: "text", text: "done" }]);
    expect(server.requests[1]!.text).toContain("hm");
  });

  it.each([1, 2, 3, 7])("characters split by writes of %i bytes are right", async (writeBytes) => {
    const server = await serve([
      { text: TEXT, toolCalls: [{ name: "look", arguments: '{"q":"日本🎌"}' }], writeBytes, lineEnd: "\r\n" },
    ]);
    const { answer } = await ask(server.baseUrl);
    expect(answer?.content).toMatchObject([{ text: TEXT }, { arguments: '{"q":"日本🎌"}' }]);
    expect(server.requests.length).toBe(1);
  });

  it("silence before the headers is a stall", async () => {
    const { error } = await fails({ fault: { type: "stall-before-headers" } }, "model_stream_stalled", 2, {
      streamIdleMs: 60,
      retry: { attempts: 2, maxWaitMs: 1 },
    });
    expect(error?.message).toContain("silent for 60 ms");
  });

  it("silence after any byte is a stall, and never an answer", async () => {
    const server = await serve((request) => ({
      text: TEXT,
      toolCalls: [{ name: "look", arguments: "{}" }],
      fault: { type: "stall", afterBytes: Number(/at (\d+)!/.exec(request.text)?.[1]) },
    }));
    // From the headers alone up to the middle of the finish reason, in fifty places.
    const places = Array.from({ length: 50 }, (_, n) => n * 19);
    const outcomes = await Promise.all(
      places.map((place) =>
        ask(
          server.baseUrl,
          { streamIdleMs: 1_000, retry: { attempts: 1, maxWaitMs: 1 } },
          { ...REQUEST, messages: [{ role: "user", content: [{ type: "text", text: `at ${place}!` }] }] },
        ),
      ),
    );
    expect(outcomes.map(({ error }) => error?.code)).toEqual(places.map(() => "model_stream_stalled"));
    expect(server.requests.length).toBe(50);
    expect(await Promise.all(server.requests.map(({ closed }) => closed))).toEqual(places.map(() => "destroyed"));
  });

  it("an end without the end marker is incomplete", async () => {
    await fails({ text: TEXT, fault: { type: "end" } }, "model_stream_incomplete", 4);
  });

  it("an end in the middle of an event is incomplete", async () => {
    await fails({ text: TEXT, fault: { type: "end", afterBytes: 400 } }, "model_stream_incomplete", 4);
  });

  it("an end in the middle of tool arguments is incomplete, though they may look whole", async () => {
    await fails({ toolCalls: [{ name: "look", arguments: "{}" }], fault: { type: "end" } }, "model_stream_incomplete", 4);
  });

  it("a socket destroyed in the middle is incomplete", async () => {
    await fails({ text: TEXT, fault: { type: "destroy" } }, "model_stream_incomplete", 4);
  });

  it("a socket destroyed before the headers is unreachable", async () => {
    await fails({ text: TEXT, fault: { type: "destroy", afterBytes: 0 } }, "model_unreachable", 4);
  });

  it("an empty body, comments alone and the beginning of an event are incomplete", async () => {
    for (const raw of ["", ": working\n\n", "data: {", "event: "]) await fails({ raw }, "model_stream_incomplete", 4);
  });

  it("HTML with 200 is garbage", async () => {
    const { error } = await fails({ fault: { type: "html" } }, "model_stream_garbage", 2);
    expect(error?.message).toContain("<!doctype html>");
  });

  it("JSON instead of a stream is read", async () => {
    const calls = ["a", "b"].map((path) => ({ name: "look", arguments: JSON.stringify({ path }) }));
    const server = await serve([{ text: TEXT, toolCalls: calls, fault: { type: "json" } }]);
    const { answer } = await ask(server.baseUrl);
    expect(answer).toMatchObject({
      finishReason: "tool-calls",
      content: [{ type: "text", text: TEXT }, ...calls.map((call) => ({ tool: call.name, arguments: call.arguments }))],
    });
  });

  it("a line that is no event is garbage", async () => {
    await fails({ text: TEXT, fault: { type: "garbage-line" } }, "model_stream_garbage", 2);
  });

  it("an event that is no JSON is garbage", async () => {
    await fails({ text: TEXT, fault: { type: "garbage-line", line: 'data: {"broken' } }, "model_stream_garbage", 2);
    await fails({ text: TEXT, fault: { type: "garbage-line", line: "data: 17" } }, "model_stream_garbage", 2);
  });

  it("an event of 17 MiB is too large, and is not asked for again", async () => {
    await fails({ text: TEXT, fault: { type: "huge-event" } }, "model_event_too_large", 1);
  });

  it("an event of 15 MiB is read", protocol === "openai" ? {} : { tags: ["long"] }, async () => {
    const server = await serve([{ text: "x".repeat(15 * 1024 * 1024), deltaChars: 15 * 1024 * 1024 }]);
    const { answer } = await ask(server.baseUrl);
    expect(answer?.content[0]).toMatchObject({ type: "text" });
    expect(answer?.content[0]?.type === "text" && answer.content[0].text.length).toBe(15 * 1024 * 1024);
  });

  it("a server that lingers after its answer keeps nobody waiting, and loses its connection", async () => {
    const server = await serve([{ text: TEXT, fault: { type: "linger" } }]);
    const { answer } = await ask(server.baseUrl);
    expect(answer?.content).toEqual([{ type: "text", text: TEXT }]);
    expect(await server.requests[0]!.closed).toBe("destroyed");
  });

  it.each([
    [400, "model_bad_request", 1],
    [401, "model_auth", 1],
    [403, "model_auth", 1],
    [404, "model_not_found", 1],
    [408, "model_overloaded", 4],
    [413, "model_bad_request", 1],
    [422, "model_bad_request", 1],
    [429, "model_rate_limited", 4],
    [500, "model_server_error", 4],
    [502, "model_overloaded", 4],
    [503, "model_overloaded", 4],
    [529, "model_overloaded", 4],
  ] as const)("status %i is %s after %i requests", async (status, code, requests) => {
    const { error } = await fails({ fault: { type: "status", status } }, code, requests);
    expect(error?.message).toContain(`answered ${status}: `);
  });

  it("an error page is quoted in one line", async () => {
    const body = `<html>\n<title>502 Bad Gateway</title>\n${"x".repeat(1000)}</html>`;
    const { error } = await fails({ fault: { type: "status", status: 502, body } }, "model_overloaded", 4);
    expect(error?.message).toContain("answered 502: <html> <title>502 Bad Gateway</title>");
    expect(error?.message.length).toBeLessThan(400);
  });

  it("a refusal that echoes the request shows no key", async () => {
    const echo = (request: MockRequest): Json => ({
      error: { message: `bad headers ${JSON.stringify(request.headers)} and again ${KEY}` },
    });
    const server = await serve((request) => ({ fault: { type: "status", status: 401, body: echo(request) } }));
    const { error } = await ask(server.baseUrl);
    expect(error?.code).toBe("model_auth");
    expect(error?.message).toContain("[redacted]");
    expect(`${error?.message} ${error?.stack} ${error?.hint}`).not.toMatch(/0123456789|sk-secret/);
  });

  it("a request that is too long is a context overflow", async () => {
    const body = { error: { type: "invalid_request_error", message: "prompt is too long: 300000 tokens > 200000 maximum" } };
    await fails({ fault: { type: "status", status: 400, body } }, "model_context_overflow", 1);
  });

  it("Retry-After is honoured in seconds and as a date", async () => {
    for (const [value, waitMs] of [
      ["7", 7000],
      ["Sun, 15 Nov 2026 12:00:09 GMT", 9000],
    ] as const)
      for (const status of [429, 503]) {
        const server = await serve([{ fault: { type: "status", status, headers: { "retry-after": value } } }, { text: TEXT }]);
        const { chunks, answer, waits } = await ask(server.baseUrl);
        expect(chunks.find((chunk) => chunk.type === "retry")).toMatchObject({ attempt: 2, waitMs });
        expect(waits).toEqual([waitMs]);
        expect(answer).toBeDefined();
        expect(server.requests.length).toBe(2);
      }
  });

  it("a Retry-After longer than maxWaitMs fails at once", async () => {
    await fails({ fault: { type: "status", status: 429, headers: { "retry-after": "61" } } }, "model_rate_limited", 1);
  });

  it.each([
    ["overloaded_error", "model_overloaded", 4],
    ["rate_limit_error", "model_rate_limited", 4],
    ["api_error", "model_server_error", 4],
    ["invalid_request_error", "model_bad_request", 1],
    ["authentication_error", "model_auth", 1],
  ] as const)("an error event of kind %s is %s after %i requests", async (kind, code, requests) => {
    const { error } = await fails({ text: TEXT, fault: { type: "error-event", kind, message: `told ${KEY}` } }, code, requests);
    expect(error?.message).toContain("in its stream");
  });

  it("what streamed before a failure is void and comes again", async () => {
    const server = await serve([{ text: "half of", fault: { type: "end" } }, { text: "the whole" }]);
    const { chunks, answer } = await ask(server.baseUrl);
    expect(chunks.map((chunk) => ("text" in chunk ? chunk.text : chunk.type))).toEqual([
      "half of",
      "retry",
      "the whole",
      "answer",
    ]);
    expect(answer?.content).toEqual([{ type: "text", text: "the whole" }]);
  });

  it("truncated tool arguments keep their text and finish by length", async () => {
    const server = await serve([{ toolCalls: [{ name: "look", arguments: '{"path":"/et' }], finish: "length" }]);
    const { answer } = await ask(server.baseUrl);
    expect(answer).toMatchObject({
      finishReason: "length",
      content: [{ type: "tool-call", tool: "look", arguments: '{"path":"/et' }],
    });
  });

  it("arguments cut off before their first character stay empty", async () => {
    const server = await serve([
      { toolCalls: [{ name: "look", arguments: "" }], finish: "length" },
      { toolCalls: [{ name: "look", arguments: "" }] },
    ]);
    expect((await ask(server.baseUrl)).answer?.content).toMatchObject([{ arguments: "" }]);
    expect((await ask(server.baseUrl)).answer?.content).toMatchObject([{ arguments: "{}" }]);
  });

  it("missing, repeated, malformed and already used call ids are replaced", async () => {
    const server = await serve([
      {
        toolCalls: [
          { name: "a", arguments: "{}", id: null },
          { name: "b", arguments: "{}", id: "same" },
          { name: "c", arguments: "{}", id: "same" },
          { name: "d", arguments: "{}", id: "not an id" },
          { name: "e", arguments: "{}", id: "old" },
          { name: "f", arguments: "{}", id: "fine" },
        ],
      },
    ]);
    const { answer } = await ask(
      server.baseUrl,
      {},
      {
        ...REQUEST,
        messages: [
          ...REQUEST.messages,
          { role: "assistant", content: [{ type: "tool-call", callId: "old", tool: "look", arguments: "{}" }] },
          { role: "tool", callId: "old", tool: "look", content: [], isError: false },
        ],
      },
    );
    const calls = (answer?.content ?? []).filter((part) => part.type === "tool-call");
    expect(calls.map(({ tool }) => tool)).toEqual(["a", "b", "c", "d", "e", "f"]);
    const ids = calls.map(({ callId }) => callId);
    expect([ids[1], ids[5]]).toEqual(["same", "fine"]);
    expect(new Set([...ids, "old"]).size).toBe(7);
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,64}$/);
  });

  it.each([
    ["filtered", "filtered"],
    ["length", "length"],
    ["stop", "stop"],
    ["other", "other"],
  ] as const)("an answer that ends as %s says so", async (finish, finishReason) => {
    const server = await serve([{ text: "so far", finish }]);
    expect((await ask(server.baseUrl)).answer).toMatchObject({ finishReason, content: [{ text: "so far" }] });
  });

  it("usage that the server does not tell is estimated from the sizes", async () => {
    const server = await serve([{ text: "x".repeat(400), usage: null }]);
    const { answer } = await ask(server.baseUrl);
    expect(answer?.usage).toEqual({
      input: Math.ceil(server.requests[0]!.text.length / 4),
      output: 100,
      cached: 0,
      reasoning: 0,
    });
  });

  it("a port of this machine that nobody listens at is told at once, with its address and its setting", async () => {
    const server = await startMockServer({ replies: [] });
    await server.close();
    const { error, chunks } = await ask(server.baseUrl);
    expect(error).toMatchObject({ code: "model_unreachable" });
    expect(error?.message).toMatch(/^(\S+) \(127\.0\.0\.1:\d+\) refused the connection; is providers\.\1\.baseUrl right\?$/);
    expect(error?.hint).toContain(`Nothing listens at ${server.baseUrl}/`);
    expect(chunks.filter((chunk) => chunk.type === "retry")).toEqual([]);
  });

  it("a name that does not resolve is unreachable", async () => {
    const { error } = await ask("http://no-such-host.invalid/v1", { retry: { attempts: 1, maxWaitMs: 1 } });
    expect(error).toMatchObject({ code: "model_unreachable", message: expect.stringContaining("no-such-host.invalid") });
  });

  it("TLS towards a server without it is a wrong address, and not tried again", async () => {
    const server = await serve([]);
    const { error, chunks } = await ask(server.baseUrl.replace("http:", "https:"));
    expect(error).toMatchObject({ code: "model_misaddressed" });
    expect(chunks).toEqual([]);
  });

  it("a server that speaks no HTTP is garbage", async () => {
    const raw: Server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end("SSH-2.0-OpenSSH_9.2p1\r\n"));
    });
    await new Promise<void>((resolve) => void raw.listen(0, "127.0.0.1", resolve));
    open.push({ close: () => new Promise((resolve) => void raw.close(resolve)) });
    const { error } = await ask(`http://127.0.0.1:${(raw.address() as AddressInfo).port}/v1`);
    expect(error).toMatchObject({ code: "model_stream_garbage" });
  });

  it("a redirect is not followed, for it would carry the key along", async () => {
    const other = await serve([]);
    const headers = { location: `${other.baseUrl}/chat/completions` };
    await fails({ fault: { type: "status", status: 307, headers } }, "model_misaddressed", 1);
    expect(other.requests.length).toBe(0);
  });

  describe("an abort", () => {
    it("in the middle of a stream destroys the socket and asks no more", async () => {
      const server = await serve(() => ({ text: TEXT, fault: { type: "stall", afterBytes: 700 } }));
      const abort = new AbortController();
      const stream = create(optionsFor(server.baseUrl)).stream(REQUEST, abort.signal)[Symbol.asyncIterator]();
      const first = await stream.next();
      expect(first.value).toMatchObject({ type: "text" });
      const next = stream.next();
      abort.abort(new Error("stop it"));
      await expect(next).rejects.toThrow("stop it");
      expect(await server.requests[0]!.closed).toBe("destroyed");
      expect(server.requests.length).toBe(1);
    });

    it("before the headers destroys the socket", async () => {
      const server = await serve(() => ({ fault: { type: "stall-before-headers" } }));
      const abort = new AbortController();
      const next = create(optionsFor(server.baseUrl)).stream(REQUEST, abort.signal)[Symbol.asyncIterator]().next();
      await server.received(1);
      abort.abort(new Error("stop it"));
      await expect(next).rejects.toThrow("stop it");
      expect(await server.requests[0]!.closed).toBe("destroyed");
    });

    it("before the start makes no request", async () => {
      const server = await serve([{ text: TEXT }]);
      const stream = create(optionsFor(server.baseUrl)).stream(REQUEST, AbortSignal.abort(new Error("early")));
      const next = stream[Symbol.asyncIterator]().next();
      await expect(next).rejects.toThrow("early");
      expect(server.requests.length).toBe(0);
    });

    it("while waiting for the next attempt ends the wait and gives back the place", async () => {
      const server = await serve(() => ({ fault: { type: "status", status: 503, headers: { "retry-after": "30" } } }));
      const gate = createGate({ maxConcurrent: 1 });
      const abort = new AbortController();
      const stream = create(optionsFor(server.baseUrl, { gate })).stream(REQUEST, abort.signal)[Symbol.asyncIterator]();
      expect((await stream.next()).value).toMatchObject({ type: "retry", waitMs: 30_000 });
      const next = stream.next();
      abort.abort(new Error("stop it"));
      await expect(next).rejects.toThrow("stop it");
      expect(gate.enter(new AbortController().signal)).not.toBeInstanceOf(Promise);
      expect(server.requests.length).toBe(1);
    });

    it("while queueing at the gate leaves the queue", async () => {
      const server = await serve(() => ({ fault: { type: "stall-before-headers" } }));
      const gate = createGate({ maxConcurrent: 1 });
      const model = create(optionsFor(server.baseUrl, { gate }));
      const [first, second] = [new AbortController(), new AbortController()];
      const running = model.stream(REQUEST, first.signal)[Symbol.asyncIterator]().next();
      await server.received(1);
      const queued = model.stream(REQUEST, second.signal)[Symbol.asyncIterator]().next();
      second.abort(new Error("no more"));
      await expect(queued).rejects.toThrow("no more");
      first.abort(new Error("stop it"));
      await expect(running).rejects.toThrow("stop it");
      expect(server.requests.length).toBe(1);
    });

    it("leaves no listener on the signal, whatever became of the request", async () => {
      const server = await serve([{ text: TEXT }, { fault: { type: "status", status: 401 } }]);
      const abort = new AbortController();
      const model = create(optionsFor(server.baseUrl));
      for await (const chunk of model.stream(REQUEST, abort.signal)) expect(chunk).toBeDefined();
      await expect(model.stream(REQUEST, abort.signal)[Symbol.asyncIterator]().next()).rejects.toThrow("401");
      expect(EventEmitter.getEventListeners(abort.signal, "abort")).toEqual([]);
    });
  });

  it("a reader that walks away destroys the socket and gives back the place", async () => {
    const server = await serve(() => ({ text: TEXT, fault: { type: "stall", afterBytes: 700 } }));
    const gate = createGate({ maxConcurrent: 1 });
    for await (const chunk of create(optionsFor(server.baseUrl, { gate })).stream(REQUEST, new AbortController().signal)) {
      expect(chunk.type).toBe("text");
      break;
    }
    expect(await server.requests[0]!.closed).toBe("destroyed");
    expect(gate.enter(new AbortController().signal)).not.toBeInstanceOf(Promise);
  });

  it("a connection is used again for the next request", async () => {
    const server = await serve(() => ({ text: TEXT }));
    const model = create(optionsFor(server.baseUrl));
    for (let n = 0; n < 6; n++)
      for await (const chunk of model.stream(REQUEST, new AbortController().signal)) expect(chunk).toBeDefined();
    expect(server.requests.length).toBe(6);
    // undici rests a connection for a turn, so that two take turns.
    expect(server.sockets()).toBeLessThanOrEqual(2);
  });

  it("a key that cannot be a header is refused when the model is made", () => {
    expect(() => create(optionsFor("http://127.0.0.1:1/v1", { apiKey: "a\nb" }))).toThrow(
      expect.objectContaining({ code: "settings_invalid" }),
    );
  });
});
