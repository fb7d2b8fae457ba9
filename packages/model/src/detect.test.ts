import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { chooseModel, detectProviders } from "./detect.ts";
import type { ProviderSettings } from "./providers/provider.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const listen = async (handler: Handler): Promise<{ origin: string; seen: IncomingMessage[] }> => {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
};

const json =
  (body: unknown, status = 200): Handler =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));

const list = (...data: unknown[]) => json({ object: "list", data });

/** A port on which nobody listens any more. */
const closedOrigin = async (): Promise<string> => {
  const { origin } = await listen(json({}));
  await closers.pop()?.();
  return origin;
};

/** The usual servers, all at a closed port but those given, so that what runs on this machine is not seen. */
const servers = async (given: Record<string, string> = {}): Promise<Record<string, ProviderSettings>> => {
  const closed = await closedOrigin();
  const types = ["ollama", "lmstudio", "docker-model-runner", "llamacpp", "vllm"];
  return Object.fromEntries(types.map((type) => [type, { type, baseUrl: given[type] ?? closed }]));
};

const detect = async (given: Record<string, string>, env = {}) =>
  detectProviders({ env, providers: await servers(given), timeoutMs: 5_000 });

describe("a local server", () => {
  test("is found with what it serves, at the path where such servers list their models", async () => {
    const ollama = await listen(list({ id: "qwen3:8b", object: "model" }, { id: "nomic-embed-text" }));
    const vllm = await listen(list({ id: "meta/llama", max_model_len: 8192 }));
    const llamacpp = await listen(list({ id: "gemma", meta: { n_ctx: 4096, n_ctx_train: 131_072 } }));
    const docker = await listen(list({ id: "ai/smollm2" }));
    const found = await detect({
      ollama: ollama.origin,
      vllm: vllm.origin,
      llamacpp: llamacpp.origin,
      "docker-model-runner": docker.origin,
    });
    expect(found).toEqual([
      {
        type: "server",
        provider: "ollama",
        baseUrl: `${ollama.origin}/v1`,
        models: [{ name: "qwen3:8b" }, { name: "nomic-embed-text" }],
      },
      {
        type: "server",
        provider: "docker-model-runner",
        baseUrl: `${docker.origin}/engines/v1`,
        models: [{ name: "ai/smollm2" }],
      },
      {
        type: "server",
        provider: "llamacpp",
        baseUrl: `${llamacpp.origin}/v1`,
        models: [{ name: "gemma", contextWindow: 4096 }],
      },
      { type: "server", provider: "vllm", baseUrl: `${vllm.origin}/v1`, models: [{ name: "meta/llama", contextWindow: 8192 }] },
    ]);
    expect(docker.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(["GET /engines/v1/models"]);
  });

  test("is never sent a key or a header of the user's", async () => {
    const server = await listen(list({ id: "m" }));
    await detectProviders({
      env: { OPENAI_API_KEY: "sk-canary-1", BOX_KEY: "sk-canary-2" },
      providers: {
        ...(await servers()),
        box: { type: "openai-compatible", baseUrl: server.origin, headers: { authorization: "Bearer canary-3" } },
        ollama: { type: "ollama", baseUrl: server.origin, headers: { "x-api-key": "canary-4" } },
      },
      timeoutMs: 5_000,
    });
    expect(server.seen).toHaveLength(2);
    expect(JSON.stringify(server.seen.map(({ rawHeaders, url }) => [rawHeaders, url]))).not.toMatch(/canary/);
  });

  test("that wants a key is told apart from one that serves", async () => {
    const server = await listen(json({ error: "unauthorized" }, 401));
    const found = await detect({ vllm: server.origin });
    expect(found).toEqual([{ type: "locked", provider: "vllm", baseUrl: `${server.origin}/v1` }]);
    expect(chooseModel(found)).toBe("offline/rules");
  });

  test("without models is there and is not chosen", async () => {
    const server = await listen(json({ object: "list", data: null }));
    const found = await detect({ ollama: server.origin });
    expect(found).toMatchObject([{ type: "server", provider: "ollama", models: [] }]);
    expect(chooseModel(found)).toBe("offline/rules");
  });
});

describe("what is no model server", () => {
  const html: Handler = (_, response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Tomcat</title>");
  const cases: Record<string, Handler> = {
    "a page of HTML": html,
    "HTML that says it is JSON": (_, response) =>
      void response.writeHead(200, { "content-type": "application/json" }).end("<html></html>"),
    "JSON of another kind": json({ status: "ok" }),
    "a list of something else": list({ name: "a user" }),
    "a list at the top": json([{ id: "m" }]),
    "not found": json({ object: "list", data: [] }, 404),
    "a failing server": json({ object: "list", data: [{ id: "m" }] }, 500),
    "a cut answer": (_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"object":"list","data":[');
      response.destroy();
    },
    "a page that wants a login": (_, response) => void response.writeHead(401, { "content-type": "text/html" }).end("login"),
    "an endless answer": (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const fill = (): void => {
        while (!response.destroyed && response.write(" ".repeat(65_536)));
        if (!response.destroyed) response.once("drain", fill);
      };
      fill();
    },
  };

  test.each(Object.entries(cases))("%s is not taken for one", async (_, handler) => {
    const server = await listen(handler);
    expect(await detect({ llamacpp: server.origin })).toEqual([]);
    expect(server.seen).toHaveLength(1);
  });

  test("a redirect is not followed", async () => {
    const target = await listen(list({ id: "m" }));
    const server = await listen((_, response) => void response.writeHead(302, { location: `${target.origin}/v1/models` }).end());
    expect(await detect({ llamacpp: server.origin })).toEqual([]);
    expect(target.seen).toEqual([]);
  });

  test("a server that never answers is given up after the time allowed", async () => {
    const server = await listen(() => {});
    const found = await detectProviders({ env: {}, providers: await servers({ llamacpp: server.origin }), timeoutMs: 50 });
    expect(found).toEqual([]);
    expect(server.seen).toHaveLength(1);
  });
});

describe("a key in the environment", () => {
  test("is reported by its variable's name, never by its value", async () => {
    const found = await detect({}, { ANTHROPIC_API_KEY: "sk-canary", GOOGLE_API_KEY: "canary", OPENAI_API_KEY: "" });
    expect(found).toEqual([
      { type: "key", provider: "anthropic", keyEnv: "ANTHROPIC_API_KEY", defaultModel: "claude-sonnet-5" },
      { type: "key", provider: "google", keyEnv: "GOOGLE_API_KEY", defaultModel: "gemini-3.8-flash" },
    ]);
    expect(JSON.stringify(found)).not.toContain("canary");
  });

  test("of a provider in settings is looked for where they say", async () => {
    const found = await detectProviders({
      env: { WORK_KEY: "k", OPENAI_API_KEY: "o" },
      providers: { ...(await servers()), work: { type: "openai", apiKeyEnv: "WORK_KEY", baseUrl: "https://proxy.example.test" } },
      timeoutMs: 5_000,
    });
    expect(found.map((one) => [one.provider, one.type === "key" && one.keyEnv])).toEqual([
      ["work", "WORK_KEY"],
      ["openai", "OPENAI_API_KEY"],
    ]);
  });

  test("is still found beside settings that are wrong", async () => {
    const providers = { ...(await servers()), odd: { type: "nothing" }, bad: { type: "vllm", baseUrl: "ftp://x" } };
    const found = await detectProviders({ env: { OPENAI_API_KEY: "o" }, providers, timeoutMs: 5_000 });
    expect(found.map(({ provider }) => provider)).toEqual(["openai"]);
  });
});

describe("the chosen model", () => {
  test("is the default of the first key in the registry's order", async () => {
    expect(chooseModel(await detect({}, { OPENAI_API_KEY: "o", ANTHROPIC_API_KEY: "a" }))).toBe("anthropic/claude-sonnet-5");
  });

  test("is of a provider in settings before any other", async () => {
    const server = await listen(list({ id: "qwen3:8b" }));
    expect(chooseModel(await detect({ ollama: server.origin }, { ANTHROPIC_API_KEY: "a" }))).toBe("ollama/qwen3:8b");
  });

  test("of a local server is one that can chat", async () => {
    const server = await listen(list({ id: "nomic-embed-text" }, { id: "bge-m3" }, { id: "qwen3:8b" }));
    expect(chooseModel(await detect({ ollama: server.origin }))).toBe("ollama/qwen3:8b");
  });

  test("is the one that follows rules where nothing is there", async () => {
    expect(chooseModel(await detect({}))).toBe("offline/rules");
  });
});
