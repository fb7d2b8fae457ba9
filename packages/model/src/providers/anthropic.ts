/** Anthropic by its Messages API. */
import type { Provider } from "./provider.ts";

export const anthropic: Provider = {
  type: "anthropic",
  baseUrl: "https://api.anthropic.com/v1",
  baseUrlEnv: "ANTHROPIC_BASE_URL",
  keyEnvs: ["ANTHROPIC_API_KEY"],
  needsKey: true,
  isLocal: false,
  defaultModel: "claude-sonnet-5",
  shortNames: { sonnet: "claude-sonnet-5", opus: "claude-opus-5-5", haiku: "claude-haiku-4-5" },
  maxConcurrent: 32,
  priceSource: () => ({ type: "listed", providerId: "anthropic" }),
  createModel: async (options) => {
    const { createAnthropicModel } = await import("../wire/anthropic-messages.ts");
    return createAnthropicModel(options);
  },
};
