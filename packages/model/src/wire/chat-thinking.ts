/** How hard a model thinks, in the fields that its server has for it beside Chat Completions. */
import type { Json, JsonObject, Thinking } from "@retinue/protocol";
import type { ThinkingTrait } from "../catalogue/model-traits.ts";
import { toEffort } from "../catalogue/to-effort.ts";

/** Empty where the server is to do as it does by itself. */
export const toChatThinking = (thinking: Thinking | undefined, trait: ThinkingTrait | undefined): JsonObject => {
  if (thinking === undefined || trait === undefined) return {};
  const isOn = thinking !== "off" || trait.forced === true;
  const effort = trait.levels?.length === 0 ? undefined : toEffort(thinking, trait);
  const word: JsonObject = effort === undefined ? {} : { reasoning_effort: effort };
  switch (trait.format) {
    case "openrouter":
      return {
        reasoning: isOn
          ? typeof thinking === "number"
            ? { max_tokens: thinking }
            : { effort: effort ?? "medium" }
          : { enabled: false },
      };
    case "together":
      return { reasoning: { enabled: isOn } };
    case "deepseek":
      return { thinking: { type: isOn ? "enabled" : "disabled" }, ...(isOn ? word : {}) };
    case "zai":
      return { thinking: { type: isOn ? "enabled" : "disabled" } };
    case "qwen":
      return { enable_thinking: isOn };
    case undefined:
    case "openai":
      return word;
    default: // Of a kind we do not know: nothing is safe.
      return {};
  }
};

/** The details of thoughts as they come piece by piece, put together: neighbours of one kind and place are one. */
export const addDetails = (kept: JsonObject[], pieces: readonly unknown[]): void => {
  for (const piece of pieces) {
    if (typeof piece !== "object" || piece === null) continue;
    const detail = piece as JsonObject; // What was parsed from JSON is JSON.
    const last = kept.at(-1);
    if (last === undefined || last["type"] !== detail["type"] || last["index"] !== detail["index"]) kept.push({ ...detail });
    else kept[kept.length - 1] = { ...last, ...detail, ...joined(last, detail, "text"), ...joined(last, detail, "summary") };
  }
};

const joined = (last: JsonObject, next: JsonObject, field: string): Record<string, Json> => {
  const [before, after] = [last[field], next[field]];
  if (typeof before !== "string") return {};
  return { [field]: before + (typeof after === "string" ? after : "") };
};
