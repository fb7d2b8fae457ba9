/** How hard a model thinks, in the word or the number of tokens that the model takes. */
import type { Thinking } from "@retinue/protocol";
import type { ThinkingTrait } from "./model-traits.ts";

const WORDS = ["low", "medium", "high", "xhigh", "max"] as const;
const BUDGETS = { low: 2_048, medium: 8_192, high: 16_384, max: 32_768 } as const;

/** The word for it: the strongest that the model takes and that is not stronger, else its weakest. Undefined where none is to be sent. */
export const toEffort = (thinking: Thinking, trait: ThinkingTrait | undefined): string | undefined => {
  if (thinking === "off") return trait?.none === true ? "none" : trait?.forced === true ? trait.levels?.[0] : undefined;
  const levels = trait?.levels ?? ["low", "medium", "high"];
  const wanted = WORDS.indexOf(typeof thinking === "number" ? toLevel(thinking) : thinking);
  return WORDS.filter((word, index) => index <= wanted && levels.includes(word)).at(-1) ?? levels[0];
};

/** At most so many tokens of thought. */
export const toBudget = (thinking: Exclude<Thinking, "off">): number =>
  typeof thinking === "number" ? thinking : BUDGETS[thinking];

const toLevel = (tokens: number): keyof typeof BUDGETS => {
  if (tokens <= BUDGETS.low) return "low";
  if (tokens <= BUDGETS.medium) return "medium";
  return tokens <= BUDGETS.high ? "high" : "max";
};
