/**
 * A model that says what a test tells it to, for tests of everything above the model: no network, no timers, no chance.
 * It fails on what the script does not hold and `assertDone` fails on what was never asked for, so a test that passes
 * has seen exactly the conversation it describes.
 *
 * ```ts
 * const model = createScriptedModel([
 *   { toolCalls: [{ tool: "read", input: { path: "a.txt" } }] },
 *   { expect: (request) => expect(request.messages.at(-1)).toMatchObject({ role: "tool" }), text: "It says hello." },
 * ]);
 * // … run the agent with it …
 * model.assertDone();
 * ```
 */
import type { AssistantPart, ErrorCode, ErrorValue, FinishReason, Json, Usage } from "@retinue/protocol";
import { ERRORS, NO_USAGE, RetinueError } from "@retinue/protocol";
import type { Model, ModelChunk, ModelRequest } from "../contract.ts";

/** A call of the model. `input` is written as JSON; `arguments` is sent as it stands, for calls that are not JSON. */
export type ScriptedToolCall = {
  readonly tool: string;
  readonly input?: Json;
  readonly arguments?: string;
  /** `call_<turn>_<number>`, counted from 1, by default. */
  readonly callId?: string;
  readonly opaque?: Json;
};

/** A failed attempt inside one call: what was streamed of it, then the `retry` chunk that makes it void. */
export type ScriptedRetry = { readonly text?: string; readonly error: ErrorCode; readonly waitMs?: number };

/**
 * One answer. Its parts are streamed in the order `retries`, `reasoning`, `text`, `toolCalls`, then comes the answer
 * or, where `error` is set, the failure.
 */
export type ScriptedTurn = {
  /** Looks at the request; throwing or returning `false` is a mismatch. */
  readonly expect?: (request: ModelRequest) => unknown;
  /** Awaited before anything is streamed. */
  readonly before?: Promise<unknown> | (() => Promise<unknown>);
  /** Awaited when all but the answer is streamed. */
  readonly beforeAnswer?: Promise<unknown> | (() => Promise<unknown>);
  readonly retries?: readonly ScriptedRetry[];
  readonly reasoning?: string | { readonly text: string; readonly opaque: Json };
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** `tool-calls` where the turn calls tools and `stop` where not, by default. */
  readonly finishReason?: FinishReason;
  readonly usage?: Partial<Usage>;
  /** By default what the model's price makes of the usage. */
  readonly costUsd?: number | null;
  /** Thrown in place of the answer. A code alone gets the registry's words. */
  readonly error?: ErrorCode | ErrorValue;
  /** Text, reasoning and arguments are streamed in pieces of this many UTF-16 units; whole by default. */
  readonly chunkSize?: number;
};

/**
 * - A list is read turn by turn, in the order of the calls: for one run, or runs one after the other.
 * - `key` with `turns` keeps one list for each key: for runs at the same time, told apart by what they ask.
 * - A function makes the turn from the request and the number of answers that its conversation already holds, so that it
 *   too is independent of the order of calls; undefined is a mismatch.
 */
export type Script =
  | readonly ScriptedTurn[]
  | { readonly key: (request: ModelRequest) => string; readonly turns: Readonly<Record<string, readonly ScriptedTurn[]>> }
  | ((request: ModelRequest, answered: number) => ScriptedTurn | undefined);

export type ScriptedModelOptions = {
  /** `scripted/model` by default. */
  readonly id?: string;
  readonly contextWindow?: number;
  /** Nothing by default. */
  readonly price?: (usage: Usage) => number | null;
  /** Of the turns that name none. */
  readonly usage?: Partial<Usage>;
  /** Turns that count as read already, as after a resume; for a keyed script by key. */
  readonly startAt?: number | Readonly<Record<string, number>>;
};

export type ScriptedModel = Model & {
  /** What was asked, in the order of asking. */
  readonly requests: readonly ModelRequest[];
  /** Turns not read yet; of a function there are none. */
  readonly remaining: () => number;
  /** Throws the first mismatch, which the run may have swallowed, or `script_mismatch` if turns were left unread. */
  readonly assertDone: () => void;
};

export const createScriptedModel = (script: Script, options: ScriptedModelOptions = {}): ScriptedModel => {
  const id = options.id ?? "scripted/model";
  const price = options.price ?? (() => 0);
  const requests: ModelRequest[] = [];
  const reader = createReader(script, options.startAt);
  let firstMismatch: RetinueError | undefined;

  const mismatch = (message: string, cause?: unknown): RetinueError => {
    const error = new RetinueError("script_mismatch", `${id}: ${message}`, { cause });
    firstMismatch ??= error;
    return error;
  };

  const take = (request: ModelRequest): { turn: ScriptedTurn; position: number } => {
    requests.push(request);
    const { turn, position, where } = reader.next(request);
    if (!turn) throw mismatch(`nothing is scripted for call ${requests.length} (${where}). ${describeRequest(request)}`);
    try {
      if (turn.expect?.(request) === false) throw new Error("its expectation returned false");
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw mismatch(`the request of call ${requests.length} (${where}) is not as expected: ${reason}`, cause);
    }
    return { turn, position };
  };

  const stream = async function* (request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    signal.throwIfAborted();
    const { turn, position } = take(request);
    await settled(turn.before, signal);
    for (const chunk of toChunks(turn, position)) {
      signal.throwIfAborted();
      yield chunk;
    }
    await settled(turn.beforeAnswer, signal);
    if (turn.error !== undefined) throw toError(turn.error);
    const usage = { ...NO_USAGE, ...options.usage, ...turn.usage };
    yield {
      type: "answer",
      content: toContent(turn, position),
      finishReason: turn.finishReason ?? (turn.toolCalls?.length ? "tool-calls" : "stop"),
      usage,
      costUsd: turn.costUsd === undefined ? price(usage) : turn.costUsd,
    };
  };

  return {
    id,
    ...(options.contextWindow === undefined ? {} : { contextWindow: options.contextWindow }),
    price,
    stream,
    requests,
    remaining: reader.remaining,
    assertDone: () => {
      if (firstMismatch) throw firstMismatch;
      const left = reader.remaining();
      if (left > 0) throw new RetinueError("script_mismatch", `${id}: ${left} scripted turn(s) were never asked for.`);
    },
  };
};

