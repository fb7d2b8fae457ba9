/** One model of the source in the words of our catalogue. What is as with most models is left out, so that the file stays small. */
import type { ModelTraits, PriceTier, ThinkingTrait } from "../../packages/model/src/catalogue/model-traits.ts";

type Cost = { readonly input: number; readonly output: number; readonly cacheRead: number; readonly cacheWrite: number };

export type SourceModel = {
  readonly id: string;
  readonly type: string;
  readonly api: string;
  readonly reasoning: boolean;
  readonly input: readonly string[];
  readonly cost: Cost & { readonly tiers?: readonly (Cost & { readonly inputTokensAbove: number })[] };
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly thinkingLevelMap?: Readonly<Record<string, string | null>>;
  readonly promptCache?: { readonly long?: number };
  readonly compat?: Readonly<Record<string, unknown>>;
};

const PROTOCOLS: Readonly<Record<string, NonNullable<ModelTraits["protocol"]>>> = {
  "anthropic-messages": "messages",
  "openai-responses": "responses",
  "azure-openai-responses": "responses",
  "openai-completions": "chat",
  "mistral-conversations": "chat",
  "google-generative-ai": "gemini",
  "google-vertex": "gemini",
  "bedrock-converse-stream": "converse",
};

/** Providers whose thinking models refuse a temperature, where the source does not say so model by model. */
const REFUSES_TEMPERATURE: ReadonlySet<string> = new Set(["openai", "azure"]);
const READS_PDF: ReadonlySet<string> = new Set(["messages", "responses", "gemini", "converse"]);

export const toModelRow = (provider: string, model: SourceModel): ModelTraits => {
  const { compat = {}, cost } = model;
  const protocol = PROTOCOLS[model.api] ?? "chat";
  const images = model.input.includes("image");
  const isFixed = compat["supportsTemperature"] === false || (model.reasoning && REFUSES_TEMPERATURE.has(provider));
  const { maxTokensField } = compat;
  const thinking = toThinking(model, protocol);
  return {
    protocol,
    contextWindow: model.contextWindow,
    outputTokens: model.maxTokens,
    images,
    ...(images && READS_PDF.has(protocol) ? { pdf: true } : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(isFixed ? { temperature: false } : {}),
    ...(compat["supportsStrictTools"] === true || compat["supportsStrictMode"] === true
      ? { strictTools: true, structuredOutput: true }
      : {}),
    ...(maxTokensField === "max_tokens" || maxTokensField === "max_completion_tokens" ? { maxTokensField } : {}),
    ...(compat["requiresReasoningContentOnAssistantMessages"] === true ? { sendsBack: "reasoning_content" } : {}),
    price: [
      ...toPrices(cost),
      // An hour in the cache costs twice the input, where it is sold.
      ...(model.promptCache?.long === undefined ? [] : [cost.input * 2]),
    ],
    ...(cost.tiers === undefined
      ? {}
      : { tiers: cost.tiers.map((tier): PriceTier => [tier.inputTokensAbove, ...toPrices(tier)]) }),
  };
};

const toPrices = ({ input, output, cacheRead, cacheWrite }: Cost): [number, number, number, number] =>
  [input, output, cacheRead, cacheWrite].map((price) => Math.round(price * 1e6) / 1e6) as [number, number, number, number];

const toThinking = (
  { reasoning, api, compat = {}, thinkingLevelMap: map = {} }: SourceModel,
  protocol: string,
): ThinkingTrait | undefined => {
  if (!reasoning) return undefined;
  const forced = map["off"] === null ? { forced: true as const } : {};
  const none = map["off"] === "none" ? { none: true as const } : {};
  const { thinkingFormat } = compat;
  const format = typeof thinkingFormat === "string" ? { format: thinkingFormat } : {};
  const usual = ["low", "medium", "high"].filter((level) => map[level] !== null);
  const levels = [...usual, ...["xhigh", "max"].filter((level) => typeof map[level] === "string")];
  if (api === "anthropic-messages" || api === "bedrock-converse-stream")
    return compat["forceAdaptiveThinking"] === true ? { type: "adaptive", levels, ...forced } : { type: "budget", ...forced };
  if (protocol === "gemini" && Object.keys(map).length === 0) return { type: "budget" };
  return { type: "effort", levels: compat["supportsReasoningEffort"] === false ? [] : levels, ...forced, ...none, ...format };
};
