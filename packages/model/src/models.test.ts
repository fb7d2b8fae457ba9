import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { RetinueError } from "@retinue/protocol";
import { afterEach, describe, expect, test } from "vitest";
import type { Model, ModelChunk } from "./contract.ts";
import { createModels } from "./models.ts";
import type { Models, ModelsOptions } from "./models.ts";
import { PROVIDERS } from "./providers/registry.ts";
import { startMockServer } from "./testing/mock-server.ts";
import type { MockServer } from "./testing/mock-server.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

const start = async (text = "hi"): Promise<MockServer> => {
  const server = await startMockServer({
    reply: () => ({ text, usage: { input: 1_000_000, output: 0, cached: 0, reasoning: 0 } }),
  });
  closers.push(server.close);
  return server;
};

/** A server that lists these models; its base URL. */
const serve = async (ids: readonly string[]): Promise<string> => {
  const server = createServer((_, response) =>
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ object: "list", data: ids.map((id) => ({ id })) })),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  closers.push(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

const models = (options: Partial<ModelsOptions> = {}): Models =>
  createModels({ providers: {}, retry: { attempts: 1, maxWaitMs: 0 }, streamIdleMs: 10_000, env: {}, ...options });

const answerOf = async (model: Model) => {
  let last: ModelChunk | undefined;
  const request = {
    system: "",
    messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
    tools: [],
    toolChoice: "auto",
  } as const;
  for await (const chunk of model.stream(request, new AbortController().signal)) last = chunk;
  return last;
};

const failureOf = async (resolving: Promise<Model>): Promise<RetinueError> => {
  const thrown: unknown = await resolving.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof RetinueError)) throw new Error(`not refused as it should be: ${String(thrown)}`);
  return thrown;
};

describe("a name", () => {
  test("is split at its first slash, and the model is asked by the rest, with key and headers", async () => {
    const server = await start();
    const all = models({
      providers: {
        box: { type: "openai-compatible", baseUrl: server.baseUrl, apiKeyEnv: "BOX_KEY", headers: { "x-team": "red" } },
      },
      env: { BOX_KEY: "key-of-the-box" },
    });
    const model = await all.resolve("box/maker/model:7b");
    expect(model.id).toBe("box/maker/model:7b");
    expect(await answerOf(model)).toMatchObject({ type: "answer", content: [{ type: "text", text: "hi" }], costUsd: 0 });
    expect(server.requests[0]).toMatchObject({
      protocol: "openai",
      body: { model: "maker/model:7b" },
      headers: { authorization: "Bearer key-of-the-box", "x-team": "red" },
    });
  });

  test("of an Anthropic provider is asked by Anthropic's protocol", async () => {
    const server = await start();
    const all = models({
      providers: { anthropic: { type: "anthropic", baseUrl: server.origin } },
      env: { ANTHROPIC_API_KEY: "a-key" },
    });
    expect(await answerOf(await all.resolve("anthropic/claude-haiku-4-5"))).toMatchObject({
      type: "answer",
      costUsd: expect.closeTo(1, 4),
    });
    expect(server.requests[0]).toMatchObject({ protocol: "anthropic", headers: { "x-api-key": "a-key" } });
  });

  test("may be a short one, also for another short one", async () => {
    const all = models({ models: { cheap: "small", small: "ollama/qwen3:8b" } });
    expect((await all.resolve("cheap")).id).toBe("ollama/qwen3:8b");
  });

  test("always gives the same model, by whatever name, also when asked for at the same time", async () => {
    const all = models({ models: { cheap: "ollama/m" } });
    const [one, two] = await Promise.all([all.resolve("ollama/m"), all.resolve("cheap")]);
    expect(two).toBe(one);
    expect(await all.resolve("ollama/m")).toBe(one);
    expect(await all.resolve("ollama/n")).not.toBe(one);
  });

  test("has the prices and windows of the catalogue under the user's own", async () => {
    const all = models({
      env: { OPENAI_API_KEY: "k" },
      catalogue: { "ollama/qwen3:8b": { contextWindow: 32_768 }, "openai/mine": { price: { input: 3, output: 0 } } },
    });
    const million = { input: 1_000_000, output: 0, cached: 0, reasoning: 0 };
    const known = await all.resolve("openai/gpt-4o");
    expect([known.contextWindow, known.price(million)]).toEqual([128_000, 2.5]);
    const own = await all.resolve("openai/mine");
    expect([own.contextWindow, own.price(million)]).toEqual([undefined, 3]);
    const local = await all.resolve("ollama/qwen3:8b");
    expect([local.contextWindow, local.price(million)]).toEqual([32_768, 0]);
  });
});

