/** What the messages of a request amount to: the question that is open, and what was called since and answered. */
import type { JsonObject, Message, ToolCallPart, ToolMessage } from "@retinue/protocol";

export type Exchange = {
  readonly tool: string;
  /** Empty where they were no JSON object. */
  readonly input: JsonObject;
  readonly text: string;
  readonly isError: boolean;
};

export type Conversation = {
  readonly question: string;
  /** The answered calls since the question, turn by turn. */
  readonly turns: readonly (readonly Exchange[])[];
};

/** Notes of the runtime stand where users speak; they are no questions. */
const IS_NOTE = /^\[(?:retinue\]|summary of )|^\d+ earlier messages were dropped/;

export const toConversation = (messages: readonly Message[]): Conversation => {
  const asked = messages.findLastIndex((message) => message.role === "user" && !IS_NOTE.test(textOf(message)));
  const since = messages.slice(asked + 1);
  const results = new Map(since.flatMap((message) => (message.role === "tool" ? [[message.callId, message] as const] : [])));
  const question = messages[asked];
  return {
    question: question ? textOf(question) : "",
    turns: since.flatMap((message) => {
      const calls = message.content.filter((part): part is ToolCallPart => part.type === "tool-call");
      const exchanges = calls.flatMap((call) => toExchange(call, results.get(call.callId)));
      return exchanges.length > 0 ? [exchanges] : [];
    }),
  };
};

const toExchange = (call: ToolCallPart, result: ToolMessage | undefined): readonly Exchange[] =>
  result ? [{ tool: call.tool, input: parseObject(call.arguments), text: textOf(result), isError: result.isError }] : [];

const textOf = (message: Message): string =>
  message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

/** The object that a text is in JSON, or an empty one. */
export const parseObject = (text: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(text);
    // What JSON.parse gives is JSON.
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
};
