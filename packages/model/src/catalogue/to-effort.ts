/** How hard a model thinks, in the word that the model takes. */
import type { Thinking } from "@retinue/protocol";
import { toThinkingTokens } from "@retinue/protocol";
import type { ThinkingTrait } from "./model-traits.ts";

const WORDS = ["low", "medium", "high", "xhigh", "max"] as const;

/** The word for it: the strongest that the model takes and that is not stronger, else its weakest. Undefined where none is to be sent. */
export const toEffort = (thinking: Thinking, trait: ThinkingTrait | undefined): string | undefined => {
  if (thinking === "off") return trait?.none === true ? "none" : trait?.forced === true ? trait.levels?.[0] : undefined;
  const levels = trait?.levels ?? ["low", "medium", "high"];
  const wanted = WORDS.indexOf(typeof thinking === "number" ? toLevel(thinking) : thinking);
  return WORDS.filter((word, index) => index <= wanted && levels.includes(word)).at(-1) ?? levels[0];
};

const toLevel = (tokens: number): "low" | "medium" | "high" | "max" =>
  (["low", "medium", "high"] as const).find((level) => tokens <= toThinkingTokens(level)) ?? "max";
