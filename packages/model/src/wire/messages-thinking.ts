/** How hard a model thinks, in the fields of Anthropic Messages. */
import type { JsonObject, Message } from "@retinue/protocol";
import { toThinkingTokens } from "@retinue/protocol";
import type { ModelTraits } from "../catalogue/model-traits.ts";
import { toEffort } from "../catalogue/to-effort.ts";
import type { ModelRequest } from "../contract.ts";

/** The least budget that is taken, and the least that is left for the answer. */
const LEAST = 1_024;

/** Empty where the model is to do as it does by itself. */
export const toMessagesThinking = (
  { thinking, maxOutputTokens = Infinity, messages }: ModelRequest,
  traits: ModelTraits | undefined,
): JsonObject => {
  const trait = traits?.thinking;
  if (thinking === undefined || trait === undefined) return {};
  if (thinking === "off") return trait.forced === true ? {} : { thinking: { type: "disabled" } };
  if (trait.type === "adaptive") {
    const effort = toEffort(thinking, trait);
    return {
      thinking: { type: "adaptive", display: "summarized" },
      ...(effort === undefined ? {} : { output_config: { effort } }),
    };
  }
  const budget = Math.min(toThinkingTokens(thinking), Math.min(maxOutputTokens, traits?.outputTokens ?? Infinity) - LEAST);
  if (budget < LEAST || isUnthoughtCall(messages)) return {};
  return { thinking: { type: "enabled", budget_tokens: budget } };
};

/** Whether results go back for calls that another model made, or one without thoughts: then thoughts are refused until the user speaks. */
const isUnthoughtCall = (messages: readonly Message[]): boolean => {
  if (messages.at(-1)?.role !== "tool") return false;
  const calling = messages.findLast(({ role }) => role === "assistant");
  const [first] = calling?.role === "assistant" ? calling.content : [];
  return first?.type !== "reasoning" || first.opaque === undefined;
};
