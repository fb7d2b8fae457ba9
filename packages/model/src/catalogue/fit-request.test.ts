import { afterEach, describe, expect, test } from "vitest";
import type { ModelAnswer, ModelRequest } from "../contract.ts";
import { createModels } from "../models.ts";
import type { MockServer } from "../testing/mock-server.ts";
import { startMockServer } from "../testing/mock-server.ts";

const servers: MockServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const IMAGE = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
const REQUEST: ModelRequest = {
  system: "",
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }, IMAGE] }],
  tools: [],
  toolChoice: "auto",
  temperature: 0.1,
};

/** Asks a model of the type twice; what the server was sent, and the answers. */
const askTwice = async (type: string, model: string, catalogue = {}) => {
  const server = await startMockServer({ reply: () => ({ text: "ok" }) });
  servers.push(server);
  const models = createModels({
    providers: { [type]: { type, baseUrl: type === "anthropic" ? server.origin : server.baseUrl } },
    catalogue,
    retry: { attempts: 1, maxWaitMs: 0 },
    streamIdleMs: 10_000,
    env: { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", DEEPSEEK_API_KEY: "k", OPENROUTER_API_KEY: "k" },
  });
  const resolved = await models.resolve(`${type}/${model}`);
  const answers: ModelAnswer[] = [];
  for (const request of [REQUEST, REQUEST])
    for await (const chunk of resolved.stream(request, new AbortController().signal))
      if (chunk.type === "answer") answers.push(chunk);
  return { resolved, bodies: server.requests.map(({ body }) => body), answers };
};

describe("what a model does not take", () => {
  test.each([
    ["anthropic", "claude-sonnet-5"],
    ["anthropic", "claude-sonnet-99"],
    ["openai", "gpt-6-sol"],
    ["openai", "gpt-99"],
  ])("%s/%s is asked without a temperature, which is told once", async (type, model) => {
    const { bodies, answers } = await askTwice(type, model);
    for (const body of bodies) expect(body).not.toHaveProperty("temperature");
    expect(answers.map(({ leftOut }) => leftOut)).toEqual([["temperature"], undefined]);
  });

  test("a temperature goes to who takes it", async () => {
    for (const [type, model] of [
      ["anthropic", "claude-haiku-4-5"],
      ["openai", "gpt-4o"],
      ["openrouter", "nobody/unknown"],
    ] as const) {
      const { bodies, answers } = await askTwice(type, model);
      expect(bodies[0]).toMatchObject({ temperature: 0.1 });
      expect(answers[0]).not.toHaveProperty("leftOut");
    }
  });

  test("images are left out for a model that is blind, and the model is told so", async () => {
    const { bodies, answers, resolved } = await askTwice("openrouter", "qwen/qwen3-coder");
    expect(JSON.stringify(bodies)).not.toContain("aGk=");
    expect(JSON.stringify(bodies)).toContain("An image was left out");
    expect(answers[0]?.leftOut).toEqual(["images"]);
    expect(resolved.readsImages).toBeUndefined();
  });

  test("the user's own word on a model holds above the catalogue", async () => {
    const { bodies, resolved } = await askTwice("openai", "gpt-6-sol", {
      "openai/gpt-6-*": { temperature: true, images: false, outputTokens: 5_000 },
    });
    expect(bodies[0]).toMatchObject({ temperature: 0.1 });
    expect(JSON.stringify(bodies)).not.toContain("aGk=");
    expect(resolved.outputTokens).toBe(5_000);
  });
});

test("a model of the catalogue knows its window, its output limit and its eyes", async () => {
  const { resolved } = await askTwice("anthropic", "claude-sonnet-5");
  expect(resolved).toMatchObject({ contextWindow: 1_000_000, outputTokens: 128_000, readsImages: true });
});
