/** Any server that speaks OpenAI Chat Completions, and the way to describe one that has a name. */
import type { PriceSource } from "../catalogue/catalogue-entry.ts";
import type { Provider } from "./provider.ts";

type Preset = Pick<Provider, "type" | "baseUrl" | "maxConcurrent"> & Partial<Omit<Provider, "createModel">>;

export const toOpenAiCompatible = (preset: Preset): Provider => ({
  keyEnvs: [],
  needsKey: false,
  isLocal: false,
  priceSource: (baseUrl) => (isLoopback(baseUrl) ? { type: "free" } : { type: "by-url", baseUrl }),
  ...preset,
  createModel: async (options) => {
    const { createOpenAiChatModel } = await import("../wire/openai-chat.ts");
    return createOpenAiChatModel(options);
  },
});

/** A server of one's own that serves models from this machine or one's own rack. */
export const toLocalServer = (preset: Pick<Provider, "type" | "baseUrl" | "maxConcurrent" | "baseUrlEnv">): Provider =>
  toOpenAiCompatible({ ...preset, isLocal: true, priceSource: (): PriceSource => ({ type: "free" }) });

export const openAiCompatible = toOpenAiCompatible({ type: "openai-compatible", maxConcurrent: 32 });

const isLoopback = (baseUrl: string): boolean => {
  const { hostname } = new URL(baseUrl);
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
};
