/**
 * Any provider of the AI SDK as a model of ours, under the same rules as our own wires: silence is noticed, a stream that
 * stops half-way is a failure, and retrying and pacing are ours.
 */
import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { JsonObject, Usage } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { Model } from "../contract.ts";
import type { Gate } from "../gate.ts";
import { gateFor } from "../gate.ts";
import type { CountAnswer } from "../plausible-usage.ts";
import { createPlausibleCount } from "../plausible-usage.ts";
import type { RetrySettings } from "../retry.ts";
import { DEFAULT_RETRY, runAttempts } from "../retry.ts";
import type { Endpoint } from "../transport/endpoint.ts";
import { createRedactor } from "../transport/redact.ts";
import { createAnswerBuilder } from "./answer-builder.ts";
import { startAiSdkAttempt } from "./attempt.ts";
import { toCallOptions } from "./to-call-options.ts";

export type FromAiSdkOptions = {
  /** `provider/model` out of the SDK's own names by default. */
  readonly id?: string;
  readonly contextWindow?: number;
  /** Unknown by default. */
  readonly price?: (usage: Usage) => number | null;
  /** One for all models of the same SDK provider by default. */
  readonly gate?: Gate;
  readonly retry?: RetrySettings;
  /** Two minutes by default. */
  readonly streamIdleMs?: number;
  /** As messages name the server; what the SDK calls it by default. */
  readonly provider?: string;
  readonly host?: string;
  /** Taken out of all messages. */
  readonly secrets?: readonly string[];
  /** Sent with every request, as the SDK's provider wants them. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
  /** Whether the provider shows the model images inside tool results; known for the common ones. */
  readonly toolResultImages?: boolean;
  /** What an answer is counted as; by default as the provider says where that is possible, else by our own estimate. */
  readonly count?: CountAnswer;
};

/** Any `LanguageModelV4`, told by its shape: whoever uses our types need not have those of the SDK. */
export type AiSdkModel = {
  readonly specificationVersion: "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: unknown;
  readonly doGenerate: (options: never) => unknown;
  readonly doStream: (options: never) => unknown;
};

/** Whether a value is a model that `fromAiSdk` takes. */
export const isAiSdkModel = (value: unknown): value is AiSdkModel => {
  if (typeof value !== "object" || value === null) return false;
  const { specificationVersion, provider, modelId, doStream } = value as Partial<Record<keyof LanguageModelV4, unknown>>;
  return (
    specificationVersion === "v4" && typeof provider === "string" && typeof modelId === "string" && typeof doStream === "function"
  );
};

export const fromAiSdk = (given: AiSdkModel, options: FromAiSdkOptions = {}): Model => {
  if (!isAiSdkModel(given))
    throw new RetinueError("usage", "fromAiSdk was given something that is no AI SDK language model of specification v4.", {
      hint: "Give what the SDK's provider returns, such as google('gemini-3.8-flash'), of a provider package for AI SDK 7.",
    });
  // By its version it is one of the SDK's.
  const model = given as unknown as LanguageModelV4;
  const name = model.provider.split(".")[0] ?? model.provider;
  const endpoint: Endpoint = {
    provider: options.provider ?? name,
    host: options.host ?? model.provider,
    origin: "",
    path: "",
    headers: [],
    redact: createRedactor(options.secrets ?? []),
  };
  const gate = options.gate ?? gateFor(`ai-sdk ${model.provider}`);
  const price = options.price ?? (() => null);
  const { count = createPlausibleCount(price) } = options;
  const images = options.toolResultImages === undefined ? {} : { toolResultImages: options.toolResultImages };
  return {
    id: options.id ?? `${name}/${model.modelId}`,
    ...(options.contextWindow === undefined ? {} : { contextWindow: options.contextWindow }),
    price,
    stream: (request, signal) => {
      const callOptions = {
        ...toCallOptions(model, request, images),
        // JSON is JSON, whichever of its types is readonly.
        ...(options.providerOptions === undefined ? {} : { providerOptions: options.providerOptions as SharedV4ProviderOptions }),
      };
      return runAttempts({
        gate,
        settings: options.retry ?? DEFAULT_RETRY,
        signal,
        toCounted: (answer) => count(answer, request),
        start: (onSettled) =>
          startAiSdkAttempt({
            model,
            callOptions,
            endpoint,
            builder: createAnswerBuilder(model.provider, request),
            price,
            idleMs: options.streamIdleMs ?? 120_000,
            signal,
            onSettled,
          }),
      });
    },
  };
};
