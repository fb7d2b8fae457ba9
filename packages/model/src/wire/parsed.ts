/** Cautious reading of JSON that a server sent. */
import { isTokenCount } from "@retinue/protocol";
import type { ToolCallPart } from "@retinue/protocol";

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined for what is no JSON object. */
export const parseRecord = (text: string): JsonRecord | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** A number of tokens; 0 for everything that cannot be one, which counts as not reported. */
export const toCount = (value: unknown): number => (isTokenCount(value) ? Math.round(value) : 0);

/** Four characters are about a token, where the server does not say. */
export const estimateTokens = (chars: number): number => Math.ceil(chars / 4);

/**
 * The arguments of a call as they go back to whoever wrote them: as a JSON object in text, since providers refuse a history that holds anything else.
 * What is none stands in one whole, so that the model sees what it wrote.
 */
export const toObjectText = ({ arguments: text, repaired }: Pick<ToolCallPart, "arguments" | "repaired">): string => {
  if (repaired !== undefined && parseRecord(repaired.wrote) !== undefined) return repaired.wrote;
  if (parseRecord(text) !== undefined) return text;
  return text.trim() === "" ? "{}" : JSON.stringify({ malformed_arguments: text });
};
