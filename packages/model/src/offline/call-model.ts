/**
 * No LLM: it makes the one call that its task holds, and hands back what came out. With it a person, and not a model, decides what a run does; the
 * run is recorded, limited and resumed like any other.
 */
import type { AssistantPart, Json, Message } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { Model, ModelChunk } from "../contract.ts";

export const CALL_MODEL = "offline/call";

const OPENING = "```retinue-call";
const CLOSING = "```";

export type GivenCall = { readonly tool: string; readonly input: Json };

/** A task that has the call made. `words` are for people. */
export const toCallTask = (words: string, call: GivenCall): string =>
  `${words}\n\n${OPENING}\n${JSON.stringify(call)}\n${CLOSING}`;

export const createCallModel = (): Model => ({
  id: CALL_MODEL,
  price: () => 0,
  stream: async function* ({ messages }, signal): AsyncGenerator<ModelChunk> {
    signal.throwIfAborted();
    const part = answerTo(messages);
    if (part.type === "text") yield { type: "text", text: part.text };
    yield {
      type: "answer",
      content: [part],
      finishReason: part.type === "tool-call" ? "tool-calls" : "stop",
      usage: { input: 0, output: 0, cached: 0, reasoning: 0 },
      costUsd: 0,
    };
  },
});

const answerTo = (messages: readonly Message[]): AssistantPart => {
  const at = messages.findLastIndex(({ role, content }) => role === "user" && readCall(content) !== undefined);
  const asked = messages[at];
  const call = asked?.role === "user" ? readCall(asked.content) : undefined;
  if (!call)
    throw new RetinueError("model_unknown", `${CALL_MODEL} makes the call that its task holds, and this task holds none.`);
  const outcome = messages.slice(at).findLast(({ role }) => role === "tool");
  if (outcome) return { type: "text", text: textOf(outcome.content) || "(nothing)" };
  return { type: "tool-call", callId: `call_${at}`, tool: call.tool, arguments: JSON.stringify(call.input) };
};

const textOf = (content: Message["content"]): string => content.map((part) => (part.type === "text" ? part.text : "")).join("\n");

const readCall = (content: Message["content"]): GivenCall | undefined => {
  const text = textOf(content);
  const from = text.lastIndexOf(`${OPENING}\n`);
  const to = text.lastIndexOf(`\n${CLOSING}`);
  if (from < 0 || to < from) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(from + OPENING.length + 1, to));
    return typeof value === "object" && value !== null && "tool" in value && typeof value.tool === "string" && "input" in value
      ? { tool: value.tool, input: value.input as Json }
      : undefined;
  } catch {
    return undefined;
  }
};
