/**
 * The contract between the loop and any model: one request in, a stream of chunks out. The last chunk is always
 * `answer` and carries the whole answer; a stream that ends without one has failed. Failures are thrown as
 * `RetinueError` with a `model_…` code, after the retries that belong to this layer. When the signal is aborted the
 * stream ends by throwing; what is thrown then does not matter, callers look at `signal.aborted`.
 */
import type { AssistantPart, ErrorValue, FinishReason, JsonObject, Message, Thinking, Usage } from "@retinue/protocol";

/** A tool as a model sees it. `inputSchema` is JSON Schema of an object. */
export type ToolDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
};

export type ModelRequest = {
  readonly system: string;
  /** How many of its characters, from its beginning, other runs begin with, too; absent where all are. */
  readonly sharedChars?: number;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDeclaration[];
  /** `none`: the tools stay declared, since the history names them, but the model may not call any. */
  readonly toolChoice: "auto" | "none";
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  /** How hard the model thinks, or how many tokens it may think; absent: as the model does by itself. */
  readonly thinking?: Thinking;
  /** The same for requests that begin alike, so that a provider finds what it has cached of them. */
  readonly cacheKey?: string;
};

export type ModelChunk =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "tool-input"; readonly tool: string; readonly text: string }
  /** All chunks since the last `retry` (or the start) are void; the request is made again after `waitMs`. */
  | { readonly type: "retry"; readonly attempt: number; readonly waitMs: number; readonly error: ErrorValue }
  | ModelAnswer;

export type ModelAnswer = {
  readonly type: "answer";
  readonly content: readonly AssistantPart[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** Null where no price is known. */
  readonly costUsd: number | null;
  /** What was asked for and left out, since the model does not take it; told once a model. */
  readonly leftOut?: readonly string[];
};

export type Model = {
  /** `provider/model`, as it stands in settings, events and prices. */
  readonly id: string;
  /** Whether it takes pictures; absent where that is not known. */
  readonly readsImages?: boolean;
  /** Tokens, where known. */
  readonly contextWindow?: number;
  /** The most tokens of one answer, thoughts included, where known. */
  readonly outputTokens?: number;
  /** Whether it thinks without being asked to: its answers need room for that. */
  readonly thinks?: boolean;
  /** What these tokens would cost, null where no price is known. Asked before a call, to keep `costUsd`. */
  readonly price: (usage: Usage) => number | null;
  readonly stream: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelChunk>;
};
