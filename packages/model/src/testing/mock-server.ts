/**
 * A real HTTP server on the loopback that speaks OpenAI Chat Completions, Anthropic Messages and Gemini as a stream,
 * answers by script and misbehaves on demand. It refuses what the provider it plays refuses, and records every request.
 */
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Json } from "@retinue/protocol";
import { toAnthropicError, toAnthropicEvents, toAnthropicJson } from "./mock-server-anthropic.ts";
import { toGeminiError, toGeminiEvents, toGeminiJson } from "./mock-server-gemini.ts";
import { toOpenAiError, toOpenAiEvents, toOpenAiJson } from "./mock-server-openai.ts";
import type { MockReply } from "./mock-server-reply.ts";
import { complaintOf } from "./strict/strict-forms.ts";
import type { StrictProvider } from "./strict/strict-forms.ts";

export type { MockFault, MockReply, MockToolCall } from "./mock-server-reply.ts";

export type MockProtocol = "openai" | "anthropic" | "google";

export type MockRequest = {
  /** Counts from 0 over all protocols. */
  readonly index: number;
  readonly protocol: MockProtocol;
  /** The path with its query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
  /** The body as it was sent. */
  readonly text: string;
  /** Monotonic milliseconds at which the request had been read. */
  readonly at: number;
  /** Requests open at that moment, this one included. */
  readonly inFlight: number;
  /** Settles when the exchange is over: the response was sent whole, or the socket went before. */
  readonly closed: Promise<"sent" | "destroyed">;
};

export type MockServerOptions = {
  /** Answered in this order; a request beyond them is refused with 400. */
  readonly replies?: readonly MockReply[];
  /** Decides each answer instead; may take its time, so that a test can hold a request open. */
  readonly reply?: (request: MockRequest, index: number) => MockReply | Promise<MockReply>;
  /** Whose rules hold. By default Anthropic's and Google's for their protocols, else those that compatible servers share. */
  readonly provider?: StrictProvider;
  /** Ids told at `GET /v1/models`; `mock` by default. */
  readonly models?: readonly string[];
  /** Any that is free by default; one of its own, for a server that comes back. */
  readonly port?: number;
};

