/**
 * Models of Ollama by its own API, which can be told how large a window the model is to have (`num_ctx`). Behind the compatible one it keeps its default of a few
 * thousand tokens, and cuts off the beginning of what is longer without a word.
 */
import type { Json, Message, UserPart } from "@retinue/protocol";
import type { Model, ModelRequest } from "../contract.ts";
import { createEndpoint } from "../transport/endpoint.ts";
import { toAcceptedSchema } from "./accepted-schema.ts";
import { createOllamaReader } from "./ollama-answer.ts";
import { toObjectText } from "./parsed.ts";
import { createWireModel } from "./wire-model.ts";
import type { WireOptions } from "./wire-options.ts";

/** `baseUrl` as for the compatible API: its `/v1` is left out. */
export const createOllamaModel = (options: WireOptions & { readonly contextWindow: number }): Model => {
  const { provider, price } = options;
  const endpoint = createEndpoint({
    provider,
    reach: options.reach,
    url: `${options.baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/api/chat`,
    headers: { ...(options.apiKey ? { authorization: `Bearer ${options.apiKey.trim()}` } : {}), ...options.headers },
  });
  return createWireModel(options, {
    endpoint,
    toBody: (request) => toOllamaBody(options, request),
    createReader: (request, bodyChars) => createOllamaReader({ endpoint, request, bodyChars, price }),
  });
};

const toOllamaBody = (
  { model, contextWindow }: { readonly model: string; readonly contextWindow: number },
  request: ModelRequest,
): string =>
  JSON.stringify({
    model,
    stream: true,
    messages: [
      ...(request.system === "" ? [] : [{ role: "system", content: request.system }]),
      ...request.messages.flatMap(toMessages),
    ],
    ...(request.tools.length === 0 || request.toolChoice === "none"
      ? {}
      : {
          tools: request.tools.map(({ name, description, inputSchema }) => ({
            type: "function",
            function: { name, description, parameters: toAcceptedSchema(inputSchema) },
          })),
        }),
    options: {
      num_ctx: contextWindow,
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.maxOutputTokens === undefined ? {} : { num_predict: request.maxOutputTokens }),
    },
  });

const textOf = (parts: readonly UserPart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

const imagesOf = (parts: readonly UserPart[]): { readonly images?: readonly string[] } => {
  const images = parts.flatMap((part) => (part.type === "image" ? [part.data] : []));
  return images.length === 0 ? {} : { images };
};

const toMessages = (message: Message): Json[] => {
  if (message.role === "user") return [{ role: "user", content: textOf(message.content), ...imagesOf(message.content) }];
  if (message.role === "tool")
    return [{ role: "tool", tool_name: message.tool, content: textOf(message.content), ...imagesOf(message.content) }];
  let content = "";
  const calls: Json[] = [];
  for (const part of message.content) {
    if (part.type === "text") content += part.text;
    if (part.type === "tool-call")
      calls.push({ function: { name: part.tool, arguments: JSON.parse(toObjectText(part)) as Json } }); // Text of an object.
  }
  if (content === "" && calls.length === 0) return [];
  return [{ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
};
