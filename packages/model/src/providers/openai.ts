/** OpenAI by Chat Completions. */
import { toOpenAiCompatible } from "./openai-compatible.ts";
import type { Provider } from "./provider.ts";

const compatible = toOpenAiCompatible({
  type: "openai",
  baseUrl: "https://api.openai.com/v1",
  baseUrlEnv: "OPENAI_BASE_URL",
  keyEnvs: ["OPENAI_API_KEY"],
  needsKey: true,
  defaultModel: "gpt-6-sol",
  maxConcurrent: 32,
  priceSource: () => ({ type: "listed", providerId: "openai" }),
});

export const openai: Provider = {
  ...compatible,
  // Whatever it is called in settings and wherever it stands, requests follow OpenAI's own rules.
  createModel: (options) => compatible.createModel({ ...options, provider: "openai" }),
};
