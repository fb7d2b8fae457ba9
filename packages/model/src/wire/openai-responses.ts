/** Models behind OpenAI Responses: OpenAI itself, and Azure at `/openai/v1`. */
import type { Model } from "../contract.ts";
import { createEndpoint } from "../transport/endpoint.ts";
import { createResponsesReader } from "./responses-answer.ts";
import { createResponsesBody } from "./responses-request.ts";
import { createWireModel } from "./wire-model.ts";
import type { WireOptions } from "./wire-options.ts";

const AZURE = /\.azure\.com$/;

/** Whether the server at this address is known to speak it. */
export const speaksResponses = (baseUrl: string): boolean => {
  const { hostname, pathname } = new URL(baseUrl);
  return hostname === "api.openai.com" || (AZURE.test(hostname) && /\/openai\/v1\/?$/.test(pathname));
};

/** `baseUrl` ends where `/responses` begins: `https://api.openai.com/v1`. */
export const createResponsesModel = (options: WireOptions): Model => {
  const { provider, price, model, traits } = options;
  const base = options.baseUrl.replace(/\/+$/, "");
  const key = options.apiKey?.trim() ?? "";
  const authorisation: Record<string, string> = AZURE.test(new URL(base).hostname)
    ? { "api-key": key }
    : { authorization: `Bearer ${key}` };
  const endpoint = createEndpoint({
    provider,
    url: `${base}/responses`,
    headers: { ...(key === "" ? {} : authorisation), ...options.headers },
    reach: options.reach,
  });
  return createWireModel(options, {
    endpoint,
    toBody: createResponsesBody({ model, provider, traits }),
    createReader: (request, bodyChars) => createResponsesReader({ endpoint, request, bodyChars, price }),
  });
};
