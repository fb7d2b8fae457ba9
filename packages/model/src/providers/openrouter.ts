/** OpenRouter. Its models are `maker/model`, so that a whole name has two slashes. */
import { toOpenAiCompatible } from "./openai-compatible.ts";

export const openrouter = toOpenAiCompatible({
  type: "openrouter",
  baseUrl: "https://openrouter.ai/api/v1",
  keyEnvs: ["OPENROUTER_API_KEY"],
  needsKey: true,
  defaultModel: "anthropic/claude-sonnet-5",
  maxConcurrent: 32,
  priceSource: () => ({ type: "listed", providerId: "openrouter" }),
});
