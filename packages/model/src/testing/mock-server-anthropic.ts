/** A mock reply as Anthropic Messages puts it on the wire. */
import type { FinishReason, Json, JsonObject } from "@retinue/protocol";
import { toPieces } from "./mock-server-reply.ts";
import type { MockEvents, MockReply } from "./mock-server-reply.ts";

const STOP: Readonly<Record<FinishReason, string>> = {
  stop: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  filtered: "refusal",
  other: "pause_turn",
};

const stopOf = (reply: MockReply): string => STOP[reply.finish ?? (reply.toolCalls?.length ? "tool-calls" : "stop")];

const usageOf = (reply: MockReply, requestChars: number) => {
  const usage = reply.usage ?? {
    input: Math.ceil(requestChars / 4),
    output: Math.ceil(JSON.stringify([reply.text, reply.reasoning, reply.toolCalls]).length / 4),
    cached: 0,
    reasoning: 0,
  };
  return {
    input_tokens: usage.input - usage.cached,
    cache_read_input_tokens: usage.cached,
    cache_creation_input_tokens: 0,
    output_tokens: usage.output,
  };
};

const callIdOf = (id: string | null | undefined, index: number, n: number): JsonObject =>
  id === null ? {} : { id: id ?? `toolu_mock_${index}_${n}` };

/** `index` is the number of the request, so that made-up ids differ between answers. */
export const toAnthropicEvents = (reply: MockReply, index: number, requestChars: number): MockEvents => {
  const end = reply.lineEnd ?? "\n";
  const event = (type: string, fields: JsonObject = {}): string =>
    `event: ${type}${end}data: ${JSON.stringify({ type, ...fields })}${end}${end}`;
  const chars = reply.deltaChars ?? 12;
  const usage = usageOf(reply, requestChars);
  const opening = [
    event("message_start", {
      message: {
        id: `msg_${index}`,
        type: "message",
        role: "assistant",
        model: "mock",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        ...(reply.usage === null ? {} : { usage: { ...usage, output_tokens: 1 } }),
      },
    }),
    event("ping"),
  ];
  let block = 0;
  const addBlock = (start: JsonObject, deltas: readonly JsonObject[]): void => {
    opening.push(event("content_block_start", { index: block, content_block: start }));
    for (const delta of deltas) opening.push(event("content_block_delta", { index: block, delta }));
    opening.push(event("content_block_stop", { index: block }));
    block++;
  };
  if (reply.reasoning !== undefined)
    addBlock({ type: "thinking", thinking: "", signature: "" }, [
      ...toPieces(reply.reasoning, chars).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: reply.signature ?? "mock-signature" },
    ]);
  if (reply.text !== undefined)
    addBlock(
      { type: "text", text: "" },
      toPieces(reply.text, chars).map((text) => ({ type: "text_delta", text })),
    );
  for (const [n, call] of (reply.toolCalls ?? []).entries())
    addBlock({ type: "tool_use", ...callIdOf(call.id, index, n), name: call.name, input: {} }, [
      { type: "input_json_delta", partial_json: "" },
      ...toPieces(call.arguments, chars).map((partial) => ({ type: "input_json_delta", partial_json: partial })),
    ]);
  const ending = [
    event("message_delta", {
      delta: { stop_reason: stopOf(reply), stop_sequence: null },
      ...(reply.usage === null ? {} : { usage: { output_tokens: usage.output_tokens } }),
    }),
    event("message_stop"),
  ];
  return { opening, ending };
};

const toInput = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
};

/** The answer as one document. */
export const toAnthropicJson = (reply: MockReply, index: number, requestChars: number): Json => ({
  id: `msg_${index}`,
  type: "message",
  role: "assistant",
  model: "mock",
  content: [
    ...(reply.text === undefined ? [] : [{ type: "text", text: reply.text }]),
    ...(reply.toolCalls ?? []).map((call, n) => ({
      type: "tool_use",
      ...callIdOf(call.id, index, n),
      name: call.name,
      input: toInput(call.arguments),
    })),
  ],
  stop_reason: stopOf(reply),
  stop_sequence: null,
  usage: usageOf(reply, requestChars),
});

/** An error as it stands in a body, and as `event: error` in a stream. */
export const toAnthropicError = (kind: string, message: string): Json => ({ type: "error", error: { type: kind, message } });
