/** How hard a model thinks before it answers: a level, or at most so many tokens. Each model is told in its own words. */
export const THINKING_LEVELS = ["off", "low", "medium", "high", "max"] as const;

export type Thinking = (typeof THINKING_LEVELS)[number] | number;