describe("a name that is not there", () => {
  test("is told with what was probably meant and with what there is", async () => {
    const all = models({ env: { OPENAI_API_KEY: "k" }, models: { cheap: "ollama/m" } });
    const error = await failureOf(all.resolve("opnai/gpt-4o"));
    expect(error.code).toBe("model_unknown");
    expect(error.message).toContain('Did you mean "openai/gpt-4o"?');
    expect(error.message).toContain("cheap, openai/*, ollama/*");
    expect(error.message).not.toContain("anthropic/*");
    expect((await failureOf(all.resolve("chaep"))).message).toContain('Did you mean "cheap"?');
  });

  test("that no provider lists, or with nothing before or after its slash, is unknown", async () => {
    for (const name of ["no-such-model", "", "/", "/x", "openai/", "constructor", "constructor/x", "__proto__/x"])
      expect((await failureOf(models({ env: { OPENAI_API_KEY: "k" } }).resolve(name))).code).toBe("model_unknown");
  });

  test("is told by what is wrong with it", async () => {
    const all = models({ env: { OPENAI_API_KEY: "k", OLLAMA_HOST: "http://[broken" } });
    expect((await failureOf(all.resolve("openai/"))).message).toContain('"openai/" names no model.');
    expect((await failureOf(all.resolve("openai"))).message).toContain(
      "neither a short name nor provider/model, and no configured provider lists it. There are",
    );
    expect((await failureOf(all.resolve("openai-compatible/m"))).message).toContain("names no provider that there is. There are");
    expect(await failureOf(all.resolve("ollama/m"))).toMatchObject({ code: "settings_invalid" });
  });

  test("behind a short name is told with both", async () => {
    const error = await failureOf(models({ models: { cheap: "nobody/m" } }).resolve("cheap"));
    expect(error.message).toMatch(/"nobody\/m" \(by the short name "cheap"\)/);
  });

  test("is a short name that leads back to itself", async () => {
    const error = await failureOf(models({ models: { a: "b", b: "a" } }).resolve("a"));
    expect(error).toMatchObject({ code: "settings_invalid", message: expect.stringContaining("a → b → a") });
  });

  test("is any offline model but the one that there is", async () => {
    expect(await failureOf(models().resolve("offline/gpt"))).toMatchObject({ code: "model_unknown" });
  });
});

describe("a key that is missing", () => {
  test("is told by the name of its variable", async () => {
    const error = await failureOf(models().resolve("openai/gpt-4o"));
    expect(error).toMatchObject({ code: "key_missing", message: expect.stringContaining("OPENAI_API_KEY") });
    expect(error.hint).toContain("Export OPENAI_API_KEY");
    const providers = { work: { type: "openai-compatible", baseUrl: "http://x.test/v1", apiKeyEnv: "WORK_KEY" } };
    expect((await failureOf(models({ providers }).resolve("work/m"))).message).toContain("WORK_KEY");
  });

  test("may be set later", async () => {
    const env: Record<string, string> = {};
    const all = models({ env });
    await failureOf(all.resolve("openai/gpt-4o"));
    env["OPENAI_API_KEY"] = "k";
    expect((await all.resolve("openai/gpt-4o")).id).toBe("openai/gpt-4o");
  });
});

describe("settings", () => {
  test("that can never work are refused at once", () => {
    expect(() => models({ providers: { x: { type: "nothing" } } })).toThrow(/providers\.x\.type is "nothing"/);
    expect(() => models({ providers: { x: { type: "openai-compatible" } } })).toThrow(/needs a baseUrl/);
  });

  test("say how many requests a provider gets at a time, from all its models together", async () => {
    const held = Promise.withResolvers<void>();
    const server = await startMockServer({
      reply: async () => {
        await held.promise;
        return { text: "ok" };
      },
    });
    closers.push(server.close);
    const all = models({ providers: { box: { type: "openai-compatible", baseUrl: server.baseUrl, maxConcurrent: 2 } } });
    const asked = ["a", "b", "c", "d"].map(async (name) => answerOf(await all.resolve(`box/${name}`)));
    await server.received(2);
    expect(server.inFlight()).toBe(2);
    held.resolve();
    expect(await Promise.all(asked)).toMatchObject(Array.from({ length: 4 }, () => ({ type: "answer" })));
    expect(Math.max(...server.requests.map(({ inFlight }) => inFlight))).toBe(2);
  });
});

describe("the names", () => {
  test("are the short ones and the providers that have what they need", () => {
    const all = models({
      providers: { work: { type: "openai", apiKeyEnv: "WORK_KEY" }, box: { type: "vllm" } },
      models: { cheap: "box/m" },
      env: { GEMINI_API_KEY: "k" },
    });
    expect(all.names()).toEqual([
      "cheap",
      "box/*",
      "google/*",
      "ollama/*",
      "lmstudio/*",
      "docker-model-runner/*",
      "llamacpp/*",
      "vllm/*",
      "offline/rules",
    ]);
  });
});

