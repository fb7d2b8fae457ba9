/**
 * An answer out of the events of OpenAI Responses. It is whole when `response.completed` or `response.incomplete` has come. Items are told apart by
 * their place in the output, since some servers give an item another id with every event.
 */
import type { AssistantPart, FinishReason, JsonObject, Usage } from "@retinue/protocol";
import type { ModelAnswer, ModelChunk, ModelRequest } from "../contract.ts";
import type { Endpoint } from "../transport/endpoint.ts";
import type { AnswerReader } from "../transport/exchange.ts";
import { toFailure } from "../transport/failure.ts";
import type { Failure } from "../transport/failure.ts";
import { toInStreamFailure } from "../transport/provider-error.ts";
import { toExcerpt } from "../transport/redact.ts";
import { createCallIds } from "./call-ids.ts";
import { DeltaBuffer } from "./delta-buffer.ts";
import { estimateTokens, isRecord, parseRecord, toCount } from "./parsed.ts";
import type { JsonRecord } from "./parsed.ts";
import type { ResponsesOpaque } from "./responses-request.ts";

export type ResponsesReaderOptions = {
  readonly endpoint: Endpoint;
  readonly request: ModelRequest;
  readonly bodyChars: number;
  readonly price: (usage: Usage) => number | null;
};

/** What came of one item of the output: pieces of it, and it whole once it is done. */
type Item = { readonly type: string; name: string; text: string; whole: JsonRecord | undefined };

export const createResponsesReader = (options: ResponsesReaderOptions): AnswerReader => new ResponsesReader(options);

const NOTHING: JsonRecord = {};
const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");
const recordsOf = (value: unknown): readonly JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

class ResponsesReader implements AnswerReader {
  readonly #options: ResponsesReaderOptions;
  readonly #deltas = new DeltaBuffer();
  readonly #items = new Map<unknown, Item>();
  #response: JsonRecord | undefined;
  #finish: FinishReason | undefined;

  constructor(options: ResponsesReaderOptions) {
    this.#options = options;
  }

  onEvent(name: string, data: string): Failure | undefined {
    if (data.trimEnd() === "[DONE]") return undefined;
    const event = parseRecord(data);
    if (event === undefined) return this.#garbage("sent an event that is no JSON object", data);
    const type = typeof event["type"] === "string" ? event["type"] : name;
    switch (type) {
      case "response.output_item.added":
      case "response.output_item.done":
        if (isRecord(event["item"])) this.#addItem(event["output_index"], event["item"], type.endsWith("done"));
        return undefined;
      case "response.output_text.delta":
      case "response.refusal.delta":
        this.#addPiece(event, "message", "text");
        return undefined;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        this.#addPiece(event, "reasoning", "reasoning");
        return undefined;
      case "response.reasoning_summary_part.added":
        // Parts of a summary are paragraphs.
        if (Number(event["summary_index"]) > 0) this.#addPiece({ ...event, delta: "\n\n" }, "reasoning", "reasoning");
        return undefined;
      case "response.function_call_arguments.delta":
        this.#addPiece(event, "function_call", "tool-input");
        return undefined;
      case "response.completed":
      case "response.incomplete":
        this.#response = isRecord(event["response"]) ? event["response"] : NOTHING;
        this.#finish = this.#toFinishReason(type === "response.incomplete");
        return undefined;
      case "response.failed":
        return toInStreamFailure(this.#options.endpoint, this.#failedBy(event));
      case "error":
        return toInStreamFailure(this.#options.endpoint, isRecord(event["error"]) ? event : { error: event });
      default: // Progress, and kinds that are yet to be invented.
        return undefined;
    }
  }

  isEnded(): boolean {
    return this.#finish !== undefined;
  }

  takeDelta(): ModelChunk | undefined {
    return this.#deltas.take();
  }

  chars(): number {
    return this.#deltas.chars;
  }

  cut(): ModelAnswer | Failure {
    this.#finish = "length";
    return this.finish();
  }

  finish(): ModelAnswer | Failure {
    const { endpoint, price, request } = this.#options;
    const finishReason = this.#finish;
    if (finishReason === undefined)
      return toFailure(endpoint, "model_stream_incomplete", "ended its stream before the response was completed.");
    const content: AssistantPart[] = [];
    const toId = createCallIds(request.messages);
    for (const item of this.#items.values()) {
      const part = this.#toPart(item, finishReason, toId);
      if (part === undefined) continue;
      if (part.type === "failure") return part;
      content.push(part);
    }
    const usage = this.#toUsage();
    return { type: "answer", content, finishReason, usage, costUsd: price(usage) };
  }

  #addItem(index: unknown, item: JsonRecord, isDone: boolean): void {
    const known = this.#items.get(index);
    const kept = known ?? { type: stringOf(item["type"]), name: stringOf(item["name"]), text: "", whole: undefined };
    if (!known) this.#items.set(index, kept);
    if (isDone || kept.whole === undefined) kept.whole = item;
    // An item that was not streamed, or not to its end, is shown when it is whole.
    if (isDone) this.#showRest(kept, item);
  }

  #showRest(kept: Item, item: JsonRecord): void {
    const whole = textOfItem(item);
    if (whole.length > kept.text.length && whole.startsWith(kept.text)) this.#show(kept, whole.slice(kept.text.length));
    if (whole !== "") kept.text = whole;
  }

