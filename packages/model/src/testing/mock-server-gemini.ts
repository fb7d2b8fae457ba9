/** A mock reply as Gemini puts it on the wire. */
import type { FinishReason, Json } from "@retinue/protocol";
import { toPieces } from "./mock-server-reply.ts";
import type { MockEvents, MockReply } from "./mock-server-reply.ts";

const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  filtered: "SAFETY",
  other: "OTHER",
};

const toChunk = (parts: Json, rest: Readonly<Record<string, Json>> = {}): Json => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...rest }],
});

const usageOf = (reply: MockReply, requestChars: number): Json => {
  const usage = reply.usage ?? { input: Math.ceil(requestChars / 4), output: 8, cached: 0, reasoning: 0 };
  return {
    promptTokenCount: usage.input,
    cachedContentTokenCount: usage.cached,
    candidatesTokenCount: usage.output - usage.reasoning,
    thoughtsTokenCount: usage.reasoning,
  };
};

const parse = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
};

/** The first call of an answer carries the signature of the thought that led to it. */
const toCalls = (reply: MockReply): Json[] =>
  (reply.toolCalls ?? []).map((call, n) => ({
    functionCall: { name: call.name, args: parse(call.arguments) },
    ...(n === 0 ? { thoughtSignature: reply.signature ?? "bW9jay1zaWduYXR1cmU=" } : {}),
  }));

export const toGeminiEvents = (reply: MockReply, _: number, requestChars: number): MockEvents => {
  const end = reply.lineEnd ?? "\r\n";
  const event = (data: Json): string => `data: ${JSON.stringify(data)}${end}${end}`;
  const chars = reply.deltaChars ?? 12;
  const opening = [
    ...toPieces(reply.reasoning ?? "", chars).map((text) => event(toChunk([{ text, thought: true }]))),
    ...toPieces(reply.text ?? "", chars).map((text) => event(toChunk([{ text }]))),
    ...toCalls(reply).map((call) => event(toChunk([call]))),
  ];
  const finish = FINISH[reply.finish ?? "stop"];
  const last = toChunk([{ text: "" }], { finishReason: finish });
  const usage = reply.usage === null ? {} : { usageMetadata: usageOf(reply, requestChars) };
  return { opening, ending: [event({ ...(last as Record<string, Json>), ...usage })] }; // Made above, an object.
};

/** The answer as one document. */
export const toGeminiJson = (reply: MockReply, _: number, requestChars: number): Json => ({
  ...(toChunk([{ text: reply.text ?? "" }, ...toCalls(reply)], { finishReason: FINISH[reply.finish ?? "stop"] }) as Record<
    string,
    Json
  >), // Made above, an object.
  usageMetadata: usageOf(reply, requestChars),
});

export const toGeminiError = (kind: string, message: string): Json => ({
  error: {
    code: kind === "invalid_request_error" ? 400 : 500,
    message,
    status: kind === "invalid_request_error" ? "INVALID_ARGUMENT" : "INTERNAL",
  },
});
