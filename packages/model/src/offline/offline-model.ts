/** The model that is always there: rules in place of an LLM, said so in the first line of every answer. It costs nothing and asks no network. */
import type { AssistantPart, Usage } from "@retinue/protocol";
import type { Model, ModelChunk, ModelRequest } from "../contract.ts";
import type { Turn } from "./decide.ts";
import { decide } from "./decide.ts";

const CHARS_A_TOKEN = 4;
const CHUNK_CHARS = 400;

export const createOfflineModel = (): Model => ({
  id: "offline/rules",
  price: () => 0,
  stream: async function* (request, signal): AsyncGenerator<ModelChunk> {
    signal.throwIfAborted();
    const { content, isCut } = toContent(decide(request), request);
    for (const part of content) {
      if (part.type === "text")
        for (const text of toChunks(part.text)) {
          signal.throwIfAborted();
          yield { type: "text", text };
        }
      else if (part.type === "tool-call") yield { type: "tool-input", tool: part.tool, text: part.arguments };
    }
    const hasCalls = content.some((part) => part.type === "tool-call");
    yield {
      type: "answer",
      content,
      finishReason: hasCalls ? "tool-calls" : isCut ? "length" : "stop",
      usage: toUsage(request, content),
      costUsd: 0,
    };
  },
});

const toContent = (
  turn: Turn,
  request: ModelRequest,
): { readonly content: readonly AssistantPart[]; readonly isCut: boolean } => {
  if (turn.type === "calls") {
    // The number of messages so far makes the ids unique in the conversation and the same for the same request.
    const calls = turn.calls.map(({ tool, input }, index): AssistantPart => ({
      type: "tool-call",
      callId: `offline_${request.messages.length}_${index + 1}`,
      tool,
      arguments: JSON.stringify(input),
    }));
    return { content: [{ type: "text", text: turn.text }, ...calls], isCut: false };
  }
  const most = (request.maxOutputTokens ?? Infinity) * CHARS_A_TOKEN;
  return { content: [{ type: "text", text: turn.text.slice(0, most).toWellFormed() }], isCut: turn.text.length > most };
};

/** At line breaks where there are any. */
function* toChunks(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const newline = text.lastIndexOf("\n", at + CHUNK_CHARS);
    const end = text.length - at <= CHUNK_CHARS ? text.length : newline > at ? newline + 1 : at + CHUNK_CHARS;
    yield text.slice(at, end);
    at = end;
  }
}

const toUsage = ({ system, messages, tools }: ModelRequest, content: readonly AssistantPart[]): Usage => ({
  input: Math.ceil((system.length + JSON.stringify(messages).length + JSON.stringify(tools).length) / CHARS_A_TOKEN),
  output: Math.ceil(JSON.stringify(content).length / CHARS_A_TOKEN),
  cached: 0,
  reasoning: 0,
});
