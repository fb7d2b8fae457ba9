/**
 * An answer out of the events of OpenAI Chat Completions. It is whole when a finish reason has come and then `[DONE]`
 * or a clean end of the response (some local servers leave `[DONE]` out); without a finish reason only where the server never speaks of one.
 */
import type { AssistantPart, FinishReason, Json, JsonObject, Usage } from "@retinue/protocol";
import type { ModelAnswer, ModelChunk, ModelRequest } from "../contract.ts";
import type { Endpoint } from "../transport/endpoint.ts";
import type { AnswerReader } from "../transport/exchange.ts";
import { toFailure } from "../transport/failure.ts";
import type { Failure } from "../transport/failure.ts";
import { toInStreamFailure } from "../transport/provider-error.ts";
import { toExcerpt } from "../transport/redact.ts";
import { createCallIds } from "./call-ids.ts";
import { DeltaBuffer } from "./delta-buffer.ts";
import { addDetails } from "./chat-thinking.ts";
import type { OpenAiOpaque } from "./openai-request.ts";
import { IN_CONTENT } from "./openai-request.ts";
import { estimateTokens, isRecord, parseRecord, toCount } from "./parsed.ts";
import type { JsonRecord } from "./parsed.ts";
import { RepeatedEvent } from "./repeated-event.ts";
import type { RepeatedEventOptions } from "./repeated-event.ts";

export type OpenAiReaderOptions = {
  readonly endpoint: Endpoint;
  readonly request: ModelRequest;
  readonly bodyChars: number;
  readonly price: (usage: Usage) => number | null;
};

type Call = { readonly index: unknown; id: string; name: string; arguments: string; extraContent: Json | undefined };

export const createOpenAiReader = (options: OpenAiReaderOptions): AnswerReader => new OpenAiReader(options);

/** A class, since one is made for every answer: so many functions of its own would cost more than reading a short one. */
class OpenAiReader implements AnswerReader {
  readonly #options: OpenAiReaderOptions;
  readonly #deltas = new DeltaBuffer();
  #repeated: RepeatedEvents | undefined;
  /** The call whose pieces are looked for; none once another was begun. */
  #repeatedCall: Call | undefined;
  #eventsRead = 0;
  #text = "";
  #reasoning = "";
  #reasoningField: string | undefined;
  #reasoningDetails: JsonObject[] | undefined;
  #calls: Call[] | undefined;
  /** The call that was spoken of last. */
  #latestCall: Call | undefined;
  #finish: string | undefined;
  #speaksOfFinish = false;
  #reported: JsonRecord | undefined;
  #ended = false;

  constructor(options: OpenAiReaderOptions) {
    this.#options = options;
  }

