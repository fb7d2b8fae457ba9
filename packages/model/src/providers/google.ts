/** Google Gemini, by the AI SDK's provider under our own transport rules. */
import { toFetch } from "../ai-sdk/to-fetch.ts";
import type { Provider } from "./provider.ts";

export const google: Provider = {
  type: "google",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  keyEnvs: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  needsKey: true,
  isLocal: false,
  defaultModel: "gemini-3.8-flash",
  maxConcurrent: 32,
  priceSource: () => ({ type: "listed", providerId: "google" }),
  createModel: async ({ model, baseUrl, apiKey, headers, reach, ...rest }) => {
    const [{ createGoogle }, { fromAiSdk }] = await Promise.all([import("@ai-sdk/google"), import("../ai-sdk/from-ai-sdk.ts")]);
    const sdk = createGoogle({ baseURL: baseUrl, apiKey: apiKey ?? "", headers: { ...headers }, ...(await toFetch(reach)) });
    const secrets = [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers ?? {})];
    return fromAiSdk(sdk.languageModel(model), { ...rest, host: new URL(baseUrl).host, secrets });
  },
};
