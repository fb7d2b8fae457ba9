/** Models behind Anthropic Messages: Anthropic itself and compatible servers. */
import type { Model } from "../contract.ts";
import { createEndpoint } from "../transport/endpoint.ts";
import { createAnthropicReader } from "./anthropic-answer.ts";
import { createAnthropicBody } from "./anthropic-request.ts";
import { createWireModel } from "./wire-model.ts";
import type { WireOptions } from "./wire-options.ts";

/** `baseUrl` with or without its version: `https://api.anthropic.com` and `https://api.anthropic.com/v1` are one. */
export const createAnthropicModel = (options: WireOptions): Model => {
  const { provider, price } = options;
  const base = options.baseUrl.replace(/\/+$/, "");
  const endpoint = createEndpoint({
    provider,
    reach: options.reach,
    url: `${base}${/\/v\d+$/.test(base) ? "" : "/v1"}/messages`,
    headers: {
      "anthropic-version": "2023-06-01",
      ...(options.apiKey ? { "x-api-key": options.apiKey.trim() } : {}),
      ...options.headers,
    },
  });
  return createWireModel(options, {
    endpoint,
    toBody: createAnthropicBody({ model: options.model, traits: options.traits }),
    createReader: (request, bodyChars) => createAnthropicReader({ endpoint, request, bodyChars, price }),
  });
};