export type MockServer = {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** The origin with `/v1`, as the wires want it. */
  readonly baseUrl: string;
  readonly requests: readonly MockRequest[];
  /** Requests open now. */
  readonly inFlight: () => number;
  /** Connections accepted so far. */
  readonly sockets: () => number;
  /** Settles once so many requests have been read in all. */
  readonly received: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

const HTML = "<!doctype html>\n<html><head><title>Sign in</title></head><body><h1>Please sign in</h1></body></html>\n";

const STATUS_KINDS: Readonly<Record<number, readonly [kind: string, message: string]>> = {
  400: ["invalid_request_error", "The request is malformed."],
  401: ["authentication_error", "Incorrect API key provided."],
  403: ["permission_error", "Your key may not use this resource."],
  404: ["not_found_error", "The model does not exist."],
  408: ["timeout_error", "Request timed out."],
  413: ["request_too_large", "Request exceeds the maximum size."],
  422: ["invalid_request_error", "Unprocessable."],
  429: ["rate_limit_error", "Rate limit reached."],
  500: ["api_error", "Internal server error."],
  502: ["api_error", "Bad gateway."],
  503: ["api_error", "Service unavailable."],
  529: ["overloaded_error", "Overloaded."],
};

const PROTOCOLS = {
  openai: {
    path: /\/chat\/completions$/,
    form: "openai-compatible",
    events: toOpenAiEvents,
    json: toOpenAiJson,
    error: toOpenAiError,
  },
  anthropic: {
    path: /\/messages$/,
    form: "anthropic",
    events: toAnthropicEvents,
    json: toAnthropicJson,
    error: toAnthropicError,
  },
  google: { path: /:streamGenerateContent$/, form: "google", events: toGeminiEvents, json: toGeminiJson, error: toGeminiError },
} as const;

const protocolOf = (path: string): MockProtocol | undefined =>
  (Object.keys(PROTOCOLS) as MockProtocol[]).find((name) => PROTOCOLS[name].path.test(path)); // The keys are its own.

export const startMockServer = async (options: MockServerOptions): Promise<MockServer> => {
  const requests: MockRequest[] = [];
  let inFlight = 0;
  const waiting: { count: number; resolve: () => void }[] = [];

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? "").replace(/\?.*$/, "");
    if (request.method === "GET" && path.endsWith("/models")) {
      const data = (options.models ?? ["mock"]).map((id) => ({ id, object: "model", type: "model", display_name: id }));
      return sendJson(response, 200, { object: "list", data, has_more: false });
    }
    const protocol = protocolOf(path);
    if (request.method !== "POST" || protocol === undefined)
      return sendJson(response, 404, toOpenAiError("not_found_error", `There is nothing at ${path}.`));

    const text = await readText(request);
    const record: MockRequest = {
      index: requests.length,
      protocol,
      url: request.url ?? "",
      headers: request.headers,
      body: parseJson(text),
      text,
      at: performance.now(),
      inFlight: ++inFlight,
      closed: new Promise((resolve) => {
        response.once("close", () => {
          inFlight--;
          resolve(response.writableFinished ? "sent" : "destroyed");
        });
      }),
    };
    requests.push(record);
    for (const waiter of waiting.filter(({ count }) => requests.length >= count)) {
      waiting.splice(waiting.indexOf(waiter), 1);
      waiter.resolve();
    }

    const complaint = complaintOf(options.provider ?? PROTOCOLS[protocol].form, record.body, request.headers);
    if (complaint !== undefined) return sendJson(response, 400, PROTOCOLS[protocol].error("invalid_request_error", complaint));
    const reply = options.reply ? await options.reply(record, record.index) : options.replies?.[record.index];
    if (!reply)
      return sendJson(
        response,
        400,
        PROTOCOLS[protocol].error("invalid_request_error", `The mock's script has no reply ${record.index}.`),
      );
    await sendReply(response, record, reply);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((thrown: unknown) => {
      // The client left, or the script threw: the latter must be seen, and a destroyed socket is.
      response.destroy(thrown instanceof Error ? thrown : undefined);
    });
  });
  let sockets = 0;
  server.on("connection", () => sockets++);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port ?? 0, host: "127.0.0.1", backlog: 4096 }, resolve);
  });
  const { port } = server.address() as AddressInfo; // A TCP server's address is never a string.
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    baseUrl: `${origin}/v1`,
    requests,
    inFlight: () => inFlight,
    sockets: () => sockets,
    received: (count) =>
      requests.length >= count ? Promise.resolve() : new Promise((resolve) => void waiting.push({ count, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const sendReply = async (response: ServerResponse, request: MockRequest, reply: MockReply): Promise<void> => {
  const { events, json, error } = PROTOCOLS[request.protocol];
  const { fault } = reply;
  if (reply.latencyMs) await sleep(reply.latencyMs);
  if (fault?.type === "stall-before-headers") return;
  if (fault?.type === "status") {
    const [kind, message] = STATUS_KINDS[fault.status] ?? ["api_error", `Status ${fault.status}.`];
    const { body = error(kind, message) } = fault;
    if (typeof body !== "string") return sendJson(response, fault.status, body, fault.headers);
    response.writeHead(fault.status, { "content-type": "text/plain", ...fault.headers });
    return void response.end(body);
  }
  if (fault?.type === "html") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    return void response.end(HTML);
  }
  if (fault?.type === "json") return sendJson(response, 200, json(reply, request.index, request.text.length));

  const { opening, ending } = events(reply, request.index, request.text.length);
  const middle = Math.ceil(opening.length / 2);
  let parts: (string | Uint8Array)[] = [...opening, ...ending];
  if (reply.raw !== undefined) parts = [reply.raw];
  else if (fault?.type === "garbage-line") parts.splice(middle, 0, `${fault.line ?? "%%% not an event %%%"}\n\n`);
  else if (fault?.type === "huge-event")
    parts.splice(middle, 0, `data: {"filler":"${"x".repeat(fault.bytes ?? 17 * 1024 * 1024)}"}\n\n`);
  else if (fault?.type === "error-event")
    parts = [
      ...opening,
      `${request.protocol === "anthropic" ? "event: error\n" : ""}data: ${JSON.stringify(error(fault.kind, fault.message))}\n\n`,
    ];
  const whole = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const beforeEnding = reply.raw === undefined ? Buffer.byteLength(opening.join("")) : whole.length;

  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  switch (fault?.type) {
    case "stall":
      response.flushHeaders();
      return writeBytes(response, whole.subarray(0, fault.afterBytes), reply.writeBytes);
    case "linger":
      return writeBytes(response, whole, reply.writeBytes);
    case "destroy":
      await writeBytes(response, whole.subarray(0, fault.afterBytes ?? beforeEnding), reply.writeBytes);
      // The bytes are on their way before the socket goes.
      await nextTurn();
      return void response.destroy();
    case "end":
      await writeBytes(response, whole.subarray(0, fault.afterBytes ?? beforeEnding), reply.writeBytes);
      return void response.end();
    case "garbage-line":
    case "huge-event":
    case "error-event":
    case undefined:
      if (reply.writeBytes === undefined) return void response.end(whole);
      await writeBytes(response, whole, reply.writeBytes);
      return void response.end();
  }
};

/** In writes of so many bytes, a turn of the event loop between them, so that they arrive apart. */
const writeBytes = async (response: ServerResponse, bytes: Uint8Array, size = bytes.length): Promise<void> => {
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size));
    await nextTurn();
  }
};

const sendJson = (response: ServerResponse, status: number, body: Json, headers?: Readonly<Record<string, string>>): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
};

const readText = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // Without an encoding set, chunks are buffers.
  return Buffer.concat(chunks).toString("utf8");
};

const parseJson = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
};
