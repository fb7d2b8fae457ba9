/** How large a request may be: as the run's limit says, and so that the model's window has room for an answer. */
import type { RunSpec } from "@retinue/protocol";

const ANSWER_TOKENS = 4_096;

export const contextLimit = ({ limits, maxOutputTokens = ANSWER_TOKENS }: RunSpec, contextWindow = Infinity): number =>
  Math.min(limits.contextTokens ?? Infinity, contextWindow - Math.min(maxOutputTokens, contextWindow / 2));

/** A window that leaves requests just `limitTokens`. */
export const windowFor = ({ maxOutputTokens = ANSWER_TOKENS }: RunSpec, limitTokens: number): number =>
  limitTokens >= maxOutputTokens ? limitTokens + maxOutputTokens : limitTokens * 2;
