/**
 * An answer out of the events of OpenAI Chat Completions. It is whole when a finish reason has come and then `[DONE]`
 * or a clean end of the response (some local servers leave `[DONE]` out); without a finish reason it never is.
 */
import type { AssistantPart, FinishReason, Json, Usage } from "@retinue/protocol";
import type { ModelRequest } from "../contract.ts";
import type { Endpoint } from "../transport/endpoint.ts";
import type { AnswerReader } from "../transport/exchange.ts";
import { toFailure } from "../transport/failure.ts";
import type { Failure } from "../transport/failure.ts";
import { toInStreamFailure } from "../transport/provider-error.ts";
import { toExcerpt } from "../transport/redact.ts";
import { createCallIds } from "./call-ids.ts";
import { createDeltaBuffer } from "./delta-buffer.ts";
import type { OpenAiOpaque } from "./openai-request.ts";
import { estimateTokens, isRecord, parseRecord, toCount } from "./parsed.ts";
import type { JsonRecord } from "./parsed.ts";
import { createRepeatedEvent } from "./repeated-event.ts";
import type { RepeatedEventOptions } from "./repeated-event.ts";

export type OpenAiReaderOptions = {
  readonly endpoint: Endpoint;
  readonly request: ModelRequest;
  readonly bodyChars: number;
  readonly price: (usage: Usage) => number | null;
};

type Call = { readonly index: unknown; id: string; name: string; arguments: string; extraContent: Json | undefined };

