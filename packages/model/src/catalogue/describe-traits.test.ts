import { expect, test } from "vitest";
import { createModels } from "../models.ts";

const models = createModels({
  providers: {},
  retry: { attempts: 1, maxWaitMs: 0 },
  streamIdleMs: 1_000,
  env: { OPENAI_API_KEY: "k" },
});

test.each([
  ["openai/gpt-6-sol", "context 272000, output 128000, reads images, thinking low medium high xhigh max, no temperature"],
  ["openai/gpt-4o", "context 128000, output 16384, reads images, no thinking"],
  ["openai/gpt-99", "not in the catalogue, so asked in the safest form, reads images, no temperature"],
  ["ollama/qwen3:8b", "not in the catalogue, so asked in the safest form"],
])("%s is described", async (name, words) => {
  expect(await models.describe(name)).toBe(words);
});
