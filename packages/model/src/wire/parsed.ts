/** Cautious reading of JSON that a server sent. */

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

/** A count of tokens; 0 for what is none. */
export const toCount = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;

/** Four characters are about a token, where the server does not say. */
export const estimateTokens = (chars: number): number => Math.ceil(chars / 4);

/** The arguments as a JSON object in text, `{}` for what is none: providers refuse a history that holds anything else. */
export const toObjectText = (text: string): string => (parseRecord(text) === undefined ? "{}" : text);
