/** Leaves out of a request what its model is known not to take, so that nobody's request is refused for it. What was left out is told. */
import type { Message, UserPart } from "@retinue/protocol";
import type { Model, ModelChunk, ModelRequest } from "../contract.ts";
import type { ModelTraits } from "./model-traits.ts";

const NO_IMAGE: UserPart = { type: "text", text: "(An image was left out: the model does not read images.)" };

/** The same model, asked only for what it takes. It tells of each thing that was left out once, with an answer. */
export const toFittingModel = (model: Model, traits: ModelTraits): Model => {
  const blind = new WeakMap<Message, Message>();
  const told = new Set<string>();
  const { temperature: takesTemperature, images, outputTokens, thinking } = traits;

  const toBlind = (message: Message): Message => {
    if (message.role === "assistant" || !message.content.some(({ type }) => type === "image")) return message;
    let made = blind.get(message);
    if (made === undefined) {
      made = { ...message, content: message.content.map((part) => (part.type === "image" ? NO_IMAGE : part)) };
      blind.set(message, made);
    }
    return made;
  };

  const fit = (request: ModelRequest, leftOut: string[]): ModelRequest => {
    const isBounded = request.maxOutputTokens === undefined || request.maxOutputTokens <= (outputTokens ?? Infinity);
    if (request.temperature === undefined && request.thinking === undefined && images !== false && isBounded) return request;
    const { temperature, maxOutputTokens, thinking: wanted, ...rest } = request;
    const keepsTemperature = temperature !== undefined && takesTemperature !== false;
    if (temperature !== undefined && !keepsTemperature) leftOut.push("temperature");
    const keepsThinking = wanted !== undefined && (thinking !== undefined || wanted === "off");
    if (wanted !== undefined && !keepsThinking) leftOut.push("thinking");
    if (wanted === "off" && thinking?.forced === true) leftOut.push("thinking: off");
    let { messages } = rest;
    if (images === false) {
      const seen = messages.map(toBlind);
      if (seen.some((message, index) => message !== messages[index])) {
        leftOut.push("images");
        messages = seen;
      }
    }
    return {
      ...rest,
      messages,
      ...(keepsTemperature ? { temperature } : {}),
      ...(keepsThinking ? { thinking: wanted } : {}),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens: Math.min(maxOutputTokens, outputTokens ?? Infinity) }),
    };
  };

  return {
    ...model,
    stream: (request, signal) => {
      const leftOut: string[] = [];
      const chunks = model.stream(fit(request, leftOut), signal);
      const news = leftOut.filter((what) => !told.has(what));
      return news.length === 0 ? chunks : tellOnce(chunks, news, told);
    },
  };
};

const tellOnce = async function* (
  chunks: AsyncIterable<ModelChunk>,
  news: readonly string[],
  told: Set<string>,
): AsyncIterable<ModelChunk> {
  for await (const chunk of chunks) {
    if (chunk.type !== "answer") yield chunk;
    else {
      const leftOut = news.filter((what) => !told.has(what));
      for (const what of leftOut) told.add(what);
      yield leftOut.length === 0 ? chunk : { ...chunk, leftOut };
    }
  }
};
