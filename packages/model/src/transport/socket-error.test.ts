import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { createModels } from "../models.ts";
import { createEndpoint } from "./endpoint.ts";
import { toSocketFailure } from "./socket-error.ts";

const endpoint = createEndpoint({ provider: "local", url: "http://192.0.2.1:8080/v1/chat/completions", headers: {} });

const failed = (code: string): Error => Object.assign(new Error("It failed."), { code });

test.each([
  ["UND_ERR_CONNECT_TIMEOUT", "no"],
  ["ETIMEDOUT", "no"],
  ["EHOSTUNREACH", "no"],
  ["ECONNREFUSED", "yes"],
  ["ENOTFOUND", "yes"],
])("%s names the address and the setting; tried again by the request itself: %s", (code, retry) => {
  const failure = toSocketFailure(endpoint, failed(code), false);
  expect(failure).toMatchObject({ retry, error: { code: "model_unreachable" } });
  expect(failure.error.hint).toContain("http://192.0.2.1:8080/v1/chat/completions is right (providers.local.baseUrl)");
});

/** A process that listens and sleeps: once its queue is full, the kernel answers nobody. */
const LISTEN = `require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, function () { console.log(this.address().port); })`;

test("a server that takes no connection is given up after one try", { tags: ["long"] }, async () => {
  const child = spawn(process.execPath, ["-e", LISTEN], { stdio: ["ignore", "pipe", "inherit"] });
  const sockets: Socket[] = [];
  try {
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const port = Number(line.toString());
    child.kill("SIGSTOP");
    for (let number = 0; number < 4; number++) sockets.push(connect(port, "127.0.0.1").on("error", () => undefined));
    const models = createModels({
      providers: { local: { type: "openai-compatible", baseUrl: `http://127.0.0.1:${port}/v1` } },
      retry: { attempts: 4, maxWaitMs: 1 },
      streamIdleMs: 60_000,
      env: {},
    });
    const model = await models.resolve("local/any");
    const request = { system: "", messages: [], tools: [], toolChoice: "auto" } as const;
    const chunks: unknown[] = [];
    const asking = (async () => {
      for await (const chunk of model.stream(request, new AbortController().signal)) chunks.push(chunk);
    })();
    await expect(asking).rejects.toMatchObject({ code: "model_unreachable" });
    expect(chunks).toEqual([]);
  } finally {
    for (const socket of sockets) socket.destroy();
    child.kill("SIGKILL");
  }
});
