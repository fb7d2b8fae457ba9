/**
 * An answer out of the events of Anthropic Messages. It is whole when every block was closed, a stop reason has come
 * and then `message_stop`; events out of their order are garbage, since what they belong to is lost.
 */
import type { AssistantPart, FinishReason, Usage } from "@retinue/protocol";
import type { ModelRequest } from "../contract.ts";
import type { Endpoint } from "../transport/endpoint.ts";
import type { AnswerReader } from "../transport/exchange.ts";
import { toFailure } from "../transport/failure.ts";
import type { Failure } from "../transport/failure.ts";
import { toInStreamFailure } from "../transport/provider-error.ts";
import { toExcerpt } from "../transport/redact.ts";
import type { AnthropicOpaque } from "./anthropic-request.ts";
import { createCallIds } from "./call-ids.ts";
import { DeltaBuffer } from "./delta-buffer.ts";
import { estimateTokens, isRecord, parseRecord, toCount } from "./parsed.ts";
import type { JsonRecord } from "./parsed.ts";

export type AnthropicReaderOptions = {
  readonly endpoint: Endpoint;
  readonly request: ModelRequest;
  readonly bodyChars: number;
  readonly price: (usage: Usage) => number | null;
};

type Block =
  | { readonly type: "text"; isOpen: boolean; text: string }
  | { readonly type: "thinking"; isOpen: boolean; text: string; signature: string }
  | { readonly type: "redacted"; isOpen: boolean; readonly data: string }
  | { readonly type: "call"; isOpen: boolean; readonly id: string; readonly name: string; text: string; readonly whole: string }
  /** Of a kind we did not ask for. */
  | { readonly type: "other"; isOpen: boolean };

const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");

const toBlock = (start: JsonRecord): Block => {
  switch (start["type"]) {
    case "text":
      return { type: "text", isOpen: true, text: stringOf(start["text"]) };
    case "thinking":
      return { type: "thinking", isOpen: true, text: stringOf(start["thinking"]), signature: stringOf(start["signature"]) };
    case "redacted_thinking":
      return { type: "redacted", isOpen: true, data: stringOf(start["data"]) };
    case "tool_use": {
      const { input } = start;
      return {
        type: "call",
        isOpen: true,
        id: stringOf(start["id"]),
        name: stringOf(start["name"]),
        text: "",
        // Some compatible servers send the input whole, and no deltas.
        whole: isRecord(input) ? JSON.stringify(input) : "{}",
      };
    }
    default:
      return { type: "other", isOpen: true };
  }
};

const toFinishReason = (reason: string): FinishReason => {
  switch (reason) {
    case "end_turn":
    case "stop_sequence":
      return "stop";
    case "tool_use":
      return "tool-calls";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "refusal":
      return "filtered";
    default:
      return "other";
  }
};

