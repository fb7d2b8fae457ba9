/** Servers that keep a request without answering it, and servers that say they have counted nothing. */
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { ModelAnswer } from "./contract.ts";
import { createModels } from "./models.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const ask = async (
  answer: (response: ServerResponse) => void,
  type = "openai-compatible",
  status = 200,
): Promise<ModelAnswer> => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": "text/event-stream" });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const models = createModels({
    providers: { it: { type, baseUrl, apiKeyEnv: "IT_KEY" } },
    retry: { attempts: 1, maxWaitMs: 0 },
    streamIdleMs: 300,
    env: { IT_KEY: "k" },
  });
  const model = await models.resolve("it/m");
  const request = {
    system: "s".repeat(4_000),
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "t".repeat(4_000) }] }],
    tools: [],
    toolChoice: "auto" as const,
  };
  for await (const chunk of model.stream(request, new AbortController().signal)) if (chunk.type === "answer") return chunk;
  throw new Error("there was no answer");
};

describe("L19 a stream that says nothing", () => {
  test.each([
    ["comments", ": keep-alive\n\n"],
    ["comments in pieces", ": keep"],
    ["empty lines", "\n"],
    ["comments of Windows", ":\r\n"],
  ])("is ended after its time, whatever %s it sends", { timeout: 20_000 }, async (_what, text) => {
    await expect(
      ask((response) => {
        const timer = setInterval(() => response.write(text), 20);
        cleanups.push(() => clearInterval(timer));
      }),
    ).rejects.toMatchObject({ code: "model_stream_stalled" });
  });

  test("is waited for while it sends data, however slowly, with comments between", { timeout: 20_000 }, async () => {
    const said = await ask((response) => {
      const pieces = [
        'data: {"choices":[{"delta":',
        '{"content":"hi"},',
        '"finish_reason":"stop"}]}\n\n',
        ": x\n\n",
        "data: [DONE]\n\n",
      ];
      const timer = setInterval(() => {
        const next = pieces.shift();
        if (next === undefined) {
          clearInterval(timer);
          response.end();
        } else response.write(next);
      }, 100);
      cleanups.push(() => clearInterval(timer));
    });
    expect(said.content).toEqual([{ type: "text", text: "hi" }]);
  });
});

test("comments count as life for a while: a model that thinks behind a router is waited for", { timeout: 20_000 }, async () => {
  const said = await ask((response) => {
    let comments = 0;
    const timer = setInterval(() => {
      if (comments++ < 6) response.write(": OPENROUTER PROCESSING\n\n");
      else {
        clearInterval(timer);
        response.end('data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
      }
    }, 100);
    cleanups.push(() => clearInterval(timer));
  });
  expect(said.content).toEqual([{ type: "text", text: "hi" }]);
});

test("a call that the server refuses because its model wrote it wrongly is a bad call like any other", async () => {
  const error = {
    message: "Failed to call a function.",
    code: "tool_use_failed",
    failed_generation: '{"name": "look", "arguments": {"path"',
  };
  const said = await ask((response) => void response.end(JSON.stringify({ error })), "openai-compatible", 400);
  expect(said).toMatchObject({ finishReason: "tool-calls", content: [{ tool: "look", arguments: error.failed_generation }] });
});

describe("L19 usage that is not told as it was", () => {
  const openai = (usage: unknown) => (response: ServerResponse) => {
    const choice = { delta: { content: "x".repeat(400) }, finish_reason: "stop" };
    response.end(`data: ${JSON.stringify({ choices: [choice], ...(usage === undefined ? {} : { usage }) })}\n\ndata: [DONE]\n\n`);
  };

  test.each([
    ["nothing", undefined],
    ["zero", { prompt_tokens: 0, completion_tokens: 0 }],
    ["less than nothing", { prompt_tokens: -1_000_000, completion_tokens: -5 }],
    ["one", { prompt_tokens: 1, completion_tokens: 1 }],
    ["no numbers", { prompt_tokens: "many", completion_tokens: null }],
    ["2^53", { prompt_tokens: 2 ** 53, completion_tokens: 2 ** 53 }],
    ["1e18", { prompt_tokens: 1e18, completion_tokens: 1e18 }],
  ])("is our own estimate where a server says %s", async (_what, usage) => {
    const { input, output } = (await ask(openai(usage))).usage;
    expect(input).toBeGreaterThanOrEqual(2_000);
    expect(input).toBeLessThan(2_100);
    expect(output).toBe(100);
  });

  test("stands as it was told where it can be", async () => {
    const { usage } = await ask(openai({ prompt_tokens: 1_234, completion_tokens: 56 }));
    expect(usage).toMatchObject({ input: 1_234, output: 56 });
  });
});

describe("an answer of 50 MB", () => {
  const event = (content: string): string => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

  test("is cut at a bound, and says that it reached its output limit", async () => {
    let left = 50;
    const said = await ask((response) => {
      const piece = event("x".repeat(1024 * 1024));
      const send = (): void => {
        while (left > 0 && !response.destroyed) {
          left -= 1;
          if (!response.write(piece)) return void response.once("drain", send);
        }
        if (!response.destroyed) response.end("data: [DONE]\n\n");
      };
      send();
    });
    expect(said.finishReason).toBe("length");
    const [part] = said.content;
    expect(part?.type === "text" ? part.text.length : 0).toBeLessThan(20 * 1024 * 1024);
  });
});