type Taken = { readonly turn: ScriptedTurn | undefined; readonly position: number; readonly where: string };

type Reader = { readonly next: (request: ModelRequest) => Taken; readonly remaining: () => number };

const createReader = (script: Script, startAt: ScriptedModelOptions["startAt"]): Reader => {
  if (typeof script === "function") {
    return {
      next: (request) => {
        const position = request.messages.filter((message) => message.role === "assistant").length;
        return { turn: script(request, position), position, where: `${position} answers into its conversation` };
      },
      remaining: () => 0,
    };
  }
  if (!("key" in script)) {
    let position = typeof startAt === "number" ? startAt : 0;
    return {
      next: () => {
        const taken = position++;
        return { turn: script[taken], position: taken, where: `turn ${taken + 1} of ${script.length}` };
      },
      remaining: () => Math.max(0, script.length - position),
    };
  }
  const positions = new Map<string, number>();
  const positionOf = (key: string): number =>
    positions.get(key) ?? (typeof startAt === "object" ? (startAt[key] ?? 0) : (startAt ?? 0));
  return {
    next: (request) => {
      const key = script.key(request);
      const position = positionOf(key);
      const turns = Object.hasOwn(script.turns, key) ? script.turns[key] : undefined;
      positions.set(key, position + 1);
      const where = turns ? `turn ${position + 1} of ${turns.length} of "${key}"` : `no script for the key "${key}"`;
      return { turn: turns?.[position], position, where };
    },
    remaining: () =>
      Object.entries(script.turns).reduce((sum, [key, turns]) => sum + Math.max(0, turns.length - positionOf(key)), 0),
  };
};

const toArguments = (call: ScriptedToolCall): string => call.arguments ?? JSON.stringify(call.input ?? {});

const toReasoning = (turn: ScriptedTurn): { text: string; opaque?: Json } | undefined =>
  typeof turn.reasoning === "string" ? { text: turn.reasoning } : turn.reasoning;

function* toChunks(turn: ScriptedTurn, position: number): Generator<ModelChunk> {
  let attempt = 1;
  for (const retry of turn.retries ?? []) {
    attempt += 1;
    if (retry.text !== undefined) yield { type: "text", text: retry.text };
    yield { type: "retry", attempt, waitMs: retry.waitMs ?? 0, error: toErrorValue(retry.error) };
  }
  const size = turn.chunkSize;
  const reasoning = toReasoning(turn);
  if (reasoning) for (const text of pieces(reasoning.text, size)) yield { type: "reasoning", text };
  if (turn.text !== undefined) for (const text of pieces(turn.text, size)) yield { type: "text", text };
  for (const part of toContent(turn, position))
    if (part.type === "tool-call")
      for (const text of pieces(part.arguments, size)) yield { type: "tool-input", tool: part.tool, text };
}

const toContent = (turn: ScriptedTurn, position: number): AssistantPart[] => {
  const content: AssistantPart[] = [];
  const reasoning = toReasoning(turn);
  if (reasoning) content.push({ type: "reasoning", ...reasoning });
  if (turn.text !== undefined) content.push({ type: "text", text: turn.text });
  for (const [index, call] of (turn.toolCalls ?? []).entries())
    content.push({
      type: "tool-call",
      callId: call.callId ?? `call_${position + 1}_${index + 1}`,
      tool: call.tool,
      arguments: toArguments(call),
      ...(call.opaque === undefined ? {} : { opaque: call.opaque }),
    });
  return content;
};

function* pieces(text: string, size: number | undefined): Generator<string> {
  if (size === undefined) {
    if (text !== "") yield text;
    return;
  }
  if (!(size >= 1)) throw new RetinueError("usage", `A scripted turn's chunkSize must be at least 1, not ${size}.`);
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

const toErrorValue = (code: ErrorCode): ErrorValue => ({ code, message: ERRORS[code].meaning, hint: ERRORS[code].hint });

const toError = (error: ErrorCode | ErrorValue): RetinueError => {
  const value = typeof error === "string" ? toErrorValue(error) : error;
  return new RetinueError(value.code, value.message, {
    ...(value.hint === undefined ? {} : { hint: value.hint }),
    retryAfterMs: value.retryAfterMs,
  });
};

/** Waits for what the test holds back, but no longer than the caller wants to wait. */
const settled = async (held: Promise<unknown> | (() => Promise<unknown>) | undefined, signal: AbortSignal): Promise<void> => {
  if (held === undefined) return;
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new RetinueError("cancelled", "The call was cancelled."));
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    await Promise.race([typeof held === "function" ? held() : held, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener("abort", onAbort);
  }
};

const describeRequest = (request: ModelRequest): string => {
  const last = request.messages.at(-1);
  if (!last) return "The request holds no messages.";
  const text = last.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join(" ");
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return `Its last of ${request.messages.length} message(s), from ${last.role}: ${JSON.stringify(shown)}`;
};
