/** How a model wants to be spoken to, as one line of the catalogue says it. What is absent is not known, or as with most models. */

export type ThinkingLevel = "low" | "medium" | "high" | "max";

export type ThinkingTrait = {
  /** `budget`: a number of tokens. `effort`: a word. `adaptive`: a word, and the model decides how much it thinks. */
  readonly type: "budget" | "effort" | "adaptive";
  /** The words it takes, weakest first; with none, it thinks as it likes. */
  readonly levels?: readonly string[];
  /** It cannot be switched off. */
  readonly forced?: true;
  /** Off is the word `none`, and not the absence of a word. */
  readonly none?: true;
  /** How its server writes the word, where not as `reasoning_effort`. */
  readonly format?: string;
};

/** Above so many input tokens: input, output, cache read, cache write. */
export type PriceTier = readonly [number, number, number, number, number];

export type ModelTraits = {
  readonly protocol?: "responses" | "chat" | "messages" | "gemini" | "converse";
  readonly contextWindow?: number;
  /** The most that one answer may be, thinking included. */
  readonly outputTokens?: number;
  readonly images?: boolean;
  readonly pdf?: boolean;
  /** Absent in a line of the catalogue: it does not think. */
  readonly thinking?: ThinkingTrait;
  /** False: it refuses one. */
  readonly temperature?: boolean;
  readonly strictTools?: boolean;
  readonly structuredOutput?: boolean;
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** The field that its server wants on every answer of a model that is sent back, also where it is empty. */
  readonly sendsBack?: "reasoning_content";
  /** US dollars for a million tokens: input, output, read from a cache, written to it for 5 minutes, and for an hour. */
  readonly price?: readonly number[];
  readonly tiers?: readonly PriceTier[];
};

/** The line of a model, found without reading the others. Loaded when the first model is asked for. */
export const readModelTraits = async (provider: string, model: string): Promise<ModelTraits | undefined> => {
  const { MODEL_LINES } = await import("./model-data.ts");
  const mark = `\n${provider}/${model} {`;
  const start = MODEL_LINES.indexOf(mark);
  if (start < 0) return undefined;
  const begin = start + mark.length - 1;
  // Written by our own script, which has this type.
  return JSON.parse(MODEL_LINES.slice(begin, MODEL_LINES.indexOf("\n", begin))) as ModelTraits;
};
