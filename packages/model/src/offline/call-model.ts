/**
 * No LLM: it makes the calls that its task holds, and hands back what came out. With it a person, and not a model, decides what a run does; the
 * run is recorded, limited and resumed like any other.
 */
import type { AssistantPart, CallOutcome, GivenCall, GivenCalls, Message, ToolMessage } from "@retinue/protocol";
import { CALL_MODEL, readCallTask, RetinueError } from "@retinue/protocol";
import type { Model, ModelChunk } from "../contract.ts";

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
  const at = messages.findLastIndex(({ role, content }) => role === "user" && readCallTask(textOf(content)) !== undefined);
  const asked = messages[at];
  const given = asked?.role === "user" ? readCallTask(textOf(asked.content)) : undefined;
  if (!given)
    throw new RetinueError("model_unknown", `${CALL_MODEL} makes the call that its task holds, and this task holds none.`);
  const outcomes = messages.slice(at).filter((message) => message.role === "tool");
  return "calls" in given ? nextOf(given, outcomes, at) : onlyOf(given, outcomes, at);
};

const onlyOf = (call: GivenCall, outcomes: readonly ToolMessage[], at: number): AssistantPart => {
  const outcome = outcomes.at(-1);
  return outcome ? { type: "text", text: textOf(outcome.content) || "(nothing)" } : toPart(call, `call_${at}`);
};

const nextOf = ({ calls, all = false }: GivenCalls, outcomes: readonly ToolMessage[], at: number): AssistantPart => {
  const call = calls[outcomes.length];
  if (call && (all || outcomes.at(-1)?.isError !== true)) return toPart(call, `call_${at}_${outcomes.length + 1}`);
  const said = outcomes.map(({ content, isError }, index): CallOutcome => ({
    tool: calls[index]?.tool ?? "",
    isError,
    text: textOf(content),
  }));
  return { type: "text", text: JSON.stringify(said) };
};

const toPart = ({ tool, input }: GivenCall, callId: string): AssistantPart => ({
  type: "tool-call",
  callId,
  tool,
  arguments: JSON.stringify(input),
});

const textOf = (content: Message["content"]): string => content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
