/**
 * One `doStream` of an AI SDK model, from the call to its finish part. It settles exactly once: with the whole answer, or
 * with the failure. One watchdog watches over all of it, and no stream is left open behind it, whatever the SDK does.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { ModelAnswer, ModelChunk } from "../contract.ts";
import type { Attempt } from "../retry.ts";
import type { Endpoint } from "../transport/endpoint.ts";
import { ANSWER_CHARS } from "../transport/exchange.ts";
import { toFailure } from "../transport/failure.ts";
import type { Failure } from "../transport/failure.ts";
import type { AnswerBuilder } from "./answer-builder.ts";
import { toAiSdkFailure } from "./to-failure.ts";

/** Counted by our own estimate. */
const UNKNOWN_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

export type AiSdkAttemptOptions = {
  readonly model: LanguageModelV4;
  readonly callOptions: LanguageModelV4CallOptions;
  readonly endpoint: Endpoint;
  readonly builder: AnswerBuilder;
  readonly price: (usage: ModelAnswer["usage"]) => number | null;
  readonly idleMs: number;
  readonly signal: AbortSignal;
  readonly onSettled: (outcome: ModelAnswer | Failure) => void;
};

export const startAiSdkAttempt = (options: AiSdkAttemptOptions): Attempt => {
  const { model, endpoint, builder, idleMs, signal } = options;
  const controller = new AbortController();
  let chunks: ModelChunk[] = [];
  let taken = 0;
  let outcome: ModelAnswer | Failure | undefined;
  let wake: (() => void) | undefined;
  let answering = false;
  let chars = 0;
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;

  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  const settle = (settled: ModelAnswer | Failure): void => {
    if (outcome !== undefined) return;
    outcome = settled;
    clearTimeout(watchdog);
    signal.removeEventListener("abort", cancel);
    // Both free the socket; not every SDK listens to both. What they say to it does not matter any more.
    controller.abort();
    reader?.cancel().catch(() => {});
    options.onSettled(settled);
    notify();
  };
  const cancel = (): void => settle(toFailure(endpoint, "cancelled", "was no longer waited for."));
  const watchdog = setTimeout(() => {
    const when = answering ? "in the middle of its answer" : "before its answer began";
    settle(toFailure(endpoint, "model_stream_stalled", `was silent for ${idleMs} ms ${when}.`));
  }, idleMs);

  /** The outcome, where the part is the last one that counts. */
  const read = (part: LanguageModelV4StreamPart): ModelAnswer | Failure | undefined => {
    if (part.type === "error") return toAiSdkFailure(endpoint, part.error, { answering, nowDate: Date.now() });
    if (part.type === "finish") {
      const { unified, raw } = part.finishReason;
      if (unified === "interrupted" || unified === "error")
        return toFailure(
          endpoint,
          "model_stream_incomplete",
          `ended its stream without a whole answer${raw === undefined ? "" : ` (${raw})`}.`,
        );
      const answer = builder.finish(part);
      return { type: "answer", ...answer, costUsd: options.price(answer.usage) };
    }
    const chunk = builder.add(part);
    if (chunk) {
      if ("text" in chunk) chars += chunk.text?.length ?? 0;
      chunks.push(chunk);
      notify();
    }
    if (chars <= ANSWER_CHARS) return undefined;
    const cut = builder.finish({ type: "finish", finishReason: { unified: "length", raw: undefined }, usage: UNKNOWN_USAGE });
    return { type: "answer", ...cut, costUsd: options.price(cut.usage) };
  };

  const pump = async (): Promise<void> => {
    const { stream, response } = await model.doStream({ ...options.callOptions, abortSignal: controller.signal });
    if (outcome !== undefined) return stream.cancel();
    answering = true;
    reader = stream.getReader();
    const type = response?.headers?.["content-type"] ?? "";
    if (/\bhtml\b/i.test(type)) return settle(toFailure(endpoint, "model_stream_garbage", `answered with a page (${type}).`));
    for (;;) {
      watchdog.refresh();
      const { done, value } = await reader.read();
      if (outcome !== undefined) return;
      const last = done ? toFailure(endpoint, "model_stream_incomplete", "ended its stream without an end marker.") : read(value);
      if (last) return settle(last);
    }
  };

  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  else pump().catch((thrown: unknown) => settle(toAiSdkFailure(endpoint, thrown, { answering, nowDate: Date.now() })));

  return {
    take: () => {
      const chunk = chunks[taken++];
      if (chunk === undefined) {
        chunks = [];
        taken = 0;
      }
      return chunk;
    },
    outcome: () => outcome,
    changed: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
    cancel,
  };
};
