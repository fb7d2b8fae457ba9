import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request as requestOver } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createModels } from "../models.ts";
import { startMockServer } from "../testing/mock-server.ts";
import { proxyOf } from "../transport/proxy-of.ts";
import type { ProviderSettings } from "./provider.ts";
import { secretsOf } from "./secrets.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const serve = async () => {
  const server = await startMockServer({ reply: () => ({ text: "fine" }) });
  cleanups.push(server.close);
  return server;
};

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), "reach-"));
  cleanups.push(() => rm(path, { recursive: true }));
  return path;
};

const ask = async (provider: ProviderSettings, env: Record<string, string> = {}, model = "m"): Promise<string> => {
  const models = createModels({ providers: { it: provider }, env, retry: { attempts: 1, maxWaitMs: 0 }, streamIdleMs: 5_000 });
  const request = {
    system: "",
    messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    tools: [],
    toolChoice: "auto",
  } as const;
  let text = "";
  for await (const chunk of (await models.resolve(`it/${model}`)).stream(request, new AbortController().signal))
    if (chunk.type === "text") text += chunk.text;
  return text;
};

/** A proxy that hands requests on, and tells to where. */
const startProxy = async () => {
  const tunnels: string[] = [];
  const open = new Set<Socket>();
  const told = ({ host = "", "proxy-authorization": authorization = "" }: IncomingHttpHeaders): number =>
    tunnels.push(`${host} ${authorization}`.trim());
  // Plain HTTP is handed on, what is encrypted goes through a tunnel.
  const server = createServer((request, response) => {
    told(request.headers);
    const { "proxy-authorization": _, ...headers } = request.headers;
    const onwards = requestOver(request.url ?? "", { method: request.method ?? "GET", headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onwards);
  });
  server.on("connect", (request, socket: Socket, head) => {
    told({ ...request.headers, host: request.url });
    const [host, port] = (request.url ?? "").split(":");
    const there = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      there.write(head);
      there.pipe(socket).pipe(there);
    });
    open.add(socket).add(there);
    for (const end of [socket, there]) end.on("error", () => end.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(async () => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { address: `http://me:pass-word@127.0.0.1:${(server.address() as AddressInfo).port}`, tunnels };
};

describe("the way to a provider", () => {
  test.each(["openai-compatible", "anthropic", "google"])("leads through the proxy of its settings: %s", async (type) => {
    const [server, proxy] = [await serve(), await startProxy()];
    const baseUrl = type === "google" ? `${server.origin}/v1beta` : server.baseUrl;
    expect(await ask({ type, baseUrl, proxy: proxy.address, apiKeyEnv: "KEY" }, { KEY: "some-key" })).toBe("fine");
    const { host } = new URL(server.origin);
    expect(proxy.tunnels).toEqual([`${host} Basic ${Buffer.from("me:pass-word").toString("base64")}`]);
  });

  test("is that of the environment, but never to this machine", async () => {
    const server = await serve();
    expect(await ask({ type: "openai-compatible", baseUrl: server.baseUrl }, { HTTP_PROXY: "http://127.0.0.1:9" })).toBe("fine");
    const env = { HTTPS_PROXY: "http://p:1", http_proxy: "http://p:2", NO_PROXY: "corp.example, .lan:8443 10.0.0.7" };
    expect(proxyOf("https://api.openai.com/v1", env)).toBe("http://p:1");
    expect(proxyOf("http://models.example/v1", env)).toBe("http://p:2");
    for (const address of [
      "https://corp.example/v1",
      "https://a.corp.example/v1",
      "https://box.lan:8443/v1",
      "http://10.0.0.7/v1",
      "http://localhost:1/v1",
    ])
      expect(proxyOf(address, env)).toBeUndefined();
    expect(proxyOf("https://box.lan/v1", env)).toBe("http://p:1");
    expect(proxyOf("https://notcorp.example/v1", env)).toBe("http://p:1");
    expect(proxyOf("https://api.openai.com/v1", { ...env, NO_PROXY: "*" })).toBeUndefined();
  });

  test("carries headers and a query, in which variables are filled in", async () => {
    const server = await serve();
    const headers = { "x-team": "{env:TEAM}-red", "x-plain": "a" };
    await ask(
      { type: "openai-compatible", baseUrl: server.baseUrl, headers, query: { "api-version": "2026-05-01" } },
      { TEAM: "secret-team" },
    );
    expect(server.requests[0]?.headers).toMatchObject({ "x-team": "secret-team-red", "x-plain": "a" });
    expect(server.requests[0]?.url).toBe("/v1/chat/completions?api-version=2026-05-01");
  });

  test("with certificates that cannot be read is told before anything is sent", async () => {
    await expect(
      ask({ type: "openai-compatible", baseUrl: "https://x.example/v1", ca: "/nowhere/ca.pem" }),
    ).rejects.toMatchObject({
      code: "settings_invalid",
      message: expect.stringContaining("providers.it.ca") as string,
    });
  });
});

describe("a key", () => {
  test("comes from a file, and is a secret", async () => {
    const server = await serve();
    const path = join(await folder(), "key");
    await writeFile(path, "key-from-a-file\n");
    const provider = { type: "openai-compatible", baseUrl: server.baseUrl, apiKeyFile: path };
    expect(await ask(provider)).toBe("fine");
    expect(server.requests[0]?.headers.authorization).toBe("Bearer key-from-a-file");
    expect(secretsOf({ it: provider }, {})).toContain("key-from-a-file");
  });

  test("comes from a command, which is run once", async () => {
    const server = await serve();
    const count = join(await folder(), "runs");
    const provider = {
      type: "openai-compatible",
      baseUrl: server.baseUrl,
      apiKeyCommand: `echo x >> ${count}; echo key-from-a-command`,
    };
    await Promise.all([ask(provider), ask(provider)]);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill("Bearer key-from-a-command"));
    const { readFile } = await import("node:fs/promises");
    expect(await readFile(count, "utf8")).toBe("x\n");
  });

  test("that a command does not print is missing, and nothing that it said is told", async () => {
    const provider = { type: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1", apiKeyCommand: "echo half-a-key; exit 3" };
    const failed = ask(provider);
    await expect(failed).rejects.toMatchObject({
      code: "key_missing",
      message: expect.stringContaining("failed with 3") as string,
    });
    await expect(failed).rejects.not.toThrow("half-a-key");
  });

  test("of a file or a command is not sent to a provider that is sent none", async () => {
    const server = await serve();
    await ask({
      type: "openai-compatible",
      baseUrl: server.baseUrl,
      apiKeyFile: "/nowhere",
      apiKeyCommand: "echo some-key",
      isKeyless: true,
    });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });
});
