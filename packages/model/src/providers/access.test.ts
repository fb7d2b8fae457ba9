import { describe, expect, test } from "vitest";
import { toProviderAccess } from "./access.ts";
import type { Env } from "./access.ts";
import type { ProviderSettings } from "./provider.ts";

const access = (name: string, providers: Record<string, ProviderSettings> = {}, env: Env = {}) =>
  toProviderAccess(name, { providers, env });

const baseUrl = (...parameters: Parameters<typeof access>) => access(...parameters)?.baseUrl;

describe("a built-in provider", () => {
  test("needs no settings", () => {
    expect(access("openai", {}, { OPENAI_API_KEY: "k" })).toMatchObject({
      name: "openai",
      baseUrl: "https://api.openai.com/v1",
      apiKey: "k",
      needsKey: true,
      maxConcurrent: 32,
    });
    expect(access("ollama")).toMatchObject({ baseUrl: "http://127.0.0.1:11434/v1", needsKey: false });
  });

  test("takes the first of its variables that is set, and an empty one is not", () => {
    expect(access("google", {}, { GEMINI_API_KEY: "", GOOGLE_API_KEY: "b" })?.apiKey).toBe("b");
  });

  test("of Azure is the resource that its own variable or the settings name, with the path of its version", () => {
    const env = { AZURE_OPENAI_ENDPOINT: "https://red.openai.azure.com", AZURE_OPENAI_API_KEY: "k" };
    expect(access("azure", {}, env)).toMatchObject({ baseUrl: "https://red.openai.azure.com/openai/v1", apiKey: "k" });
    expect(baseUrl("azure", { azure: { type: "azure", baseUrl: "https://blue.example.test/openai/v1/" } }, env)).toBe(
      "https://blue.example.test/openai/v1",
    );
    expect(access("azure")).toBeUndefined();
  });

  test("is unknown where it has no address of its own, and so is a name nobody knows", () => {
    expect(access("openai-compatible")).toBeUndefined();
    expect(access("nobody")).toBeUndefined();
    expect(access("constructor")).toBeUndefined();
  });
});

describe("settings", () => {
  test("win over the provider's defaults and over the environment", () => {
    const providers = {
      openai: {
        type: "openai",
        baseUrl: "https://proxy.example.test/openai/",
        apiKeyEnv: "PROXY_KEY",
        headers: { "x-team": "red" },
        maxConcurrent: 2,
      },
    };
    const env = { OPENAI_API_KEY: "a", PROXY_KEY: "b", OPENAI_BASE_URL: "https://other.example.test" };
    expect(access("openai", providers, env)).toMatchObject({
      baseUrl: "https://proxy.example.test/openai",
      apiKey: "b",
      headers: { "x-team": "red" },
      maxConcurrent: 2,
    });
  });

  test("that name a variable for the key make the key needed", () => {
    const providers = { box: { type: "vllm", apiKeyEnv: "BOX_KEY" } };
    expect(access("box", providers)).toMatchObject({ needsKey: true, keyEnvs: ["BOX_KEY"] });
    expect(access("box", providers)).not.toHaveProperty("apiKey");
  });

  test("of an unknown type are refused with the types there are", () => {
    expect(() => access("x", { x: { type: "opnai" } })).toThrow(/providers\.x\.type is "opnai".*openai-compatible/);
  });

  test("without the address that the type needs are refused", () => {
    expect(() => access("x", { x: { type: "openai-compatible" } })).toThrow(/providers\.x .*needs a baseUrl/);
  });
});

describe("the base URL", () => {
  test("gets the provider's usual path where it has none", () => {
    expect(baseUrl("x", { x: { type: "ollama", baseUrl: "http://box:11434/" } })).toBe("http://box:11434/v1");
    expect(baseUrl("x", { x: { type: "docker-model-runner", baseUrl: "http://box:1" } })).toBe("http://box:1/engines/v1");
    expect(baseUrl("x", { x: { type: "openai-compatible", baseUrl: "http://box:1" } })).toBe("http://box:1");
  });

  test("is taken from the variable that the provider's own tools read", () => {
    expect(baseUrl("anthropic", {}, { ANTHROPIC_BASE_URL: "https://gate.example.test" })).toBe("https://gate.example.test/v1");
    expect(baseUrl("ollama", {}, { OLLAMA_HOST: "0.0.0.0" })).toBe("http://127.0.0.1:11434/v1");
    expect(baseUrl("ollama", {}, { OLLAMA_HOST: "box:8000" })).toBe("http://box:8000/v1");
    expect(baseUrl("ollama", {}, { OLLAMA_HOST: "https://box.example.test" })).toBe("https://box.example.test/v1");
    expect(baseUrl("ollama", {}, { OLLAMA_HOST: "" })).toBe("http://127.0.0.1:11434/v1");
  });

  test.each(["nonsense", "ftp://x", "file:///etc/passwd", ""])("%j is refused", (given) => {
    expect(() => baseUrl("x", { x: { type: "openai", baseUrl: given } })).toThrow(/providers\.x\.baseUrl is not/);
  });

  test("with credentials or a query is refused without being repeated", () => {
    for (const given of ["https://me:canary@x.test/v1", "https://x.test/v1?key=canary"]) {
      const refuse = () => baseUrl("x", { x: { type: "openai-compatible", baseUrl: given } });
      expect(refuse).toThrow(/holds credentials or a query/);
      expect(refuse).not.toThrow(/canary/);
    }
  });
});
