import { describe, expect, test } from "vitest";
import { createCatalogue } from "./catalogue.ts";
import type { PriceSource } from "./catalogue-entry.ts";

const SOURCES: Record<string, PriceSource> = {
  anthropic: { type: "listed", providerId: "anthropic" },
  openai: { type: "listed", providerId: "openai" },
  google: { type: "listed", providerId: "google" },
  openrouter: { type: "listed", providerId: "openrouter" },
  ollama: { type: "free" },
  work: { type: "by-url", baseUrl: "https://api.groq.com/openai/v1" },
  cellar: { type: "by-url", baseUrl: "https://models.example.test/v1" },
};

const sourceOf = (provider: string) => SOURCES[provider];
const usage = { input: 1_000_000, output: 100_000, cached: 0, reasoning: 50_000 };

describe("prices", () => {
  const catalogue = createCatalogue({ sourceOf });

  test("come from the catalogue, dated names included", async () => {
    expect(await catalogue.priceOf("anthropic/claude-haiku-4-5", usage)).toBeCloseTo(1.5, 6);
    expect(await catalogue.priceOf("anthropic/claude-haiku-4-5-20251001", usage)).toBeCloseTo(1.5, 6);
  });

  test("are lower for what was read from a cache", async () => {
    const cached = await catalogue.priceOf("anthropic/claude-haiku-4-5", { ...usage, cached: 1_000_000 });
    expect(cached).toBeCloseTo(0.6, 6);
  });

  test("survive a server that reports more cached than input tokens", async () => {
    const odd = { input: 10, output: 0, cached: 20, reasoning: 0 };
    expect(await catalogue.priceOf("openai/gpt-4o", odd)).toBeCloseTo((10 * 1.25) / 1_000_000, 12);
  });

  test("are null for usage that makes no sense", async () => {
    expect(await catalogue.priceOf("openai/gpt-4o", { input: Number.NaN, output: 1, cached: 0, reasoning: 0 })).toBeNull();
  });

  test("take model names with slashes", async () => {
    expect(await catalogue.priceOf("openrouter/anthropic/claude-haiku-4.5", usage)).toBeCloseTo(1.5, 6);
  });

  test("are found by the server's address", async () => {
    expect(await catalogue.priceOf("work/llama-3.3-70b-versatile", usage)).toBeGreaterThan(0);
    expect(await catalogue.priceOf("cellar/llama-3.3-70b-versatile", usage)).toBeNull();
  });

  test("are nothing on a server of one's own", async () => {
    expect(await catalogue.priceOf("ollama/qwen3:8b", usage)).toBe(0);
    expect(await catalogue.contextWindowOf("ollama/qwen3:8b")).toBeNull();
  });

  test("are null where nobody knows: no such model, no such provider, no provider", async () => {
    for (const id of ["openai/nonsense-9", "nobody/gpt-4o", "gpt-4o"]) {
      expect(await catalogue.priceOf(id, usage)).toBeNull();
      expect(await catalogue.contextWindowOf(id)).toBeNull();
    }
  });
});

describe("context windows", () => {
  const catalogue = createCatalogue({ sourceOf });

  test("come from the catalogue, and from the reseller's listing where the maker's has none", async () => {
    expect(await catalogue.contextWindowOf("openai/gpt-4o")).toBe(128_000);
    expect(await catalogue.contextWindowOf("google/gemini-2.5-pro")).toBe(1_048_576);
  });
});

describe("the user's own figures", () => {
  const catalogue = createCatalogue({
    sourceOf,
    overrides: {
      "openai/gpt-4o": { price: { input: 1, output: 2, cached: 0.5 } },
      "openai/gpt-4*": { contextWindow: 9_000 },
      "openai/*": { contextWindow: 5_000 },
      "nobody/at-all": { price: { input: 4, output: 8 }, contextWindow: 1_000 },
    },
  });

  test("win over the catalogue", async () => {
    expect(await catalogue.priceOf("openai/gpt-4o", { ...usage, cached: 500_000 })).toBeCloseTo(0.5 + 0.25 + 0.2, 9);
  });

  test("leave what they do not name to the catalogue", async () => {
    expect(await catalogue.contextWindowOf("openai/gpt-4o")).toBe(128_000);
    expect(await catalogue.priceOf("openai/gpt-4o-mini", usage)).toBeCloseTo(0.21, 6);
  });

  test("may end in a star, and the longest that fits wins", async () => {
    expect(await catalogue.contextWindowOf("openai/gpt-4.1")).toBe(9_000);
    expect(await catalogue.contextWindowOf("openai/o3")).toBe(5_000);
  });

  test("make an unknown model known, cached tokens at the price of input", async () => {
    expect(await catalogue.priceOf("nobody/at-all", { ...usage, cached: 1_000_000 })).toBeCloseTo(4.8, 9);
    expect(await catalogue.contextWindowOf("nobody/at-all")).toBe(1_000);
  });
});
