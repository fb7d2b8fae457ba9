/** An answer out of the lines of Ollama's own API. It is whole when a line has said `done`. */
import type { AssistantPart, Usage } from "@retinue/protocol";
import type { ModelRequest } from "../contract.ts";
import type { Endpoint } from "../transport/endpoint.ts";
import type { AnswerReader } from "../transport/exchange.ts";
import { toFailure } from "../transport/failure.ts";
import type { Failure } from "../transport/failure.ts";
import { toInStreamFailure } from "../transport/provider-error.ts";
import { toExcerpt } from "../transport/redact.ts";
import { createCallIds } from "./call-ids.ts";
import { DeltaBuffer } from "./delta-buffer.ts";
import { isRecord, parseRecord, toCount } from "./parsed.ts";

export type OllamaReaderOptions = {
  readonly endpoint: Endpoint;
  readonly request: ModelRequest;
  readonly bodyChars: number;
  readonly price: (usage: Usage) => number | null;
};

export const createOllamaReader = ({ endpoint, request, price }: OllamaReaderOptions): AnswerReader => {
  const deltas = new DeltaBuffer();
  const toId = createCallIds(request.messages);
  const calls: AssistantPart[] = [];
  let text = "";
  let reasoning = "";
  let done: string | undefined;
  let usage: Usage = { input: 0, output: 0, cached: 0, reasoning: 0 };

  const onEvent = (_: string, data: string): Failure | undefined => {
    const line = parseRecord(data);
    if (line === undefined)
      return toFailure(
        endpoint,
        "model_stream_garbage",
        `sent a line that is no JSON object: ${toExcerpt(endpoint.redact(data.slice(0, 2000)), 120)}`,
      );
    if (line["error"] !== undefined) return toInStreamFailure(endpoint, line);
    const message = isRecord(line["message"]) ? line["message"] : {};
    if (typeof message["thinking"] === "string") {
      reasoning += message["thinking"];
      deltas.add("reasoning", message["thinking"]);
    }
    if (typeof message["content"] === "string") {
      text += message["content"];
      deltas.add("text", message["content"]);
    }
    for (const call of Array.isArray(message["tool_calls"]) ? (message["tool_calls"] as unknown[]) : []) {
      const made = isRecord(call) ? call["function"] : undefined;
      if (!isRecord(made) || typeof made["name"] !== "string") continue;
      const given = typeof made["arguments"] === "string" ? made["arguments"] : JSON.stringify(made["arguments"] ?? {});
      calls.push({ type: "tool-call", callId: toId(""), tool: made["name"], arguments: given });
      deltas.add("tool-input", given, made["name"]);
    }
    if (line["done"] !== true) return undefined;
    done = typeof line["done_reason"] === "string" ? line["done_reason"] : "stop";
    usage = { input: toCount(line["prompt_eval_count"]), output: toCount(line["eval_count"]), cached: 0, reasoning: 0 };
    return undefined;
  };

  const reader: AnswerReader = {
    onEvent,
    onDocument: (whole) => onEvent("", whole),
    isEnded: () => done !== undefined,
    finish: (rest) => {
      const failure = rest.trim() === "" ? undefined : onEvent("", rest);
      if (failure) return failure;
      if (done === undefined)
        return toFailure(endpoint, "model_stream_incomplete", "ended its answer without saying that it is done.");
      const content: AssistantPart[] = [
        ...(reasoning === "" ? [] : [{ type: "reasoning", text: reasoning } as const]),
        ...(text === "" ? [] : [{ type: "text", text } as const]),
        ...calls,
      ];
      const finishReason = done === "length" ? "length" : calls.length > 0 ? "tool-calls" : done === "stop" ? "stop" : "other";
      return { type: "answer", content, finishReason, usage, costUsd: price(usage) };
    },
    chars: () => deltas.chars,
    cut: () => {
      done = "length";
      return reader.finish("");
    },
    takeDelta: () => deltas.take(),
  };
  return reader;
};