export const createOpenAiReader = (options: OpenAiReaderOptions): AnswerReader => {
  const { endpoint } = options;
  const deltas = createDeltaBuffer();
  const repeated = createRepeatedEvent(REPEATED);
  let text = "";
  let reasoning = "";
  let reasoningField: string | undefined;
  let calls: Call[] | undefined;
  let finish: string | undefined;
  let reported: JsonRecord | undefined;
  let ended = false;

  const garbage = (what: string, data: string): Failure =>
    toFailure(endpoint, "model_stream_garbage", `${what}: ${toExcerpt(endpoint.redact(data.slice(0, 2000)), 120)}`);

  const incomplete = (how: string): Failure => toFailure(endpoint, "model_stream_incomplete", `ended its stream ${how}.`);

  const addReasoning = (piece: string, field: string): void => {
    reasoning += piece;
    reasoningField ??= field;
    deltas.add("reasoning", piece);
  };

  const addText = (piece: string): void => {
    text += piece;
    deltas.add("text", piece);
  };

  /** Some servers stream content as parts. */
  const addParts = (parts: readonly unknown[]): void => {
    for (const part of parts) {
      if (!isRecord(part)) continue;
      if (typeof part["text"] === "string") addText(part["text"]);
      else if (Array.isArray(part["thinking"]))
        for (const thought of part["thinking"])
          if (isRecord(thought) && typeof thought["text"] === "string") addReasoning(thought["text"], "reasoning_content");
    }
  };

  /** The call a delta belongs to. Servers that number all calls 0, or none, tell them apart by id. */
  const callOf = (delta: JsonRecord): Call => {
    calls ??= [];
    const { index } = delta;
    const id = typeof delta["id"] === "string" ? delta["id"] : "";
    const known = index === undefined || index === null ? calls.at(-1) : calls.findLast((call) => call.index === index);
    if (known !== undefined && (id === "" || known.id === "" || known.id === id)) {
      if (known.id === "") known.id = id;
      return known;
    }
    const call: Call = { index, id, name: "", arguments: "", extraContent: undefined };
    calls.push(call);
    return call;
  };

  const addCall = (delta: JsonRecord): void => {
    const call = callOf(delta);
    // What was parsed from JSON is JSON.
    if (delta["extra_content"] !== undefined) call.extraContent = delta["extra_content"] as Json;
    const made = delta["function"];
    if (!isRecord(made)) return;
    if (call.name === "" && typeof made["name"] === "string") call.name = made["name"];
    if (typeof made["arguments"] === "string" && made["arguments"] !== "") {
      call.arguments += made["arguments"];
      deltas.add("tool-input", made["arguments"], call.name);
    }
  };

  const addDelta = (delta: JsonRecord): void => {
    const { content, reasoning_content: thought, reasoning: thinking, tool_calls: made } = delta;
    if (typeof thought === "string" && thought !== "") addReasoning(thought, "reasoning_content");
    else if (typeof thinking === "string" && thinking !== "") addReasoning(thinking, "reasoning");
    if (typeof content === "string") addText(content);
    else if (Array.isArray(content)) addParts(content);
    // A refusal is what the model says instead.
    if (typeof delta["refusal"] === "string") addText(delta["refusal"]);
    if (Array.isArray(made)) for (const call of made) if (isRecord(call)) addCall(call);
  };

  const toUsage = (): Usage => {
    if (reported === undefined) {
      const chars = (calls ?? []).reduce(
        (sum, call) => sum + call.name.length + call.arguments.length,
        text.length + reasoning.length,
      );
      return {
        input: estimateTokens(options.bodyChars),
        output: estimateTokens(chars),
        cached: 0,
        reasoning: estimateTokens(reasoning.length),
      };
    }
    const input = isRecord(reported["prompt_tokens_details"]) ? reported["prompt_tokens_details"] : {};
    const output = isRecord(reported["completion_tokens_details"]) ? reported["completion_tokens_details"] : {};
    return {
      input: toCount(reported["prompt_tokens"]),
      output: toCount(reported["completion_tokens"]),
      cached: toCount(input["cached_tokens"]) || toCount(reported["prompt_cache_hit_tokens"]),
      reasoning: toCount(output["reasoning_tokens"]),
    };
  };

  const toFinishReason = (reason: string): FinishReason => {
    switch (reason) {
      case "stop":
      case "eos":
        return calls === undefined ? "stop" : "tool-calls";
      case "tool_calls":
      case "function_call":
        return calls === undefined ? "other" : "tool-calls";
      case "length":
      case "max_tokens":
        return "length";
      case "content_filter":
        return "filtered";
      default:
        return "other";
    }
  };

  return {
    onEvent: (_, data) => {
      if (data.startsWith("[DONE]") && data.trimEnd() === "[DONE]") {
        ended = true;
        return undefined;
      }
      const piece = repeated.textOf(data);
      if (piece !== undefined) {
        addText(piece);
        return undefined;
      }
      const event = parseRecord(data);
      if (event === undefined) return garbage("sent an event that is no JSON object", data);
      if (event["error"] !== undefined && event["error"] !== null) return toInStreamFailure(endpoint, event);
      if (isRecord(event["usage"])) reported = event["usage"];
      const { choices } = event;
      if (!Array.isArray(choices)) return undefined;
      for (const choice of choices) {
        if (!isRecord(choice) || (choice["index"] ?? 0) !== 0) continue;
        if (isRecord(choice["delta"])) addDelta(choice["delta"]);
        if (typeof choice["finish_reason"] === "string" && choice["finish_reason"] !== "") finish = choice["finish_reason"];
      }
      repeated.learn(data, event);
      return undefined;
    },
    isEnded: () => ended,
    finish: (rest) => {
      if (finish === undefined) return incomplete("without a finish reason");
      // Cut off behind the finish reason, it may lack what another choice or the usage would have said.
      if (rest !== "" && rest !== "data: [DONE]" && rest !== "data:[DONE]") return incomplete("in the middle of an event");
      if (finish === "error") return toFailure(endpoint, "model_server_error", "finished its answer with an error.");
      const finishReason = toFinishReason(finish);
      const content: AssistantPart[] = [];
      if (reasoning !== "")
        content.push({
          type: "reasoning",
          text: reasoning,
          opaque: { provider: endpoint.provider, reasoningField: reasoningField ?? "reasoning_content" } satisfies OpenAiOpaque,
        });
      if (text !== "") content.push({ type: "text", text });
      if (calls !== undefined) {
        const toId = createCallIds(options.request.messages);
        for (const call of calls) {
          if (call.name === "") return garbage("sent a tool call without a name", call.arguments);
          content.push({
            type: "tool-call",
            callId: toId(call.id),
            tool: call.name,
            // A call of a tool without parameters may come without arguments, if it was not cut off there.
            arguments: call.arguments === "" && finishReason !== "length" ? "{}" : call.arguments,
            ...(call.extraContent === undefined
              ? {}
              : { opaque: { provider: endpoint.provider, extraContent: call.extraContent } satisfies OpenAiOpaque }),
          });
        }
      }
      const usage = toUsage();
      return { type: "answer", content, finishReason, usage, costUsd: options.price(usage) };
    },
    takeDelta: deltas.take,
  };
};

/** The text of an event that says nothing else. */
const readTextAlone = ({ choices, usage, error }: JsonRecord): string | undefined => {
  if (!Array.isArray(choices) || choices.length !== 1 || isRecord(usage) || (error ?? null) !== null) return undefined;
  const [choice]: readonly unknown[] = choices;
  if (!isRecord(choice) || (choice["index"] ?? 0) !== 0 || typeof choice["finish_reason"] === "string") return undefined;
  const { delta } = choice;
  if (!isRecord(delta) || typeof delta["content"] !== "string") return undefined;
  for (const name in delta) if (name !== "content" && name !== "role" && delta[name] !== null) return undefined;
  return delta["content"];
};

const REPEATED: RepeatedEventOptions = { opening: /"content"\s*:\s*"/, read: readTextAlone };