describe("every provider of the registry", () => {
  const env = Object.fromEntries(PROVIDERS.flatMap(({ keyEnvs }) => keyEnvs).map((variable) => [variable, "some-key"]));

  test.each(
    PROVIDERS.filter(({ type, baseUrl }) => baseUrl !== undefined && type !== "bedrock" && type !== "vertex").map(
      ({ type, defaultModel }) => [type, defaultModel],
    ),
  )("%s makes a model without settings", async (type, defaultModel) => {
    const name = `${type}/${defaultModel ?? "some-model"}`;
    expect((await models({ env }).resolve(name)).id).toBe(name);
  });

  test.each(
    PROVIDERS.flatMap(({ type, needsKey, defaultModel }) => (needsKey && defaultModel ? [[`${type}/${defaultModel}`]] : [])),
  )("the default %s has a price and a window in the catalogue", async (name) => {
    const model = await models({ env }).resolve(name);
    expect(model.price({ input: 1_000, output: 1_000, cached: 0, reasoning: 0 })).toBeGreaterThan(0);
    expect(model.contextWindow).toBeGreaterThan(100_000);
  });
});

test.each([
  ["bedrock", "@ai-sdk/amazon-bedrock"],
  ["vertex", "@ai-sdk/google-vertex"],
])("%s says which package it needs, and how to install it", async (type, name) => {
  await expect(models({ env: {} }).resolve(`${type}/m`)).rejects.toMatchObject({
    message: expect.stringContaining(`need the package ${name}, which is not installed`) as string,
    hint: expect.stringMatching(new RegExp(`npm install --prefix .* ${name}$`)) as string,
  });
});

describe("a model's own id, without a provider,", () => {
  test("is found where one configured provider lists it", async () => {
    expect((await models({ env: { DEEPSEEK_API_KEY: "k" } }).resolve("deepseek-chat")).id).toBe("deepseek/deepseek-chat");
    const both = models({ env: { DEEPSEEK_API_KEY: "k", OPENAI_API_KEY: "k" } });
    expect((await both.resolve("deepseek-chat")).id).toBe("deepseek/deepseek-chat");
    expect((await both.resolve("gpt-4o")).id).toBe("openai/gpt-4o");
  });

  test("is found on the server of a configured provider, with and without a slash", async () => {
    const [one, other] = [await serve(["llama3.2", "qwen/qwen3-coder-30b"]), await serve(["other"])];
    const all = models({
      providers: { box: { type: "lmstudio", baseUrl: one }, rack: { type: "openai-compatible", baseUrl: other } },
    });
    expect((await all.resolve("llama3.2")).id).toBe("box/llama3.2");
    expect((await all.resolve("qwen/qwen3-coder-30b")).id).toBe("box/qwen/qwen3-coder-30b");
    expect((await all.resolve("other")).id).toBe("rack/other");
  });

  test("is refused where two have it, and both are named", async () => {
    const at = await serve(["m"]);
    const all = models({ providers: { a: { type: "vllm", baseUrl: at }, b: { type: "ollama", baseUrl: at } } });
    const { code, message, hint } = await failureOf(all.resolve("m"));
    expect([code, message, hint]).toEqual([
      "model_unknown",
      'The model "m" is served by more than one provider: a, b.',
      "Name one of them: a/m or b/m.",
    ]);
  });

  test("is unknown where no configured provider has it, and no other server is asked", async () => {
    const at = await serve(["m"]);
    const all = models({ providers: { theirs: { type: "vllm", baseUrl: at, isKeyless: true } } });
    expect(await failureOf(all.resolve("m"))).toMatchObject({ code: "model_unknown" });
    expect(await failureOf(models().resolve("deepseek-chat"))).toMatchObject({ code: "model_unknown" });
  });
});

describe("a name of Docker Model Runner", () => {
  test.each(["ai/qwen3:32B-Q8_K_XL", "ai/mistral"])("%s is a model of it, configured or not", async (name) => {
    expect((await models().resolve(name)).id).toBe(`docker-model-runner/${name}`);
    const all = models({ providers: { dmr: { type: "docker-model-runner", baseUrl: "http://127.0.0.1:9/v1" } } });
    expect((await all.resolve(name)).id).toBe(`dmr/${name}`);
  });

  test("is one of a provider called ai where there is one", async () => {
    const all = models({ providers: { ai: { type: "vllm", baseUrl: "http://127.0.0.1:9/v1" } } });
    expect((await all.resolve("ai/qwen3")).id).toBe("ai/qwen3");
  });
});

test("a short name may hold a slash, and stands above a provider", async () => {
  const all = models({ models: { "qwen/qwen3-coder-30b": "ollama/qwen3", "openai/gpt-5": "ollama/big" } });
  expect((await all.resolve("qwen/qwen3-coder-30b")).id).toBe("ollama/qwen3");
  expect((await all.resolve("openai/gpt-5")).id).toBe("ollama/big");
});
