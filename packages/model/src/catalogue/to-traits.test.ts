import { expect, test } from "vitest";
import { findTraits, priceOfTraits } from "./to-traits.ts";

const million = 1_000_000;

test("cache writes cost what the provider takes for them", async () => {
  const price = priceOfTraits((await findTraits("anthropic", "claude-haiku-4-5")) ?? {});
  expect(price?.({ input: million, output: 0, cached: 0, reasoning: 0, written: million })).toBeCloseTo(1.25, 9);
  expect(price?.({ input: million, output: 0, cached: million / 2, reasoning: 0, written: million / 2 })).toBeCloseTo(0.675, 9);
});

test("a long request costs by its tier", async () => {
  const price = priceOfTraits((await findTraits("openai", "gpt-6-sol")) ?? {});
  expect(price?.({ input: 200_000, output: 0, cached: 0, reasoning: 0 })).toBeCloseTo(0.4, 9);
  expect(price?.({ input: 300_000, output: 0, cached: 0, reasoning: 0 })).toBeCloseTo(1.2, 9);
});

test("a name with a date is the same model", async () => {
  expect(await findTraits("anthropic", "claude-sonnet-5-20260201")).toEqual(await findTraits("anthropic", "claude-sonnet-5"));
  expect(await findTraits("anthropic", "claude-sonnet")).toBeUndefined();
});

test("the default models of the large providers are in the catalogue", async () => {
  for (const [provider, model] of [
    ["anthropic", "claude-sonnet-5"],
    ["openai", "gpt-6-sol"],
    ["google", "gemini-3.8-flash"],
    ["openrouter", "anthropic/claude-sonnet-5"],
  ] as const)
    expect(await findTraits(provider, model), model).toMatchObject({ images: true, thinking: expect.anything() });
});
