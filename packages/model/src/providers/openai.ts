/** OpenAI by Responses, also at Azure; by Chat Completions where its name stands for a compatible server. */
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
  createModel: async (options) => {
    // Whatever it is called in settings and wherever it stands, requests follow OpenAI's own rules.
    const own = { ...options, provider: "openai" };
    const { createResponsesModel, speaksResponses } = await import("../wire/openai-responses.ts");
    const isResponses = options.protocol === undefined ? speaksResponses(options.baseUrl) : options.protocol === "responses";
    return isResponses ? createResponsesModel(own) : compatible.createModel(own);
  },
};