  #addPiece(event: JsonRecord, type: string, kind: "text" | "reasoning" | "tool-input"): void {
    const piece = stringOf(event["delta"]);
    const index = event["output_index"];
    let item = this.#items.get(index);
    if (!item) this.#items.set(index, (item = { type, name: "", text: "", whole: undefined }));
    item.text += piece;
    this.#deltas.add(kind, piece, kind === "tool-input" ? item.name : "");
  }

  #show(item: Item, piece: string): void {
    item.text += piece;
    if (item.type === "message") this.#deltas.add("text", piece);
    else if (item.type === "reasoning") this.#deltas.add("reasoning", piece);
    else if (item.type === "function_call") this.#deltas.add("tool-input", piece, item.name);
  }

  #toPart(item: Item, finishReason: FinishReason, toId: (proposed: string) => string): AssistantPart | Failure | undefined {
    const { provider } = this.#options.endpoint;
    const whole = item.whole ?? NOTHING;
    switch (item.type) {
      case "message": {
        if (item.text === "") return undefined;
        const { phase } = whole;
        return {
          type: "text",
          text: item.text,
          ...(typeof phase === "string" ? { opaque: { responses: provider, phase } satisfies ResponsesOpaque } : {}),
        };
      }
      case "reasoning": {
        const encrypted = stringOf(whole["encrypted_content"]);
        if (encrypted === "") return item.text === "" ? undefined : { type: "reasoning", text: item.text };
        // What was parsed from JSON is JSON; its status is refused when sent back.
        const { status: _, ...sent } = whole as JsonObject;
        return { type: "reasoning", text: item.text, opaque: { responses: provider, item: sent } satisfies ResponsesOpaque };
      }
      case "function_call": {
        const name = stringOf(whole["name"]) || item.name;
        if (name === "") return this.#garbage("sent a tool call without a name", item.text);
        const text = item.text === "" && finishReason !== "length" ? "{}" : item.text;
        return { type: "tool-call", callId: toId(stringOf(whole["call_id"])), tool: name, arguments: text };
      }
      default: // Of a kind we did not ask for.
        return undefined;
    }
  }

  #toFinishReason(isIncomplete: boolean): FinishReason {
    const details = this.#response?.["incomplete_details"];
    const reason = isRecord(details) ? stringOf(details["reason"]) : "";
    if (/content_filter/.test(reason)) return "filtered";
    if (isIncomplete) return /max|length/.test(reason) ? "length" : "other";
    for (const { type } of this.#items.values()) if (type === "function_call") return "tool-calls";
    return "stop";
  }

  #failedBy(event: JsonRecord): JsonRecord {
    const response = isRecord(event["response"]) ? event["response"] : event;
    return isRecord(response["error"]) ? response : { error: { message: "The response failed." } };
  }

  #toUsage(): Usage {
    const reported = this.#response?.["usage"];
    if (!isRecord(reported)) {
      let thoughts = 0;
      let chars = 0;
      for (const { type, text } of this.#items.values()) {
        chars += text.length;
        if (type === "reasoning") thoughts += text.length;
      }
      return {
        input: estimateTokens(this.#options.bodyChars),
        output: estimateTokens(chars),
        cached: 0,
        reasoning: estimateTokens(thoughts),
      };
    }
    const input = isRecord(reported["input_tokens_details"]) ? reported["input_tokens_details"] : NOTHING;
    const output = isRecord(reported["output_tokens_details"]) ? reported["output_tokens_details"] : NOTHING;
    const written = toCount(input["cache_write_tokens"]);
    return {
      input: toCount(reported["input_tokens"]),
      output: toCount(reported["output_tokens"]),
      cached: toCount(input["cached_tokens"]),
      reasoning: toCount(output["reasoning_tokens"]),
      ...(written === 0 ? {} : { written }),
    };
  }

  #garbage(what: string, data: string): Failure {
    const { endpoint } = this.#options;
    return toFailure(endpoint, "model_stream_garbage", `${what}: ${toExcerpt(endpoint.redact(data.slice(0, 2000)), 120)}`);
  }
}

/** All that an item says, as its pieces would have said it. */
const textOfItem = (item: JsonRecord): string => {
  switch (item["type"]) {
    case "message":
      return recordsOf(item["content"])
        .map((part) => stringOf(part["text"]) || stringOf(part["refusal"]))
        .join("");
    case "reasoning": {
      const summary = recordsOf(item["summary"]).map((part) => stringOf(part["text"]));
      return summary.length > 0
        ? summary.join("\n\n")
        : recordsOf(item["content"])
            .map((part) => stringOf(part["text"]))
            .join("");
    }
    case "function_call":
      return stringOf(item["arguments"]);
    default:
      return "";
  }
};