  onEvent(_: string, data: string): Failure | undefined {
    if (data.startsWith("[DONE]") && data.trimEnd() === "[DONE]") {
      this.#ended = true;
      // Some servers never speak of a reason; their end marker says that nothing is missing.
      if (!this.#speaksOfFinish && (this.#text !== "" || this.#calls !== undefined)) this.#finish ??= "stop";
      return undefined;
    }
    return this.#repeated !== undefined && this.#addRepeated(this.#repeated, data) ? undefined : this.#readEvent(data);
  }

  isEnded(): boolean {
    return this.#ended;
  }

  takeDelta(): ModelChunk | undefined {
    return this.#deltas.take();
  }

  chars(): number {
    return this.#deltas.chars;
  }

  cut(): ModelAnswer | Failure {
    this.#finish = "length";
    return this.finish("");
  }

  finish(rest: string): ModelAnswer | Failure {
    const { endpoint, price } = this.#options;
    if (this.#finish === undefined) return this.#incomplete("without a finish reason");
    // Cut off behind the finish reason, it may lack what another choice or the usage would have said.
    if (rest !== "" && rest !== "data: [DONE]" && rest !== "data:[DONE]") return this.#incomplete("in the middle of an event");
    if (this.#finish === "error") return toFailure(endpoint, "model_server_error", "finished its answer with an error.");
    const finishReason = toFinishReason(this.#finish, this.#calls !== undefined);
    const content: AssistantPart[] = [];
    if (this.#reasoning !== "" || this.#reasoningDetails !== undefined)
      content.push({
        type: "reasoning",
        text: this.#reasoning,
        opaque: (this.#reasoningDetails
          ? { provider: endpoint.provider, reasoningDetails: this.#reasoningDetails }
          : {
              provider: endpoint.provider,
              reasoningField: this.#reasoningField ?? "reasoning_content",
            }) satisfies OpenAiOpaque,
      });
    if (this.#text !== "") content.push({ type: "text", text: this.#text });
    const nameless = this.#calls && this.#addCalls(content, this.#calls, finishReason);
    if (nameless) return nameless;
    const usage = this.#toUsage();
    return { type: "answer", content, finishReason, usage, costUsd: price(usage) };
  }

  onDocument(text: string): Failure | undefined {
    const document = parseRecord(text);
    if (document === undefined) return this.#garbage("sent a document that is no JSON object", text);
    if ((document["error"] ?? null) !== null) return this.#readError(document);
    if (isRecord(document["usage"])) this.#reported = document["usage"];
    const [choice]: readonly unknown[] = Array.isArray(document["choices"]) ? document["choices"] : [];
    if (!isRecord(choice) || !isRecord(choice["message"])) return this.#garbage("sent a document that is no answer", text);
    const { tool_calls: calls, ...message } = choice["message"];
    this.#addDelta(message);
    if (Array.isArray(calls))
      for (const [index, call] of (calls as unknown[]).entries()) if (isRecord(call)) this.#addCall({ ...call, index });
    this.#finish = typeof choice["finish_reason"] === "string" ? choice["finish_reason"] : "stop";
    return undefined;
  }

  fromRefusal(body: string): ModelAnswer | Failure | undefined {
    const refused = parseRecord(body);
    return refused !== undefined && this.#addFailedCall(refused) ? this.finish("") : undefined;
  }

  /** Groq refuses calls that its model wrote wrongly, and tells what it wrote: a bad call like any other. */
  #addFailedCall({ error }: JsonRecord): boolean {
    if (!isRecord(error) || error["code"] !== "tool_use_failed" || typeof error["failed_generation"] !== "string") return false;
    const written = error["failed_generation"];
    const [, name = "invalid_call"] = /<function=([\w.-]+)|"name"\s*:\s*"([\w.-]+)"/.exec(written)?.filter(Boolean) ?? [];
    const call: Call = { index: undefined, id: "", name, arguments: written, extraContent: undefined };
    this.#calls = [...(this.#calls ?? []), call];
    this.#finish = "tool_calls";
    this.#ended = true;
    return true;
  }

  #readError(event: JsonRecord): Failure | undefined {
    return this.#addFailedCall(event) ? undefined : toInStreamFailure(this.#options.endpoint, event);
  }

  #readEvent(data: string): Failure | undefined {
    const event = parseRecord(data);
    if (event === undefined) return this.#garbage("sent an event that is no JSON object", data);
    if (event["error"] !== undefined && event["error"] !== null) return this.#readError(event);
    if (isRecord(event["usage"])) this.#reported = event["usage"];
    const { choices } = event;
    if (!Array.isArray(choices)) return undefined;
    for (const choice of choices) {
      if (!isRecord(choice) || (choice["index"] ?? 0) !== 0) continue;
      if (isRecord(choice["delta"])) this.#addDelta(choice["delta"]);
      this.#speaksOfFinish ||= "finish_reason" in choice;
      if (typeof choice["finish_reason"] === "string" && choice["finish_reason"] !== "") this.#finish = choice["finish_reason"];
    }
    // Short answers are read whole: learning costs more than it saves.
    if (++this.#eventsRead > READ_FIRST) this.#learn(data, event);
    return undefined;
  }

  #learn(data: string, event: JsonRecord): void {
    this.#repeated ??= { text: new RepeatedEvent(TEXT), input: new RepeatedEvent(INPUT) };
    this.#repeated.text.learn(data, event);
    if (this.#latestCall && this.#repeated.input.learn(data, event)) this.#repeatedCall = this.#latestCall;
  }

  /** Whether the event differs from one before it only in its piece, which was taken. */
  #addRepeated(repeated: RepeatedEvents, data: string): boolean {
    const text = repeated.text.textOf(data);
    if (text !== undefined) {
      this.#addText(text);
      return true;
    }
    const call = this.#repeatedCall;
    const input = call && repeated.input.textOf(data);
    if (call === undefined || input === undefined) return false;
    this.#addInput(call, input);
    return true;
  }

  #addReasoning(piece: string, field: string): void {
    this.#reasoning += piece;
    this.#reasoningField ??= field;
    this.#deltas.add("reasoning", piece);
  }

  #addText(piece: string): void {
    this.#text += piece;
    this.#deltas.add("text", piece);
  }

  /** Some servers stream content as parts. */
  #addParts(parts: readonly unknown[]): void {
    for (const part of parts) {
      if (!isRecord(part)) continue;
      if (typeof part["text"] === "string") this.#addText(part["text"]);
      else if (Array.isArray(part["thinking"]))
        for (const thought of part["thinking"])
          if (isRecord(thought) && typeof thought["text"] === "string") this.#addReasoning(thought["text"], IN_CONTENT);
    }
  }

  /** The call a delta belongs to. Servers that number all calls 0, or none, tell them apart by id. */
  #callOf(delta: JsonRecord): Call {
    const calls = (this.#calls ??= []);
    const { index } = delta;
    const id = typeof delta["id"] === "string" ? delta["id"] : "";
    const known = index === undefined || index === null ? calls.at(-1) : findByIndex(calls, index);
    if (known !== undefined && (id === "" || known.id === "" || known.id === id)) {
      if (known.id === "") known.id = id;
      return known;
    }
    const call: Call = { index, id, name: "", arguments: "", extraContent: undefined };
    calls.push(call);
    this.#repeatedCall = undefined;
    return call;
  }

  #addCall(delta: JsonRecord): void {
    const call = this.#callOf(delta);
    this.#latestCall = call;
    // What was parsed from JSON is JSON.
    if (delta["extra_content"] !== undefined) call.extraContent = delta["extra_content"] as Json;
    const made = delta["function"];
    if (!isRecord(made)) return;
    if (call.name === "" && typeof made["name"] === "string") call.name = made["name"];
    if (typeof made["arguments"] === "string") this.#addInput(call, made["arguments"]);
    // Some servers send them parsed.
    else if (isRecord(made["arguments"])) this.#addInput(call, JSON.stringify(made["arguments"]));
  }