export const createAnthropicReader = (options: AnthropicReaderOptions): AnswerReader => {
  const { endpoint } = options;
  const deltas = new DeltaBuffer();
  const blocks = new Map<unknown, Block>();
  const usage: Record<string, unknown> = {};
  let started = false;
  let stopReason: string | undefined;
  let ended = false;

  const garbage = (what: string, data: string): Failure =>
    toFailure(endpoint, "model_stream_garbage", `${what}: ${toExcerpt(endpoint.redact(data.slice(0, 2000)), 120)}`);

  const incomplete = (what: string): Failure => toFailure(endpoint, "model_stream_incomplete", `ended its stream ${what}.`);

  /** Counts of a later event replace those of an earlier one; nulls say nothing. */
  const addUsage = (counts: unknown): void => {
    if (isRecord(counts)) for (const [name, count] of Object.entries(counts)) if (count !== null) usage[name] = count;
  };

  /** A message that calls of a program went on with begins with what it has already, and may be at its end. */
  const startMessage = (message: JsonRecord): void => {
    addUsage(message["usage"]);
    if (typeof message["stop_reason"] === "string") stopReason = message["stop_reason"];
    if (!Array.isArray(message["content"])) return;
    for (const [index, start] of message["content"].entries())
      if (isRecord(start)) blocks.set(index, { ...toBlock(start), isOpen: false });
  };

  const addDelta = (block: Block, delta: JsonRecord): void => {
    switch (delta["type"]) {
      case "text_delta":
        if (block.type !== "text") return;
        block.text += stringOf(delta["text"]);
        deltas.add("text", stringOf(delta["text"]));
        return;
      case "thinking_delta":
        if (block.type !== "thinking") return;
        block.text += stringOf(delta["thinking"]);
        deltas.add("reasoning", stringOf(delta["thinking"]));
        return;
      case "signature_delta":
        if (block.type === "thinking") block.signature += stringOf(delta["signature"]);
        return;
      case "input_json_delta":
        if (block.type !== "call") return;
        block.text += stringOf(delta["partial_json"]);
        deltas.add("tool-input", stringOf(delta["partial_json"]), block.name);
        return;
      default: // Citations and what else may come.
    }
  };

  const onBlockEvent = (type: string, event: JsonRecord, data: string): Failure | undefined => {
    const { index } = event;
    if (!started) return garbage("sent content before its message began", data);
    if (type === "content_block_start") {
      if (blocks.has(index)) return garbage("began a block twice", data);
      if (!isRecord(event["content_block"])) return garbage("began a block without content", data);
      const block = toBlock(event["content_block"]);
      blocks.set(index, block);
      if (block.type === "text") deltas.add("text", block.text);
      if (block.type === "thinking") deltas.add("reasoning", block.text);
      return undefined;
    }
    const block = blocks.get(index);
    if (!block?.isOpen) return garbage("sent content outside of a block", data);
    if (type === "content_block_stop") block.isOpen = false;
    else if (isRecord(event["delta"])) addDelta(block, event["delta"]);
    else return garbage("sent a delta without content", data);
    return undefined;
  };

  const toUsage = (): Usage => {
    if (usage["input_tokens"] === undefined && usage["output_tokens"] === undefined) {
      let chars = 0;
      let thinking = 0;
      for (const block of blocks.values()) {
        if (block.type === "thinking") thinking += block.text.length;
        if (block.type === "thinking" || block.type === "text" || block.type === "call") chars += block.text.length;
      }
      return {
        input: estimateTokens(options.bodyChars),
        output: estimateTokens(chars),
        cached: 0,
        reasoning: estimateTokens(thinking),
      };
    }
    const cached = toCount(usage["cache_read_input_tokens"]);
    const output = toCount(usage["output_tokens"]);
    const details = isRecord(usage["output_tokens_details"]) ? usage["output_tokens_details"] : {};
    let thinking = 0;
    for (const block of blocks.values()) if (block.type === "thinking") thinking += block.text.length;
    const written = toCount(usage["cache_creation_input_tokens"]);
    return {
      input: toCount(usage["input_tokens"]) + cached + written,
      output,
      cached,
      // Counted within the output; where it is not told how many they are, by what can be read of them.
      reasoning: Math.min(output, toCount(details["thinking_tokens"] ?? details["reasoning_tokens"]) || estimateTokens(thinking)),
      ...(written === 0 ? {} : { written }),
    };
  };

  const reader: AnswerReader = {
    onEvent: (name, data) => {
      const event = parseRecord(data);
      if (event === undefined) return garbage("sent an event that is no JSON object", data);
      const type = typeof event["type"] === "string" ? event["type"] : name;
      switch (type) {
        case "message_start":
          if (started) return garbage("began its message twice", data);
          started = true;
          if (isRecord(event["message"])) startMessage(event["message"]);
          return undefined;
        case "content_block_start":
        case "content_block_delta":
        case "content_block_stop":
          return onBlockEvent(type, event, data);
        case "message_delta":
          if (!started) return garbage("ended its message before it began", data);
          if (isRecord(event["delta"]) && typeof event["delta"]["stop_reason"] === "string")
            stopReason = event["delta"]["stop_reason"];
          addUsage(event["usage"]);
          return undefined;
        case "message_stop":
          ended = true;
          return undefined;
        case "error":
          return toInStreamFailure(endpoint, event);
        default: // Pings, and kinds that are yet to be invented.
          return undefined;
      }
    },
    onDocument: (text) => {
      const document = parseRecord(text);
      if (document === undefined) return garbage("sent a document that is no JSON object", text);
      if (document["type"] === "error") return toInStreamFailure(endpoint, document);
      if (!Array.isArray(document["content"])) return garbage("sent a document that is no answer", text);
      started = true;
      addUsage(document["usage"]);
      for (const [index, start] of (document["content"] as unknown[]).entries()) {
        const failure =
          onBlockEvent("content_block_start", { index, content_block: start }, text) ??
          onBlockEvent("content_block_stop", { index }, text);
        if (failure) return failure;
      }
      stopReason = stringOf(document["stop_reason"]) || undefined;
      ended = true;
      return undefined;
    },
    isEnded: () => ended,
    finish: () => {
      if (!ended) return incomplete("without message_stop");
      if (stopReason === undefined) return incomplete("without a stop reason");
      const finishReason = toFinishReason(stopReason);
      const content: AssistantPart[] = [];
      let toId: ((proposed: string) => string) | undefined;
      for (const block of blocks.values()) {
        if (block.isOpen) return incomplete("in the middle of a block");
        switch (block.type) {
          case "text":
            if (block.text !== "") content.push({ type: "text", text: block.text });
            break;
          case "thinking":
            if (block.text !== "" || block.signature !== "")
              content.push({
                type: "reasoning",
                text: block.text,
                ...(block.signature === ""
                  ? {}
                  : { opaque: { type: "anthropic", signature: block.signature } satisfies AnthropicOpaque }),
              });
            break;
          case "redacted":
            content.push({
              type: "reasoning",
              text: "",
              opaque: { type: "anthropic", redacted: block.data } satisfies AnthropicOpaque,
            });
            break;
          case "call":
            if (block.name === "") return garbage("sent a tool call without a name", block.text);
            toId ??= createCallIds(options.request.messages);
            content.push({
              type: "tool-call",
              callId: toId(block.id),
              tool: block.name,
              arguments: block.text === "" && finishReason !== "length" ? block.whole : block.text,
            });
            break;
          case "other":
            break;
        }
      }
      const counted = toUsage();
      return { type: "answer", content, finishReason, usage: counted, costUsd: options.price(counted) };
    },
    takeDelta: () => deltas.take(),
    chars: () => deltas.chars,
    cut: () => {
      ended = true;
      stopReason = "max_tokens";
      for (const block of blocks.values()) block.isOpen = false;
      return reader.finish("");
    },
  };
  return reader;
};
