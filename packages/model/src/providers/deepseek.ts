/** DeepSeek's own API. */
import { toOpenAiCompatible } from "./openai-compatible.ts";

export const deepseek = toOpenAiCompatible({
  type: "deepseek",
  baseUrl: "https://api.deepseek.com/v1",
  keyEnvs: ["DEEPSEEK_API_KEY"],
  needsKey: true,
  defaultModel: "deepseek-v4-flash",
  maxConcurrent: 32,
  priceSource: () => ({ type: "listed", providerId: "deepseek" }),
});
