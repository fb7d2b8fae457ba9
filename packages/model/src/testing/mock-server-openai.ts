/** A mock reply as OpenAI Chat Completions puts it on the wire. */
import type { FinishReason, Json } from "@retinue/protocol";
import { toPieces } from "./mock-server-reply.ts";
import type { MockEvents, MockReply } from "./mock-server-reply.ts";

const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  filtered: "content_filter",
  other: "eos_unknown",
};

const finishOf = (reply: MockReply): string => FINISH[reply.finish ?? (reply.toolCalls?.length ? "tool-calls" : "stop")];

const usageOf = (reply: MockReply, requestChars: number): Json => {
  const usage = reply.usage ?? {
    input: Math.ceil(requestChars / 4),
    output: Math.ceil(JSON.stringify([reply.text, reply.reasoning, reply.toolCalls]).length / 4),
    cached: 0,
    reasoning: 0,
  };
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
};

const callIdOf = (id: string | null | undefined, index: number, n: number): string | undefined =>
  id === null ? undefined : (id ?? `call_mock_${index}_${n}`);

/** `index` is the number of the request, so that made-up ids differ between answers. */
export const toOpenAiEvents = (reply: MockReply, index: number, requestChars: number): MockEvents => {
  const end = reply.lineEnd ?? "\n";
  const event = (data: string): string => `data: ${data}${end}${end}`;
  const chunk = (delta: Json, finish: string | null = null): string =>
    event(
      JSON.stringify({
        id: `chatcmpl-${index}`,
        object: "chat.completion.chunk",
        created: 1_750_000_000,
        model: "mock",
        choices: [{ index: 0, delta, finish_reason: finish }],
      }),
    );
  const chars = reply.deltaChars ?? 12;
  const opening = [chunk({ role: "assistant", content: "" })];
  for (const piece of toPieces(reply.reasoning ?? "", chars))
    opening.push(chunk({ [reply.reasoningField ?? "reasoning_content"]: piece }));
  for (const piece of toPieces(reply.text ?? "", chars)) opening.push(chunk({ content: piece }));
  for (const [n, call] of (reply.toolCalls ?? []).entries()) {
    const id = callIdOf(call.id, index, n);
    opening.push(
      chunk({
        tool_calls: [
          { index: n, ...(id === undefined ? {} : { id }), type: "function", function: { name: call.name, arguments: "" } },
        ],
      }),
    );
    for (const piece of toPieces(call.arguments, chars))
      opening.push(chunk({ tool_calls: [{ index: n, function: { arguments: piece } }] }));
  }
  const ending = [chunk({}, finishOf(reply))];
  if (reply.usage !== null)
    ending.push(
      event(
        JSON.stringify({
          id: `chatcmpl-${index}`,
          object: "chat.completion.chunk",
          created: 1_750_000_000,
          model: "mock",
          choices: [],
          usage: usageOf(reply, requestChars),
        }),
      ),
    );
  if (reply.doneMarker !== false) ending.push(event("[DONE]"));
  return { opening, ending };
};

/** The answer as one document. */
export const toOpenAiJson = (reply: MockReply, index: number, requestChars: number): Json => ({
  id: `chatcmpl-${index}`,
  object: "chat.completion",
  created: 1_750_000_000,
  model: "mock",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: reply.text ?? null,
        tool_calls: (reply.toolCalls ?? []).map((call, n) => ({
          id: callIdOf(call.id, index, n) ?? "",
          type: "function",
          function: { name: call.name, arguments: call.arguments },
        })),
      },
      finish_reason: finishOf(reply),
    },
  ],
  usage: usageOf(reply, requestChars),
});

/** An error as it stands in a body, and with `data: ` before it in a stream. */
export const toOpenAiError = (kind: string, message: string): Json => ({
  error: { message, type: kind, param: null, code: kind },
});
