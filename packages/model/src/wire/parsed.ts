/** Cautious reading of JSON that a server sent. */
import { isTokenCount } from "@retinue/protocol";

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

/** The arguments as a JSON object in text, `{}` for what is none: providers refuse a history that holds anything else. */
export const toObjectText = (text: string): string => (parseRecord(text) === undefined ? "{}" : text);
