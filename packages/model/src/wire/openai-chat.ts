/** Models behind OpenAI Chat Completions: OpenAI itself and the many servers that are compatible with it. */
import type { Model } from "../contract.ts";
import { createEndpoint } from "../transport/endpoint.ts";
import { createOpenAiReader } from "./openai-answer.ts";
import { createOpenAiBody } from "./openai-request.ts";
import { createWireModel } from "./wire-model.ts";
import type { WireOptions } from "./wire-options.ts";

/** `baseUrl` ends where `/chat/completions` begins: `https://api.openai.com/v1`. */
export const createOpenAiChatModel = (options: WireOptions): Model => {
  const { provider, price } = options;
  const endpoint = createEndpoint({
    provider,
    reach: options.reach,
    url: `${options.baseUrl.replace(/\/+$/, "")}/chat/completions`,
    headers: { ...(options.apiKey ? { authorization: `Bearer ${options.apiKey.trim()}` } : {}), ...options.headers },
  });
  return createWireModel(options, {
    endpoint,
    toBody: createOpenAiBody({
      model: options.model,
      provider,
      traits: options.traits,
      maxTokensField:
        options.traits?.maxTokensField ??
        (endpoint.host === "api.openai.com" || provider === "openai" ? "max_completion_tokens" : "max_tokens"),
    }),
    createReader: (request, bodyChars) => createOpenAiReader({ endpoint, request, bodyChars, price }),
  });
};