  #addInput(call: Call, piece: string): void {
    if (piece === "") return;
    call.arguments += piece;
    this.#deltas.add("tool-input", piece, call.name);
  }

  #addDelta(delta: JsonRecord): void {
    const { content, reasoning_content: thought, reasoning: thinking, tool_calls: made } = delta;
    if (typeof thought === "string" && thought !== "") this.#addReasoning(thought, "reasoning_content");
    else if (typeof thinking === "string" && thinking !== "") this.#addReasoning(thinking, "reasoning");
    if (Array.isArray(delta["reasoning_details"])) addDetails((this.#reasoningDetails ??= []), delta["reasoning_details"]);
    if (typeof content === "string") this.#addText(content);
    else if (Array.isArray(content)) this.#addParts(content);
    // A refusal is what the model says instead.
    if (typeof delta["refusal"] === "string") this.#addText(delta["refusal"]);
    if (Array.isArray(made)) for (const call of made) if (isRecord(call)) this.#addCall(call);
  }

  /** Adds the calls to what was said. Gives the failure where one of them has no name. */
  #addCalls(content: AssistantPart[], calls: readonly Call[], finishReason: FinishReason): Failure | undefined {
    const { provider } = this.#options.endpoint;
    const toId = createCallIds(this.#options.request.messages);
    for (const call of calls) {
      if (call.name === "") return this.#garbage("sent a tool call without a name", call.arguments);
      content.push({
        type: "tool-call",
        callId: toId(call.id),
        tool: call.name,
        // A call of a tool without parameters may come without arguments, if it was not cut off there.
        arguments: call.arguments === "" && finishReason !== "length" ? "{}" : call.arguments,
        ...(call.extraContent === undefined
          ? {}
          : { opaque: { provider, extraContent: call.extraContent } satisfies OpenAiOpaque }),
      });
    }
    return undefined;
  }

  #toUsage(): Usage {
    const reported = this.#reported;
    if (reported === undefined) {
      let chars = this.#text.length + this.#reasoning.length;
      for (const call of this.#calls ?? []) chars += call.name.length + call.arguments.length;
      return {
        input: estimateTokens(this.#options.bodyChars),
        output: estimateTokens(chars),
        cached: 0,
        reasoning: estimateTokens(this.#reasoning.length),
      };
    }
    const input = isRecord(reported["prompt_tokens_details"]) ? reported["prompt_tokens_details"] : NOTHING;
    const output = isRecord(reported["completion_tokens_details"]) ? reported["completion_tokens_details"] : NOTHING;
    const asked = toCount(reported["prompt_tokens"]);
    const said = toCount(reported["completion_tokens"]);
    const reasoning = toCount(output["reasoning_tokens"]);
    // xAI counts thoughts beside the answer, others within it; the sum tells.
    const isBeside = reasoning > 0 && toCount(reported["total_tokens"]) === asked + said + reasoning;
    return {
      input: asked,
      output: isBeside ? said + reasoning : said,
      cached: toCount(input["cached_tokens"]) || toCount(reported["prompt_cache_hit_tokens"]),
      reasoning,
    };
  }

  #garbage(what: string, data: string): Failure {
    const { endpoint } = this.#options;
    return toFailure(endpoint, "model_stream_garbage", `${what}: ${toExcerpt(endpoint.redact(data.slice(0, 2000)), 120)}`);
  }

  #incomplete(how: string): Failure {
    return toFailure(this.#options.endpoint, "model_stream_incomplete", `ended its stream ${how}.`);
  }
}

const NOTHING: JsonRecord = {};

const findByIndex = (calls: readonly Call[], index: unknown): Call | undefined => {
  for (let at = calls.length - 1; at >= 0; at -= 1) if (calls[at]?.index === index) return calls[at];
  return undefined;
};

const toFinishReason = (reason: string, hasCalls: boolean): FinishReason => {
  switch (reason) {
    case "stop":
    case "eos":
      return hasCalls ? "tool-calls" : "stop";
    case "tool_calls":
    case "function_call":
      return hasCalls ? "tool-calls" : "other";
    case "length":
    case "max_tokens":
      return "length";
    case "content_filter":
      return "filtered";
    default:
      return "other";
  }
};

/** The delta of an event that has one and says nothing besides. */
const deltaAlone = ({ choices, usage, error }: JsonRecord): JsonRecord | undefined => {
  if (!Array.isArray(choices) || choices.length !== 1 || isRecord(usage) || (error ?? null) !== null) return undefined;
  const [choice]: readonly unknown[] = choices;
  if (!isRecord(choice) || (choice["index"] ?? 0) !== 0 || typeof choice["finish_reason"] === "string") return undefined;
  return isRecord(choice["delta"]) ? choice["delta"] : undefined;
};

/** Whether all fields but those named say nothing. */
const isEmptyBut = (fields: JsonRecord, ...named: readonly string[]): boolean => {
  for (const name in fields) if (!named.includes(name) && fields[name] !== null) return false;
  return true;
};

/** The text of an event that says nothing else. */
const readTextAlone = (event: JsonRecord): string | undefined => {
  const delta = deltaAlone(event);
  return typeof delta?.["content"] === "string" && isEmptyBut(delta, "content", "role") ? delta["content"] : undefined;
};

/** The piece of a call's arguments, of an event that says nothing else: the call was begun before, and is told by its index alone. */
const readInputAlone = (event: JsonRecord): string | undefined => {
  const delta = deltaAlone(event);
  const calls: unknown = delta?.["tool_calls"];
  if (!delta || !Array.isArray(calls) || calls.length !== 1 || !isEmptyBut(delta, "tool_calls", "role")) return undefined;
  const [call]: readonly unknown[] = calls;
  if (!isRecord(call) || !isEmptyBut(call, "index", "function", "type")) return undefined;
  const made = call["function"];
  if (!isRecord(made) || !isEmptyBut(made, "arguments")) return undefined;
  return typeof made["arguments"] === "string" ? made["arguments"] : undefined;
};

type RepeatedEvents = { readonly text: RepeatedEvent; readonly input: RepeatedEvent };

const TEXT: RepeatedEventOptions = { opening: /"content"\s*:\s*"/, read: readTextAlone };
const INPUT: RepeatedEventOptions = { opening: /"arguments"\s*:\s*"/, read: readInputAlone };
/** How many events of an answer are read before what repeats is looked for. */
const READ_FIRST = 2;
