/** How hard a model thinks before it answers: a level, or at most so many tokens. Each model is told in its own words. */
export const THINKING_LEVELS = ["off", "low", "medium", "high", "max"] as const;

/** About so many tokens of thought a level stands for, where a model wants a number. */
const LEVEL_TOKENS = { off: 0, low: 2_048, medium: 8_192, high: 16_384, max: 32_768 } as const;

/** At most so many tokens of thought. */
export const toThinkingTokens = (thinking: Thinking): number =>
  typeof thinking === "number" ? thinking : LEVEL_TOKENS[thinking];

export type Thinking = (typeof THINKING_LEVELS)[number] | number;
